#include "learning/processes/gp_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "haplospin/errors.h"
#include "learning/processes/gaussian_process.h"
#include "learning/processes/gp_posterior.h"
#include "learning/processes/task_source.h"

namespace haplospin {
namespace {

constexpr double kMaxStandardized = 10;
constexpr int kMaxDraws = 1000, kParameterDraws = 50;
constexpr int64_t kMaxDifferences = int64_t{1} << 24;  // 128 MB

double DrawLogUniform(const RealRange& range, RandomStream& random) {
  return std::exp(RealRange{std::log(range.low), std::log(range.high)}.Draw(random));
}

// Stretches each input [count, m, dx] of each task to the whole range.
torch::Tensor StretchTo(const RealRange& range, const torch::Tensor& x) {
  const torch::Tensor low = x.amin({1}, /*keepdim=*/true), high = x.amax({1}, /*keepdim=*/true);
  return range.low + (range.high - range.low) * (x - low) / (high - low);
}

}  // namespace

GpTaskOptions GpTaskOptions::Ipnp() {
  GpTaskOptions options;
  options.kernels = {GpKernel::kSquaredExponential};
  options.lengthscale = {0.1, 0.6};
  options.log_uniform_lengthscale = false;
  options.scale = {0.1, 1};
  options.noise = {0.02, 0.02};
  options.context = {64, 128};
  options.targets = {4, 64};
  options.target_x = {-2, 2};
  return options;
}

GpTasks::GpTasks(GpTaskOptions options) : options_(std::move(options)) {
  const auto& o = options_;
  if (o.kernels.empty() || !(o.lengthscale.low > 0) || o.lengthscale.high < o.lengthscale.low || !(o.scale.low > 0) ||
      o.scale.high < o.scale.low || !(o.noise.low > 0) || o.noise.high < o.noise.low || o.inputs < 1 ||
      o.context.low < 0 || o.context.high < o.context.low || o.targets.low < 1 || o.targets.high < o.targets.low ||
      o.context_x.high < o.context_x.low || o.target_x.high < o.target_x.low) {
    throw InputError(
        "tasks of Gaussian processes need a kernel, lengthscales, scales and a noise above 0, at least one target, and "
        "ranges whose low end is not above the high one");
  }
  if (o.standardize && (o.bimodal || o.shift != 0 || o.context_x.high == o.context_x.low)) {
    throw InputError(
        "--standardize moves the inputs of the context to the range --context-x, which must not be empty; "
        "omit --bimodal and --shift");
  }
}

GpParameters GpTasks::DrawParameters(RandomStream& random) const {
  GpParameters p;
  p.kernel = options_.kernels[random.UniformInt(options_.kernels.size())];
  p.lengthscale.clear();
  for (int64_t i = 0; i < options_.inputs; ++i) {
    p.lengthscale.push_back(options_.log_uniform_lengthscale ? DrawLogUniform(options_.lengthscale, random)
                                                             : options_.lengthscale.Draw(random));
  }
  const double scale = options_.scale.Draw(random);
  p.variance = scale * scale;
  p.noise = options_.noise.low < options_.noise.high ? DrawLogUniform(options_.noise, random) : options_.noise.low;
  return p;
}

torch::Tensor GpTasks::DrawInputs(int64_t count, int64_t points, const RealRange& range, RandomStream& random) const {
  torch::Tensor x = torch::empty({count, points, dx()}, torch::kFloat64);
  double* values = x.data_ptr<double>();
  for (int64_t i = 0; i < x.numel(); ++i) {
    double value = range.Draw(random);
    if (options_.bimodal) value = (random.Bernoulli(0.5) ? 1 : -1) * RealRange{1, 4}.Draw(random);
    values[i] = value + options_.shift;
  }
  return x;
}

// Takes on the outputs [left, points, 1] of these functions, and returns those that are far from their context.
std::vector<int64_t> GpTasks::SetOutputs(const torch::Tensor& y, int64_t context, std::span<const int64_t> left,
                                         std::span<Function> functions) const {
  for (size_t k = 0; k < left.size(); ++k) functions[static_cast<size_t>(left[k])].y = y[static_cast<int64_t>(k)];
  if (!options_.standardize || context == 0) return {};
  const torch::Tensor context_y = y.narrow(1, 0, context);
  const torch::Tensor center = context_y.mean({1}, /*keepdim=*/true);
  const torch::Tensor deviation = (context_y - center).square().mean({1}).sqrt().contiguous();
  const torch::Tensor farthest = (y - center).abs().amax({1}).contiguous();
  std::vector<int64_t> far;
  for (size_t k = 0; k < left.size(); ++k) {
    Function& function = functions[static_cast<size_t>(left[k])];
    function.center = center.data_ptr<double>()[k];
    function.deviation = deviation.data_ptr<double>()[k];
    if (!Varies(function.deviation, function.center)) function.deviation = 1;
    if (farthest.data_ptr<double>()[k] > kMaxStandardized * function.deviation) far.push_back(left[k]);
  }
  return far;
}

torch::Tensor GpTasks::Factors(const torch::Tensor& x, std::span<const Function> functions) {
  std::vector<GpParameters> parameters;
  std::vector<double> noise;
  for (const Function& function : functions) {
    parameters.push_back(function.parameters);
    noise.push_back(function.parameters.noise * function.parameters.noise);
  }
  torch::Tensor covariances = GpCovariances(parameters, x);
  covariances.diagonal(0, 1, 2).add_(torch::tensor(noise, torch::kFloat64).to(x.device()).unsqueeze(1));
  return StableCholesky(covariances);
}

// Functions that are too far from their context are drawn again, with the same factors. If this does not help, their
// parameters are drawn anew: two points of a context have nearly the same value if they are a period apart.
void GpTasks::DrawOutputs(int64_t first, int64_t last, RandomStream& random, torch::Device device, Drawn& drawn) const {
  const int64_t points = drawn.x.size(1);
  const std::span<Function> functions =
      std::span(drawn.functions).subspan(static_cast<size_t>(first), static_cast<size_t>(last - first));
  const torch::Tensor x = drawn.x.slice(0, first, last);
  torch::Tensor factors = Factors(x.to(device), functions);
  std::vector<int64_t> left(functions.size());  // functions to draw
  std::iota(left.begin(), left.end(), int64_t{0});
  for (int draw = 1; draw <= kMaxDraws && !left.empty(); ++draw) {
    torch::Tensor normal = torch::empty({static_cast<int64_t>(left.size()), points, 1}, torch::kFloat64);
    double* values = normal.data_ptr<double>();
    for (int64_t i = 0; i < normal.numel(); ++i) values[i] = random.Normal();
    const torch::Tensor left_factors = factors.index_select(0, torch::tensor(left, torch::kInt64).to(device));
    const torch::Tensor y = torch::matmul(left_factors, normal.to(device)).to(torch::kCPU);
    left = SetOutputs(y, drawn.context, left, functions);
    if (draw % kParameterDraws != 0) continue;
    for (const int64_t k : left) functions[static_cast<size_t>(k)].parameters = DrawParameters(random);
    if (!left.empty()) factors = Factors(x.to(device), functions);
  }
  if (left.empty()) return;
  throw InputError(fmt::format(
      "in {} draws, a function had values more than {} standard deviations from its context; with --standardize, give "
      "--target-x a range that is not far from that of --context-x",
      kMaxDraws, kMaxStandardized));
}

GpTasks::Drawn GpTasks::DrawBatch(int64_t count, RandomStream& random, torch::Device device) const {
  const int64_t m = options_.context.Draw(random), n = options_.targets.Draw(random);
  torch::Tensor context_x = DrawInputs(count, m, options_.context_x, random);
  if (options_.standardize && m > 1) context_x = StretchTo(options_.context_x, context_x);
  Drawn drawn{.context = m, .x = torch::cat({context_x, DrawInputs(count, n, options_.target_x, random)}, 1)};
  for (int64_t b = 0; b < count; ++b) drawn.functions.push_back({.parameters = DrawParameters(random)});
  // The differences of inputs, from which covariances are computed, are the largest tensor.
  const int64_t at_a_time = std::max<int64_t>(1, kMaxDifferences / ((m + n) * (m + n) * dx()));
  for (int64_t first = 0; first < count; first += at_a_time) {
    DrawOutputs(first, std::min(first + at_a_time, count), random, device, drawn);
  }
  return drawn;
}

std::vector<ProcessTasks> GpTasks::Draw(int64_t count, RandomStream& random, torch::Device device) const {
  const Drawn drawn = DrawBatch(count, random, device);
  std::vector<torch::Tensor> outputs;
  for (const Function& function : drawn.functions)
    outputs.push_back((function.y - function.center) / function.deviation);
  const int64_t m = drawn.context, n = drawn.x.size(1) - m;
  const torch::Tensor x = drawn.x.to(torch::kFloat32), y = torch::stack(outputs).to(torch::kFloat32);
  const auto part = [](const torch::Tensor& points, int64_t first, int64_t length) {
    return points.narrow(1, first, length).contiguous();
  };
  return {{part(x, 0, m), part(y, 0, m), part(x, m, n), part(y, m, n)}};
}

Prediction GpTasks::DrawOracle(int64_t count, RandomStream& random) const {
  const Drawn drawn = DrawBatch(count, random, torch::kCPU);
  const int64_t m = drawn.context, n = drawn.x.size(1) - m;
  std::vector<Prediction> predictions;
  for (int64_t b = 0; b < count; ++b) {
    const Function& function = drawn.functions[static_cast<size_t>(b)];
    const torch::Tensor x = drawn.x[b];
    const Prediction one = GaussianPosterior(function.parameters, x.narrow(0, 0, m), function.y.narrow(0, 0, m))
                               .Predict(x.narrow(0, m, n));
    predictions.push_back({(one.mean - function.center) / function.deviation, one.sd / function.deviation});
  }
  const Prediction all = Join(predictions, 1);
  return {all.mean.to(torch::kFloat32), all.sd.to(torch::kFloat32)};
}

}  // namespace haplospin
