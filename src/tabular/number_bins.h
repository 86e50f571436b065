// The distribution of a number as probabilities of bins.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace haplospin {

// Bins of a standardized number, whose centers are dense around 0 and sparse in the tails, up to some ten standard
// deviations.
inline constexpr int64_t kNumberBins = 96;

// [bins], ascending.
torch::Tensor BinCenters();

// The distances between the middles of neighboring centers, [bins].
torch::Tensor BinWidths();

// Mean and standard deviation of each distribution: probabilities [n, bins] -> [n].
torch::Tensor BinMean(const torch::Tensor& probabilities);
torch::Tensor BinDeviation(const torch::Tensor& probabilities);

// The number below which each distribution has a share `quantile`, linear between centers, [n].
torch::Tensor BinQuantile(const torch::Tensor& probabilities, double quantile);

}  // namespace haplospin
