#include "learning/processes/task_source.h"

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr double kHalfRange = 2;  // context inputs of the simulated tasks

torch::Tensor Row(const std::vector<double>& values) { return torch::tensor(values, torch::kFloat64); }

std::vector<double> ToVector(const torch::Tensor& row) {
  const torch::Tensor values = row.to(torch::kFloat64).contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

}  // namespace

Prediction TaskSource::DrawOracle(int64_t, RandomStream&) const {
  throw InputError("only tasks of Gaussian processes (--task gp) have an oracle; choose another --model");
}

RandomStream BatchStream(uint64_t seed, TaskStream stream, int64_t batch) {
  return RandomStream(seed, {static_cast<uint64_t>(stream), static_cast<uint64_t>(batch)});
}

torch::Tensor DataScaling::ScaleX(const torch::Tensor& x) const {
  return ((x - Row(x_center)) / Row(x_scale)).to(torch::kFloat32);
}

torch::Tensor DataScaling::ScaleY(const torch::Tensor& y) const {
  return ((y - Row(y_center)) / Row(y_scale)).to(torch::kFloat32);
}

ProcessTasks DataScaling::ScaledTask(const torch::Tensor& context_x, const torch::Tensor& context_y,
                                     const torch::Tensor& target_x) const {
  return {ScaleX(context_x).unsqueeze(0), ScaleY(context_y).unsqueeze(0), ScaleX(target_x).unsqueeze(0), {}};
}

torch::Tensor DataScaling::UnscaleY(const torch::Tensor& y) const {
  return y.to(torch::kFloat64) * Row(y_scale) + Row(y_center);
}

Prediction DataScaling::Unscale(const Prediction& prediction) const {
  return {UnscaleY(prediction.mean), prediction.sd.to(torch::kFloat64) * Row(y_scale)};
}

bool Varies(double spread, double size) { return spread > 1e-12 * std::max(1e-300, std::abs(size)); }

DataScaling ScaleContext(const torch::Tensor& context_x, const torch::Tensor& context_y, const torch::Tensor& target_x,
                         const DataScaling* all_scaling) {
  constexpr int64_t kMinPoints = 3;
  const int64_t m = context_x.size(0), dy = context_y.size(1);
  if (all_scaling != nullptr && m < kMinPoints) return *all_scaling;
  DataScaling scaling;
  for (int64_t c = 0; c < context_x.size(1); ++c) {
    double low = 0, high = 0;
    for (const torch::Tensor& points : {context_x, target_x}) {
      if (points.size(0) == 0 || Varies(high - low, high)) continue;
      low = points.select(1, c).min().item<double>();
      high = points.select(1, c).max().item<double>();
    }
    scaling.x_center.push_back(0.5 * (low + high));
    scaling.x_scale.push_back(Varies(high - low, high) ? (high - low) / (2 * kHalfRange) : 1);
  }
  scaling.y_center.assign(static_cast<size_t>(dy), 0.0);
  scaling.y_scale.assign(static_cast<size_t>(dy), 1.0);
  if (m == 0) return scaling;
  scaling.y_center = ToVector(context_y.mean(0));
  const std::vector<double> sd = ToVector((context_y - context_y.mean(0)).square().mean(0).sqrt());
  for (size_t c = 0; c < sd.size(); ++c) {
    if (Varies(sd[c], scaling.y_center[c])) scaling.y_scale[c] = sd[c];
  }
  return scaling;
}

}  // namespace haplospin
