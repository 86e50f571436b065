// The shares of panel samples in what study samples copy (imputation/copying/ancestry.h), for many study samples at the
// same time, as tensors on any device.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "imputer_training/device/candidate_features.h"
#include "imputer_training/device/window_tensors.h"

namespace haplospin {

// The targets of a group of study samples.
struct TargetSamples {
  torch::Tensor sample;            // [T] int64
  torch::Tensor is_most_probable;  // [T] 1 for haplotypes of the most probable phase, else 0
  int64_t num_samples;
};

// Sets sample_share and population_share of the candidates.
void AddSampleShares(const WindowTensors& window, const TargetSamples& targets, CandidateTensors& candidates);

}  // namespace haplospin
