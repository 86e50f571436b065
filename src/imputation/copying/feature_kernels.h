// Vector arithmetic of the features, over the candidates of one interval.
#pragma once

#include <cstddef>

#include "imputation/copying/match_features.h"

namespace haplospin {

// Of the mismatches on the left and on the right of the interval, the nearest first.
struct MismatchRows {
  alignas(64) float centimorgans[kMismatches][kMaxCandidates];  // from the middle of the interval
  alignas(64) float information[kMismatches][kMaxCandidates];   // matched between it and the mismatch before
};

struct FeatureInputs {
  MismatchRows left, right;
  alignas(64) float forward[kMaxCandidates];
  alignas(64) float backward[kMaxCandidates];
  alignas(64) float log_share[kMaxCandidates];
  alignas(64) float population_log_share[kMaxCandidates];
};

// Of the first `count` candidates, a multiple of kCandidateStep.
void ComputeFeatures(const FeatureInputs& inputs, size_t count, CopyFeatures& features);

}  // namespace haplospin
