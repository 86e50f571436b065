#include "imputer_training/device/copying_batch.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "haplospin/study_genotypes.h"
#include "imputation/copying/forward_backward.h"

namespace haplospin {
namespace {

int64_t MostWords(std::span<const BatchTarget> targets) {
  size_t most = 0;
  for (const BatchTarget& target : targets) most = std::max(most, target.states->words);
  return static_cast<int64_t>(most);
}

torch::Tensor Packed(std::span<const BatchTarget> targets, int64_t num_typed, int64_t words) {
  const auto count = static_cast<int64_t>(targets.size());
  torch::Tensor packed = torch::zeros({num_typed, count, words * 8}, torch::kByte);
  auto* bytes = packed.data_ptr<uint8_t>();
  tbb::parallel_for(int64_t{0}, num_typed, [&](int64_t j) {
    for (int64_t t = 0; t < count; ++t) {
      const PackedStates& states = *targets[t].states;
      std::memcpy(bytes + (j * count + t) * words * 8, states.bits.data() + static_cast<size_t>(j) * states.words,
                  states.words * 8);
    }
  });
  return packed;
}

void CountHaplotypes(const PackedStates& states, int64_t num_states, float* haplotypes) {
  std::fill_n(haplotypes, states.size(), 1.0f);
  haplotypes[num_states] = static_cast<float>(states.num_without_state);
}

// Returns the index of the first segment of each target: [targets + 1].
std::vector<int64_t> FirstSegments(std::span<const BatchTarget> targets) {
  std::vector<int64_t> first{0};
  for (const BatchTarget& target : targets) {
    first.push_back(first.back() + static_cast<int64_t>(target.states->segments.size()));
  }
  return first;
}

}  // namespace

PackedStates::PackedStates(const CopyingStates& states, size_t num_typed)
    : num_copied(states.num_copied()), num_without_state(states.num_without_state()), words((states.size() + 63) / 64) {
  bits.reserve(num_typed * words);
  for (size_t j = 0; j < num_typed; ++j) {
    bits.insert(bits.end(), states.site_bits(j), states.site_bits(j) + words);
  }
  num_segments.reserve(states.size());
  for (size_t s = 0; s < states.size(); ++s) {
    const std::span<const StateSegment> of_state = states.segments(s);
    num_segments.push_back(static_cast<uint32_t>(of_state.size()));
    segments.insert(segments.end(), of_state.begin(), of_state.end());
  }
}

CopyingBatch::CopyingBatch(const TypedPanel& panel, std::span<const BatchTarget> targets, torch::Device device)
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
  tbb::parallel_for(int64_t{0}, num_typed, [&](int64_t j) {
    const auto marker = static_cast<size_t>(j);
    alt_frequency.data_ptr<float>()[j] = panel.frequency(marker, 1);
    if (j > 0) switching.data_ptr<float>()[j] = targets[0].model->switch_probability[marker - 1];
    for (int64_t t = 0; t < num_targets; ++t) {
      const uint8_t allele = targets[t].target->alleles[marker];
      if (allele == kMissingAllele) continue;
      const CopyingModel& model = *targets[t].model;
      const float mismatch = model.mismatch_probability;
      const int64_t at = j * num_targets + t;
      if_ref.data_ptr<float>()[at] = allele == 0 ? 1 - mismatch : mismatch;
      if_alt.data_ptr<float>()[at] = allele == 1 ? 1 - mismatch : mismatch;
      if_rest.data_ptr<float>()[at] = AlleleProbabilityOfRest(panel, model, allele, marker);
    }
  });
  for (int64_t t = 0; t < num_targets; ++t) {
    const PackedStates& states = *targets[t].states;
    CountHaplotypes(states, num_states, haplotypes.data_ptr<float>() + t * (num_states + 1));
    num_copied.data_ptr<float>()[t] = static_cast<float>(states.num_copied);
    if (states.num_without_state > 0) {
      per_rest.data_ptr<float>()[t] = 1 / static_cast<float>(states.num_without_state);
    }
  }
  for (torch::Tensor* tensor :
       {&if_ref, &if_alt, &if_rest, &haplotypes, &num_copied, &per_rest, &switching, &alt_frequency}) {
    *tensor = tensor->to(device);
  }

  SetSegments(targets);
  segment_begin_ = segment_begin_.to(device);
  segment_haplotype_ = segment_haplotype_.to(device);
}

// The first segment of a state also covers all markers before it.
void CopyingBatch::SetSegments(std::span<const BatchTarget> targets) {
  const std::vector<int64_t> first = FirstSegments(targets);
  segment_begin_ = torch::empty({first.back()}, torch::kLong);
  segment_haplotype_ = torch::empty({first.back()}, torch::kInt);
  tbb::parallel_for(int64_t{0}, num_targets, [&](int64_t t) {
    const PackedStates& states = *targets[t].states;
    const StateSegment* segment = states.segments.data();
    int64_t* begin = segment_begin_.data_ptr<int64_t>() + first[t];
    int32_t* haplotype = segment_haplotype_.data_ptr<int32_t>() + first[t];
    for (size_t s = 0; s < states.size(); ++s) {
      const int64_t from = (t * num_states + static_cast<int64_t>(s)) * (num_typed + 1);
      for (uint32_t k = 0; k < states.num_segments[s]; ++k, ++segment) {
        *begin++ = from + (k == 0 ? 0 : segment->begin);
        *haplotype++ = static_cast<int32_t>(segment->haplotype);
      }
    }
  });
}

torch::Tensor CopyingBatch::HaplotypesOf(const torch::Tensor& states, const torch::Tensor& anchors) const {
  const torch::Tensor target = torch::arange(num_targets, anchors.options()).view({1, -1, 1});
  const torch::Tensor marker = (anchors - 1).clamp_min(0).view({-1, 1, 1});  // the marker left of the interval
  const torch::Tensor at = (target * num_states + states) * (num_typed + 1) + marker;
  const torch::Tensor segment = torch::searchsorted(segment_begin_, at, /*out_int32=*/false, /*right=*/true) - 1;
  return segment_haplotype_.index_select(0, segment.flatten()).to(torch::kLong).view_as(segment);
}

}  // namespace haplospin
