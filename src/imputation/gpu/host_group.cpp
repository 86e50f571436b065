#include "imputation/gpu/host_group.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <utility>

#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Sets of states of a sample: one for each haplotype of the phase that was given, one for all other targets.
size_t OwnSets(const SampleTargets& sample) { return sample.IsCorrected() ? 0 : sample.ploidy(); }
size_t NumSets(const SampleTargets& sample) {
  return OwnSets(sample) + (sample.num_targets() > OwnSets(sample) ? 1 : 0);
}

bool HasWeights(const SampleTargets& sample) {
  return !sample.versions[0].weight.empty() || !sample.versions[0].swapped.empty();
}

}  // namespace

HostGroup::HostGroup(Device& device, const PanelWindow& window)
    : targets(device),
      rows(device),
      sets(device),
      first_segment(device),
      segments(device),
      alleles(device),
      bits(device),
      observed(device),
      information(device),
      version_weight(device),
      version_swapped(device),
      order(device),
      output_alleles(device),
      alt_rows(device),
      left_out_rows(device),
      window_(window) {
  for (const uint32_t m : window.typed_markers()) {
    if (window.wanted().Contains(m)) left_out.push_back(static_cast<uint32_t>(window.alleles().typed_index(m)));
  }
}

void HostGroup::Set(std::vector<SampleOfBatch> of_batches) {
  samples = std::move(of_batches);
  first_set_.clear();
  size_t num_sets = 0;
  for (const SampleOfBatch& sample : samples) {
    first_set_.push_back(num_sets);
    num_sets += NumSets(sample.targets());
  }
  SetTargets();
  SetStates(ChooseStates(num_sets));
  SetOrder();
  alt_rows.Resize(num_rows * window_.wanted().size());
  left_out_rows.Resize(num_rows * left_out.size());
}

void HostGroup::SetTargets() {
  const TypedPanel& panel = window_.typed_panel();
  const size_t typed = panel.num_typed(), words = panel.rows().words();
  size_t num_targets = 0, num_versions = 0;
  num_rows = 0;
  rows.Resize(samples.size());
  std::vector<size_t> first_version;
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
    num_targets += sample.num_targets();
    num_rows += sample.ploidy();
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
      SetTarget(samples[s], k, rows[s].first_target + k, s, first_version[s] + k / sample.ploidy());
    }
    for (size_t t = 0; t < sample.ploidy(); ++t) {
      std::ranges::copy(sample.output()[t].alleles, output_alleles.data() + (rows[s].first_row + t) * typed);
    }
  });
}

// `t`, `s` and `version` are the indices of the target, its sample and its version in the group.
void HostGroup::SetTarget(const SampleOfBatch& sample, size_t k, size_t t, size_t s, size_t version) {
  const TypedPanel& panel = window_.typed_panel();
  const size_t typed = panel.num_typed(), words = panel.rows().words();
  const TargetHaplotype& haplotype = sample.targets().haplotype(k);
  const bool has_weights = HasWeights(sample.targets());
  targets[t] = {.sample = static_cast<uint32_t>(s),
                .set = static_cast<uint32_t>(first_set_[s] + std::min(k, OwnSets(sample.targets()))),
                .version = has_weights ? static_cast<uint32_t>(version) : kernels::kNone,
                .mismatch_probability = sample.batch->model.mismatch_probability};
  std::ranges::copy(haplotype.alleles, alleles.data() + t * typed);
  std::copy_n(haplotype.bits.begin(), words, bits.data() + t * words);
  std::copy_n(haplotype.observed.begin(), words, observed.data() + t * words);
  float* seen = information.data() + t * (typed + 1);
  seen[0] = 0;
  for (size_t j = 0; j < typed; ++j) {
    const uint8_t allele = haplotype.alleles[j];
    seen[j + 1] = seen[j] + (allele == kMissingAllele ? 0 : panel.information(j, allele));
  }
  if (!has_weights || k % sample.targets().ploidy() != 0) return;
  const PhaseVersion& of = sample.targets().version(k);
  for (size_t i = 0; i <= typed; ++i) {
    version_weight[version * (typed + 1) + i] = of.weight.empty() ? 1 : of.weight[i];
    version_swapped[version * (typed + 1) + i] = !of.swapped.empty() && of.swapped[i] ? 1 : 0;
  }
}

std::vector<HostGroup::States> HostGroup::ChooseStates(size_t num_sets) {
  std::vector<States> chosen(num_sets);
  tbb::parallel_for(size_t{0}, samples.size(), [&](size_t s) {
    const auto& [batch, index] = samples[s];
    CopyingStates& states = workspaces_.local();
    for (size_t k = 0; k < NumSets(samples[s].targets()); ++k) {
      if (k < OwnSets(samples[s].targets())) {
        batch->selection->GetSegments(batch->selected[index] + k, states);
      } else {
        batch->selection->GetSegmentsForBoth(batch->selected[index], states);
      }
      States& set = chosen[first_set_[s] + k];
      set.num_copied = states.num_copied();
      for (size_t state = 0; state < states.size(); ++state) {
        set.first_segment.push_back(static_cast<uint32_t>(set.segments.size()));
        for (const StateSegment& segment : states.segments(state)) {
          set.segments.push_back({segment.begin, segment.haplotype});
        }
      }
      set.first_segment.push_back(static_cast<uint32_t>(set.segments.size()));
    }
  });
  return chosen;
}

void HostGroup::SetStates(const std::vector<States>& chosen) {
  const size_t blocks = kernels::WordsOf(static_cast<uint32_t>(window_.typed_panel().num_typed()));
  sets.Resize(chosen.size());
  size_t num_states = 0, num_segments = 0;
  state_words = 0;
  std::vector<size_t> first_of_set;
  for (size_t k = 0; k < chosen.size(); ++k) {
    const size_t count = chosen[k].first_segment.size() - 1;
    const auto warps = static_cast<uint32_t>((count + kernels::kStatesOfWarp - 1) / kernels::kStatesOfWarp);
    HS_ASSERT(warps <= kernels::kMaxWarps);
    sets[k] = {.first_bits = state_words,
               .first_state = static_cast<uint32_t>(num_states),
               .num_states = static_cast<uint32_t>(count),
               .num_copied = static_cast<uint32_t>(chosen[k].num_copied),
               .warps = warps};
    first_of_set.push_back(num_segments);
    num_states += count + 1;
    num_segments += chosen[k].segments.size();
    state_words += blocks * warps * kernels::kStatesOfWarp;
  }
  first_segment.Resize(num_states);
  segments.Resize(num_segments);
  tbb::parallel_for(size_t{0}, chosen.size(), [&](size_t k) {
    const auto offset = static_cast<uint32_t>(first_of_set[k]);
    std::ranges::transform(chosen[k].first_segment, first_segment.data() + sets[k].first_state,
                           [&](uint32_t first) { return first + offset; });
    std::ranges::copy(chosen[k].segments, segments.data() + offset);
  });
}

void HostGroup::SetOrder() {
  order.Resize(targets.size());
  size_t next = 0;
  for (uint32_t warps = 1; warps <= kernels::kMaxWarps; ++warps) {
    for (size_t t = 0; t < targets.size(); ++t) {
      if (sets[targets[t].set].warps == warps) order[next++] = static_cast<uint32_t>(t);
    }
    warp_ends[warps - 1] = next;
  }
}

}  // namespace haplospin
