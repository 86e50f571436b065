// A distribution of a number as probabilities of bins.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace haplospin {

// Of standardized numbers: bins whose centers are dense around 0 and sparse in the tails, up to some ten standard
// deviations. A number between two centers belongs to both in part, so that the mean of a distribution can be any
// number.
inline constexpr int64_t kNumberBins = 96;

// [bins], ascending.
torch::Tensor BinCenters();

// [bins]: of the intervals between the middles of neighboring centers.
torch::Tensor BinWidths();

// [n] -> [n, bins]: the shares of the two centers around each number, which sum to 1.
torch::Tensor BinShares(const torch::Tensor& numbers);

// Of probabilities [n, bins], each [n].
torch::Tensor BinMean(const torch::Tensor& probabilities);
torch::Tensor BinDeviation(const torch::Tensor& probabilities);

// The number below which the distribution has a share `quantile`, linear between centers, [n].
torch::Tensor BinQuantile(const torch::Tensor& probabilities, double quantile);

}  // namespace haplospin
