#include "imputation/imputing/sample_imputer.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>

#include <algorithm>
#include <utility>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// What the versions of a sample's phase give for the haplotypes of the output.
class SampleAverages {
 public:
  SampleAverages(const WindowContext& context, size_t ploidy) : context_(context) {
    for (size_t t = 0; t < ploidy; ++t) {
      minor_[t].assign(context.marker_features.size(), 0);
      left_out_[t].assign(context.array.num_typed(), 0);
    }
  }

  // Of the haplotypes of a version.
  void Add(const PhaseVersion& version, size_t t, std::span<const float> minor, std::span<const float> left_out) {
    const WindowAlleles& alleles = context_.alleles;
    const auto weight = [&](size_t interval) { return version.weight.empty() ? 1.0f : version.weight[interval]; };
    const auto haplotype = [&](size_t interval) {
      return !version.swapped.empty() && version.swapped[interval] ? 1 - t : t;
    };
    for (const uint32_t anchor : context_.array.anchors()) {
      const float w = weight(anchor);
      std::vector<float>& sum = minor_[haplotype(anchor)];
      for (size_t m = alleles.first_marker(anchor); m < alleles.first_marker(anchor + 1); ++m) {
        sum[m - alleles.begin()] += w * minor[m - alleles.begin()];
      }
    }
    for (size_t j = 0; j < left_out.size(); ++j) left_out_[haplotype(j)][j] += weight(j) * left_out[j];
  }

  // As probabilities of ALT; given alleles are kept.
  void Write(const TargetHaplotype& target, size_t t, size_t haplotype, WindowDosages& dosages) {
    const WindowAlleles& alleles = context_.alleles;
    std::vector<float>& p = minor_[t];
    for (size_t m = alleles.begin(); m < alleles.end(); ++m) {
      const uint8_t given = alleles.GivenAllele(target, m);
      float& alt = p[m - alleles.begin()];
      if (!alleles.minor_is_alt(m)) alt = 1 - alt;
      if (given != kMissingAllele) alt = given;
    }
    dosages.alt.SetRow(haplotype, p);
    std::vector<float> left_out;
    left_out.reserve(dosages.left_out_markers.size());
    for (const uint32_t m : dosages.left_out_markers) left_out.push_back(left_out_[t][alleles.typed_index(m)]);
    dosages.left_out.SetRow(haplotype, left_out);
  }

 private:
  const WindowContext& context_;
  std::array<std::vector<float>, 2> minor_;     // [haplotypes][markers]
  std::array<std::vector<float>, 2> left_out_;  // [haplotypes][typed]
};

}  // namespace

// While a group is imputed, the next one is prepared, and what was found for the one before is written.
void SampleImputer::Impute(std::span<const WindowSample> samples, const StateSelection& selection,
                           const std::function<void(size_t)>& finished, WindowDosages& dosages) {
  auto& [first, second, third] = groups_;
  Group *before = &first, *now = &second, *next = &third;
  const auto write = [&](const Group& group) {
    WriteAll(group, dosages);
    for (const WindowSample& sample : group.samples) finished(static_cast<size_t>(&sample - samples.data()));
  };
  before->samples = {};
  std::span<const WindowSample> left = samples;
  for (Prepare(left, selection, *now); !now->samples.empty(); std::swap(now, next)) {
    left = left.subspan(now->samples.size());
    if (before->samples.empty() && left.empty()) {  // maybe one of many threads: it must not take on other samples here
      imputer_->Impute(*now->prepared);
    } else {
      tbb::parallel_invoke([&] { imputer_->Impute(*now->prepared); }, [&] { Prepare(left, selection, *next); },
                           [&] { write(*before); });
    }
    std::swap(before, now);
  }
  write(*before);
}

void SampleImputer::Prepare(std::span<const WindowSample> left, const StateSelection& selection, Group& group) {
  group.samples = left.first(left.empty() ? 0 : CountNext(left));
  if (left.empty()) return;
  MakeTasks(group);
  group.prepared = imputer_->Prepare(selection, group.tasks);
}

// As many of the samples as the imputer wants, but at least one.
size_t SampleImputer::CountNext(std::span<const WindowSample> samples) const {
  size_t count = 1, targets = samples[0].num_targets();
  while (count < samples.size() && targets + samples[count].num_targets() <= imputer_->max_targets()) {
    targets += samples[count++].num_targets();
  }
  return count;
}

void SampleImputer::MakeTasks(Group& group) const {
  auto& [samples, found, tasks, prepared] = group;
  tasks.clear();
  for (size_t s = 0; s < samples.size(); ++s) {
    const WindowSample& sample = samples[s];
    for (size_t k = 0; k < sample.num_targets(); ++k) {
      const bool is_other_version = k >= sample.ploidy();
      const bool has_states_of_both = is_other_version || sample.targets->IsCorrected();
      if (found.size() <= tasks.size()) {
        found.push_back(
            {std::vector<float>(context_.marker_features.size()), std::vector<float>(context_.array.num_typed())});
      }
      tasks.push_back({.target = &sample.haplotype(k),
                       .model = sample.model,
                       .sample = s,
                       .is_other_version = is_other_version,
                       .selected = sample.first_selected + (has_states_of_both ? 0 : k),
                       .has_states_of_both = has_states_of_both,
                       .weight = sample.version(k).weight});
    }
  }
  for (size_t k = 0; k < tasks.size(); ++k) {  // the rows are where they will be
    tasks[k].minor_probability = found[k].minor_probability;
    tasks[k].left_out = found[k].left_out;
  }
}

void SampleImputer::WriteAll(const Group& group, WindowDosages& dosages) const {
  const std::span<const WindowSample> samples = group.samples;
  if (samples.size() == 1) {  // maybe one of many threads: a parallel loop could take on other samples
    Write(samples[0], group.found, dosages);
    return;
  }
  std::vector<size_t> first_target(samples.size());
  for (size_t s = 1; s < samples.size(); ++s) first_target[s] = first_target[s - 1] + samples[s - 1].num_targets();
  tbb::parallel_for(size_t{0}, samples.size(), [&](size_t s) {
    Write(samples[s], std::span(group.found).subspan(first_target[s], samples[s].num_targets()), dosages);
  });
}

void SampleImputer::Write(const WindowSample& sample, std::span<const Found> found, WindowDosages& dosages) const {
  SampleAverages averages(context_, sample.ploidy());
  for (size_t k = 0; k < sample.num_targets(); ++k) {
    averages.Add(sample.version(k), k % sample.ploidy(), found[k].minor_probability, found[k].left_out);
  }
  for (size_t t = 0; t < sample.ploidy(); ++t) {
    averages.Write(sample.targets->output()[t], t, sample.first_haplotype + t, dosages);
  }
}

}  // namespace haplospin
