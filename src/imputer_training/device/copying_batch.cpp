#include "imputer_training/device/copying_batch.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "haplospin/study_genotypes.h"
#include "imputation/copying/forward_backward.h"

namespace haplospin {
namespace {

int64_t Words(const BatchTarget& target) { return static_cast<int64_t>((target.states->size() + 63) / 64); }

int64_t MostWords(std::span<const BatchTarget> targets) {
  int64_t most = 0;
  for (const BatchTarget& target : targets) most = std::max(most, Words(target));
  return most;
}

torch::Tensor Packed(std::span<const BatchTarget> targets, int64_t num_typed, int64_t words) {
  const auto count = static_cast<int64_t>(targets.size());
  torch::Tensor packed = torch::zeros({num_typed, count, words * 8}, torch::kByte);
  auto* bytes = packed.data_ptr<uint8_t>();
  tbb::parallel_for(int64_t{0}, num_typed, [&](int64_t j) {
    for (int64_t t = 0; t < count; ++t) {
      std::memcpy(bytes + (j * count + t) * words * 8, targets[t].states->site_bits(static_cast<size_t>(j)),
                  static_cast<size_t>(Words(targets[t])) * 8);
    }
  });
  return packed;
}

void CountHaplotypes(const CopyingStates& states, int64_t num_states, float* haplotypes) {
  std::fill_n(haplotypes, states.size(), 1.0f);
  haplotypes[num_states] = static_cast<float>(states.num_without_state());
}

// visit(typed marker, haplotype); the first segment stands for all markers before it, too.
template <typename Visit>
void ForEachSegment(const CopyingStates& states, size_t s, const Visit& visit) {
  const std::span<const StateSegment> segments = states.segments(s);
  for (size_t k = 0; k < segments.size(); ++k) visit(k == 0 ? 0 : segments[k].begin, segments[k].haplotype);
}

}  // namespace

CopyingBatch::CopyingBatch(const TypedPanel& panel, const CopyingModel& model, std::span<const BatchTarget> targets,
                           torch::Device device)
    : num_typed(static_cast<int64_t>(panel.num_typed())),
      num_targets(static_cast<int64_t>(targets.size())),
      num_states(MostWords(targets) * 64),
      packed(Packed(targets, num_typed, num_states / 64).to(device)),
      if_ref(torch::ones({num_typed, num_targets, 1})),
      if_alt(torch::ones({num_typed, num_targets, 1})),
      if_rest(torch::ones({num_typed, num_targets, 1})),
      haplotypes(torch::zeros({num_targets, num_states + 1})),
      num_copied(torch::empty({num_targets, 1})),
      per_rest(torch::zeros({num_targets})),
      switching(torch::zeros({num_typed + 1, 1, 1})),
      alt_frequency(torch::empty({num_typed, 1})) {
  const float mismatch = model.mismatch_probability;
  for (int64_t j = 0; j < num_typed; ++j) {
    const auto marker = static_cast<size_t>(j);
    alt_frequency.data_ptr<float>()[j] = panel.frequency(marker, 1);
    if (j > 0) switching.data_ptr<float>()[j] = model.switch_probability[marker - 1];
    const float of_rest[2] = {AlleleProbabilityOfRest(panel, model, 0, marker),
                              AlleleProbabilityOfRest(panel, model, 1, marker)};
    for (int64_t t = 0; t < num_targets; ++t) {
      const uint8_t allele = targets[t].target->alleles[marker];
      if (allele == kMissingAllele) continue;
      const int64_t at = j * num_targets + t;
      if_ref.data_ptr<float>()[at] = allele == 0 ? 1 - mismatch : mismatch;
      if_alt.data_ptr<float>()[at] = allele == 1 ? 1 - mismatch : mismatch;
      if_rest.data_ptr<float>()[at] = of_rest[allele];
    }
  }
  for (int64_t t = 0; t < num_targets; ++t) {
    const CopyingStates& states = *targets[t].states;
    CountHaplotypes(states, num_states, haplotypes.data_ptr<float>() + t * (num_states + 1));
    num_copied.data_ptr<float>()[t] = static_cast<float>(states.num_copied());
    const size_t rest = states.num_without_state();
    if (rest > 0) per_rest.data_ptr<float>()[t] = 1 / static_cast<float>(rest);
  }
  for (torch::Tensor* tensor :
       {&if_ref, &if_alt, &if_rest, &haplotypes, &num_copied, &per_rest, &switching, &alt_frequency}) {
    *tensor = tensor->to(device);
  }

  std::vector<int64_t> begin, haplotype;
  for (int64_t t = 0; t < num_targets; ++t) {
    const CopyingStates& states = *targets[t].states;
    for (size_t s = 0; s < states.size(); ++s) {
      const int64_t from = (t * num_states + static_cast<int64_t>(s)) * (num_typed + 1);
      ForEachSegment(states, s, [&](size_t marker, uint32_t h) {
        begin.push_back(from + static_cast<int64_t>(marker));
        haplotype.push_back(h);
      });
    }
  }
  segment_begin_ = torch::tensor(begin, torch::kLong).to(device);
  segment_haplotype_ = torch::tensor(haplotype, torch::kLong).to(device);
}

torch::Tensor CopyingBatch::HaplotypesOf(const torch::Tensor& states, const torch::Tensor& anchors) const {
  const torch::Tensor target = torch::arange(num_targets, anchors.options()).view({1, -1, 1});
  const torch::Tensor marker = (anchors - 1).clamp_min(0).view({-1, 1, 1});  // on the left of the interval
  const torch::Tensor at = (target * num_states + states) * (num_typed + 1) + marker;
  const torch::Tensor segment = torch::searchsorted(segment_begin_, at, /*out_int32=*/false, /*right=*/true) - 1;
  return segment_haplotype_.index_select(0, segment.flatten()).view_as(segment);
}

}  // namespace haplospin
