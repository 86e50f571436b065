#include "processes/gp_tasks.h"

#include <cmath>
#include <utility>

#include "haplospin/errors.h"

namespace haplospin {

GpTaskOptions GpTaskOptions::Ipnp() {
  GpTaskOptions options;
  options.kernels = {GpKernel::kSquaredExponential};
  options.lengthscale = {0.1, 0.6};
  options.log_uniform_lengthscale = false;
  options.scale = {0.1, 1};
  options.noise = 0.02;
  options.context = {64, 128};
  options.targets = {4, 64};
  options.target_x = {-2, 2};
  return options;
}

GpTasks::GpTasks(GpTaskOptions options) : options_(std::move(options)) {
  const auto& o = options_;
  if (o.kernels.empty() || !(o.lengthscale.low > 0) || o.lengthscale.high < o.lengthscale.low || !(o.scale.low > 0) ||
      o.scale.high < o.scale.low || !(o.noise > 0) || o.context.low < 0 || o.context.high < o.context.low ||
      o.targets.low < 1 || o.targets.high < o.targets.low || o.context_x.high < o.context_x.low ||
      o.target_x.high < o.target_x.low) {
    throw InputError(
        "tasks of Gaussian processes need a kernel, lengthscales, scales and a noise above 0, at least one target, and "
        "ranges whose low end is not above the high one");
  }
}

GpParameters GpTasks::DrawParameters(RandomStream& random) const {
  GpParameters p;
  p.kernel = options_.kernels[random.UniformInt(options_.kernels.size())];
  const RealRange& range = options_.lengthscale;
  p.lengthscale = {options_.log_uniform_lengthscale
                       ? std::exp(RealRange{std::log(range.low), std::log(range.high)}.Draw(random))
                       : range.Draw(random)};
  const double scale = options_.scale.Draw(random);
  p.variance = scale * scale;
  p.noise = options_.noise;
  return p;
}

torch::Tensor GpTasks::DrawInputs(int64_t count, int64_t points, const RealRange& range, RandomStream& random) const {
  torch::Tensor x = torch::empty({count, points, 1}, torch::kFloat64);
  double* values = x.data_ptr<double>();
  for (int64_t i = 0; i < count * points; ++i) {
    double value = range.Draw(random);
    if (options_.bimodal) value = (random.Bernoulli(0.5) ? 1 : -1) * RealRange{1, 4}.Draw(random);
    values[i] = value + options_.shift;
  }
  return x;
}

GpTasks::Drawn GpTasks::DrawBatch(int64_t count, RandomStream& random) const {
  const int64_t m = options_.context.Draw(random), n = options_.targets.Draw(random);
  const torch::Tensor x = torch::cat(
      {DrawInputs(count, m, options_.context_x, random), DrawInputs(count, n, options_.target_x, random)}, 1);
  std::vector<GpParameters> parameters;
  for (int64_t b = 0; b < count; ++b) parameters.push_back(DrawParameters(random));
  std::vector<torch::Tensor> outputs;
  const torch::Tensor eye = torch::eye(m + n, torch::kFloat64);
  for (int64_t b = 0; b < count; ++b) {  // one after the other, for covariances are large
    const GpParameters& p = parameters[static_cast<size_t>(b)];
    const torch::Tensor factor = StableCholesky(GpCovariance(p, x[b], x[b]) + p.noise * p.noise * eye);
    torch::Tensor normal = torch::empty({m + n, 1}, torch::kFloat64);
    double* values = normal.data_ptr<double>();
    for (int64_t i = 0; i < m + n; ++i) values[i] = random.Normal();
    outputs.push_back(torch::matmul(factor, normal));
  }
  const torch::Tensor y = torch::stack(outputs);
  return {{x.narrow(1, 0, m), y.narrow(1, 0, m), x.narrow(1, m, n), y.narrow(1, m, n)}, std::move(parameters)};
}

std::vector<ProcessTasks> GpTasks::Draw(int64_t count, RandomStream& random) const {
  const ProcessTasks tasks = DrawBatch(count, random).tasks;
  const auto as_float = [](const torch::Tensor& tensor) { return tensor.to(torch::kFloat32).contiguous(); };
  return {{as_float(tasks.context_x), as_float(tasks.context_y), as_float(tasks.target_x), as_float(tasks.target_y)}};
}

Prediction GpTasks::DrawOracle(int64_t count, RandomStream& random) const {
  const Drawn drawn = DrawBatch(count, random);
  std::vector<torch::Tensor> means, sds;
  for (int64_t b = 0; b < count; ++b) {
    const ProcessTasks& tasks = drawn.tasks;
    const Prediction one = GpPosterior(drawn.parameters[b], tasks.context_x[b], tasks.context_y[b], tasks.target_x[b]);
    means.push_back(one.mean);
    sds.push_back(one.sd);
  }
  return {torch::cat(means, 1).to(torch::kFloat32), torch::cat(sds, 1).to(torch::kFloat32)};
}

}  // namespace haplospin
