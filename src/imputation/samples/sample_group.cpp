#include "imputation/samples/sample_group.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>

#include "core/threads.h"

namespace haplospin {
namespace {

constexpr size_t kMaxGroup = 64;  // samples

// Samples that the network computes together, whatever thread comes to them: the result must not depend on it.
constexpr size_t kSamplesOfNetwork = 4;

size_t BytesOfTarget(const TypedPanel& array, const CopyingOptions& copying) {
  constexpr size_t kOfCandidate = sizeof(uint32_t) + 2 * sizeof(float);
  constexpr size_t kOfHaplotype = 2 * sizeof(uint32_t);  // workspace of CopyingStates
  return array.num_intervals() * kMaxCandidates * kOfCandidate + array.num_typed() * copying.states.max_states / 8 +
         array.num_haplotypes() * kOfHaplotype;
}

}  // namespace

void SampleGroup::Impute(std::span<const WindowSample> samples, const StateSelection& selection,
                         SampleImputers& imputers, const std::function<void(size_t)>& finished,
                         WindowDosages& dosages) {
  for (size_t begin = 0; begin < samples.size();) {
    const std::span<const WindowSample> group = samples.subspan(begin, CountNext(samples.subspan(begin)));
    ChooseStates(group, selection);
    FindCandidates(group);
    tbb::parallel_for(size_t{0}, group.size(), kSamplesOfNetwork, [&](size_t first) {
      const size_t count = std::min(kSamplesOfNetwork, group.size() - first);
      imputers.local().Impute(group.subspan(first, count), std::span(found_).subspan(first, count), dosages);
      for (size_t s = first; s < first + count; ++s) finished(begin + s);
    });
    begin += group.size();
  }
}

// As many of the samples as the limits allow, but at least one.
size_t SampleGroup::CountNext(std::span<const WindowSample> samples) const {
  const size_t max_targets = context_.network.max_search_bytes() / BytesOfTarget(context_.array, context_.copying);
  size_t count = 1, targets = samples[0].num_targets();
  while (count < std::min(samples.size(), kMaxGroup) && targets + samples[count].num_targets() <= max_targets) {
    targets += samples[count++].num_targets();
  }
  return count;
}

void SampleGroup::ChooseStates(std::span<const WindowSample> samples, const StateSelection& selection) {
  if (states_.size() < samples.size()) states_.resize(samples.size());
  tbb::parallel_for(size_t{0}, samples.size(), [&](size_t s) {
    const StageTimer timer(context_.times.states);
    const WindowSample& sample = samples[s];
    for (size_t t = 0; t < sample.ploidy(); ++t) selection.Get(sample.first_selected + t, states_[s][t]);
    if (sample.targets->versions.size() > 1) selection.GetForBoth(sample.first_selected, states_[s][2]);
  });
}

void SampleGroup::FindCandidates(std::span<const WindowSample> samples) {
  const StageTimer timer(context_.times.recursions, Threads());
  if (found_.size() < samples.size()) found_.resize(samples.size());
  std::vector<CandidateTask> tasks;
  for (size_t s = 0; s < samples.size(); ++s) {
    const WindowSample& sample = samples[s];
    SampleCandidates& found = found_[s];
    found.Reserve(sample.num_targets(), context_.array.num_typed());
    for (size_t k = 0; k < sample.num_targets(); ++k) {
      tasks.push_back({&sample.haplotype(k), &states_[s][k < sample.ploidy() ? k : 2], &found.candidates[k],
                       found.left_out[k], sample.version(k).weight});
    }
  }
  search_.Find(context_.array, context_.model, context_.copying.min_product, tasks);
}

}  // namespace haplospin
