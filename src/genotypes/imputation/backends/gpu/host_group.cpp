#include "genotypes/imputation/backends/gpu/host_group.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Sets of states of a sample: one for each haplotype of the phase that was given, one for all other targets.
size_t OwnSets(const SampleTargets& sample) { return sample.IsCorrected() ? 0 : sample.ploidy(); }
size_t NumSets(const SampleTargets& sample) {
  return OwnSets(sample) + (sample.num_targets() > OwnSets(sample) ? 1 : 0);
}

// Words of 32 typed markers, of which the host has pairs.
size_t WordsOfRow(const TypedPanel& panel) { return 2 * panel.rows().words(); }

bool HasWeights(const SampleTargets& sample) {
  return !sample.versions[0].weight.empty() || !sample.versions[0].swapped.empty();
}

}  // namespace

HostGroup::HostGroup(Device& device, const PanelWindow& window, const WindowAlleles& alleles)
    : device_(device), window_(window) {
  for (const uint32_t m : window.typed_markers()) {
    if (window.wanted().Contains(m)) left_out.push_back(static_cast<uint32_t>(alleles.typed_index(m)));
  }
}

void HostGroup::Set(std::vector<SampleOfBatch> batch_samples) {
  samples = std::move(batch_samples);
  SetTargets();
  ChooseStates();
  alt_rows.Resize(num_rows * window_.wanted().size());
  left_out_rows.Resize(num_rows * left_out.size());
}

void HostGroup::SetTargets() {
  const TypedPanel& panel = window_.typed_panel();
  const size_t typed = panel.num_typed(), words = WordsOfRow(panel);
  size_t num_targets = 0, num_versions = 0, num_sets = 0;
  num_rows = 0;
  rows.Resize(samples.size());
  std::vector<size_t> first_version, first_set;
  for (size_t s = 0; s < samples.size(); ++s) {
    const SampleTargets& sample = samples[s].targets();
    rows[s] = {.first_person = 0,
               .first_copied = 0,
               .num_people = 0,
               .first_target = static_cast<uint32_t>(num_targets),
               .num_targets = static_cast<uint32_t>(sample.num_targets()),
               .ploidy = static_cast<uint32_t>(sample.ploidy()),
               .first_row = static_cast<uint32_t>(num_rows)};
    first_version.push_back(num_versions);
    first_set.push_back(num_sets);
    num_targets += sample.num_targets();
    num_rows += sample.ploidy();
    num_sets += NumSets(sample);
    if (HasWeights(sample)) num_versions += sample.versions.size();
  }
  targets.Resize(num_targets);
  alleles.Resize(num_targets * typed);
  bits.Resize(num_targets * words);
  observed.Resize(num_targets * words);
  information.Resize(num_targets * (typed + 1));
  version_weight.Resize(num_versions * (typed + 1));
  version_swapped.Resize(num_versions * (typed + 1));
  output_alleles.Resize(num_rows * typed);
  tbb::parallel_for(size_t{0}, samples.size(), [&](size_t s) {
    const SampleTargets& sample = samples[s].targets();
    for (size_t k = 0; k < sample.num_targets(); ++k) {
      SetTarget(k, s, first_set[s] + std::min(k, OwnSets(sample)), first_version[s] + k / sample.ploidy());
    }
    for (size_t t = 0; t < sample.ploidy(); ++t) {
      std::ranges::copy(sample.output()[t].alleles, output_alleles.data() + (rows[s].first_row + t) * typed);
    }
  });
}

// Target k of sample s; its set and its version are indices in the group.
void HostGroup::SetTarget(size_t k, size_t s, size_t set, size_t version) {
  const TypedPanel& panel = window_.typed_panel();
  const size_t typed = panel.num_typed(), words = WordsOfRow(panel), t = rows[s].first_target + k;
  const SampleOfBatch& sample = samples[s];
  const TargetHaplotype& haplotype = sample.targets().haplotype(k);
  const bool has_weights = HasWeights(sample.targets());
  targets[t] = {.sample = static_cast<uint32_t>(s),
                .set = static_cast<uint32_t>(set),
                .version = has_weights ? static_cast<uint32_t>(version) : kernels::kNone,
                .mismatch_probability = sample.batch->model.mismatch_probability};
  std::ranges::copy(haplotype.alleles, alleles.data() + t * typed);
  std::memcpy(bits.data() + t * words, haplotype.bits.data(), words * sizeof(uint32_t));
  std::memcpy(observed.data() + t * words, haplotype.observed.data(), words * sizeof(uint32_t));
  float* seen = information.data() + t * (typed + 1);
  seen[0] = 0;
  for (size_t j = 0; j < typed; ++j) {
    const uint8_t allele = haplotype.alleles[j];
    seen[j + 1] = seen[j] + (allele == kMissingAllele ? 0 : panel.information(j, allele));
  }
  if (!has_weights || k % sample.targets().ploidy() != 0) return;
  const PhaseVersion& phase = sample.targets().version(k);
  for (size_t i = 0; i <= typed; ++i) {
    version_weight[version * (typed + 1) + i] = phase.weight.empty() ? 1 : phase.weight[i];
    version_swapped[version * (typed + 1) + i] = !phase.swapped.empty() && phase.swapped[i] ? 1 : 0;
  }
}

void HostGroup::ChooseStates() {
  std::vector<HostStates::Choose> choose;
  for (const SampleOfBatch& sample : samples) {
    const StateSelection& selection = *sample.batch->selection;
    const size_t first = sample.batch->selected[sample.index], own = OwnSets(sample.targets());
    for (size_t k = 0; k < own; ++k) {
      choose.push_back(
          [&selection, t = first + k](CopyingStates& set) { selection.GetSegments(t, StateTargets::kOne, set); });
    }
    if (NumSets(sample.targets()) > own) {
      choose.push_back(
          [&selection, first](CopyingStates& set) { selection.GetSegments(first, StateTargets::kBoth, set); });
    }
  }
  states.Set(choose, window_.typed_panel().num_typed());
  states.SetOrder(targets.size(), [&](size_t t) { return targets[t].set; });
}

}  // namespace haplospin
