#include "tabular/number_bins.h"

#include <cmath>

namespace haplospin {
namespace {

constexpr double kSpread = 1.2, kEnd = 2.9;  // the outermost centers are at kSpread sinh(kEnd), 10.9

}  // namespace

torch::Tensor BinCenters() {
  return torch::linspace(-kEnd, kEnd, kNumberBins, torch::kFloat64).sinh().mul(kSpread).to(torch::kFloat32);
}

torch::Tensor BinWidths() {
  const torch::Tensor steps = BinCenters().diff();
  return (torch::cat({steps.narrow(0, 0, 1), steps}) + torch::cat({steps, steps.narrow(0, kNumberBins - 2, 1)})) / 2;
}

torch::Tensor BinMean(const torch::Tensor& probabilities) {
  return probabilities.matmul(BinCenters().to(probabilities.device()));
}

torch::Tensor BinDeviation(const torch::Tensor& probabilities) {
  const torch::Tensor centers = BinCenters().to(probabilities.device());
  const torch::Tensor from_mean = centers.unsqueeze(0) - BinMean(probabilities).unsqueeze(1);
  return (probabilities * from_mean.square()).sum(1).sqrt();
}

torch::Tensor BinQuantile(const torch::Tensor& probabilities, double quantile) {
  const torch::Tensor centers = BinCenters().to(probabilities.device());
  // Half of a bin's probability lies below its center.
  const torch::Tensor below = (probabilities.cumsum(1) - probabilities / 2).contiguous();
  const torch::Tensor at = torch::full({probabilities.size(0), 1}, quantile, probabilities.options());
  const torch::Tensor above = torch::searchsorted(below, at).clamp(1, kNumberBins - 1);
  const torch::Tensor from = below.gather(1, above - 1), to = below.gather(1, above);
  const torch::Tensor share = ((at - from) / (to - from).clamp_min(1e-12)).clamp(0.0, 1.0).squeeze(1);
  const torch::Tensor low = centers.index_select(0, (above - 1).squeeze(1));
  const torch::Tensor high = centers.index_select(0, above.squeeze(1));
  return low + share * (high - low);
}

}  // namespace haplospin
