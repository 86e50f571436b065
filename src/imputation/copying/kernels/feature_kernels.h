// Vector arithmetic of the features, over the candidates of one interval.
#pragma once

#include <cstddef>
#include <cstdint>

#include "imputation/copying/match_features.h"

namespace haplospin {

struct FeatureInputs {
  // Nearest mismatches on either side, as indices of typed markers: left ones from -1, right ones up to m.
  alignas(64) int32_t left[kMismatches][kMaxCandidates];
  alignas(64) int32_t right[kMismatches][kMaxCandidates];
  alignas(64) float forward[kMaxCandidates];
  alignas(64) float backward[kMaxCandidates];
  alignas(64) float log_share[kMaxCandidates];
  alignas(64) float population_log_share[kMaxCandidates];
  const float* centimorgans;  // [m + 2] with sentinels
  const float* information;   // [m + 1]
  int32_t interval;
  int32_t num_typed;
};

// Of the first `count` candidates, a multiple of kCandidateStep.
void ComputeFeatures(const FeatureInputs& inputs, size_t count, CopyFeatures& features);

}  // namespace haplospin
