#include "learning/models/neural_process/cnp.h"

#include <fmt/format.h>
#include <torch/nn/functional/upsampling.h>

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int64_t kEncoderLayers = 5;

MlpOptions EncoderOptions(const ProcessOptions& options) {
  return {.input = options.dx + options.dy,
          .hidden = options.width,
          .output = options.width,
          .hidden_layers = kEncoderLayers};
}

namespace F = torch::nn::functional;

constexpr double kMargin = 0.25;  // length of the grid beyond the points
constexpr double kMinDensity = 1e-6;
constexpr int64_t kMaxCells = int64_t{1} << 24;

torch::nn::Conv1d Convolution(int64_t in, int64_t out, int64_t size) {
  return torch::nn::Conv1d(torch::nn::Conv1dOptions(in, out, size).padding(size / 2));
}

// Gaussian weights between points [b, n] and grid [b, g]: [b, n, g].
torch::Tensor Weights(const torch::Tensor& points, const torch::Tensor& grid, const torch::Tensor& log_scale) {
  return (-0.5 * ((points.unsqueeze(2) - grid.unsqueeze(1)) / log_scale.exp()).square()).exp();
}

}  // namespace

torch::Tensor MeanOrZero(const torch::Tensor& values, int64_t dimension) {
  return values.sum(dimension) / static_cast<double>(std::max<int64_t>(values.size(dimension), 1));
}

Cnp::Cnp(const ProcessOptions& options) {
  encoder_ = register_module("encoder", Mlp(EncoderOptions(options)));
  head_ = register_module("head", GaussianHead(options, options.dx + options.width));
}

Prediction Cnp::Predict(const torch::Tensor& context_x, const torch::Tensor& context_y, const torch::Tensor& target_x) {
  const torch::Tensor code = MeanOrZero(encoder_(torch::cat({context_x, context_y}, -1)), 1);
  const torch::Tensor repeated = code.unsqueeze(1).expand({-1, target_x.size(1), -1});
  return head_(torch::cat({target_x, repeated}, -1).unsqueeze(0));
}

Rcnp::Rcnp(const ProcessOptions& options) {
  encoder_ = register_module("encoder", Mlp(EncoderOptions(options)));
  head_ = register_module("head", GaussianHead(options, options.width));
}

Prediction Rcnp::Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                         const torch::Tensor& target_x) {
  const torch::Tensor difference = target_x.unsqueeze(2) - context_x.unsqueeze(1);  // [b, n, m, dx]
  const torch::Tensor y = context_y.unsqueeze(1).expand({-1, target_x.size(1), -1, -1});
  return head_(MeanOrZero(encoder_(torch::cat({difference, y}, -1)), 2).unsqueeze(0));
}

UNet1dImpl::UNet1dImpl(int64_t channels, int64_t levels, int64_t kernel_size) {
  down_ = register_module("down", torch::nn::ModuleList());
  up_ = register_module("up", torch::nn::ModuleList());
  for (int64_t i = 0; i <= levels; ++i) down_->push_back(Convolution(channels, channels, kernel_size));
  for (int64_t i = 0; i < levels; ++i) up_->push_back(Convolution(2 * channels, channels, kernel_size));
}

torch::Tensor UNet1dImpl::forward(torch::Tensor x) {
  std::vector<torch::Tensor> skipped;
  for (size_t i = 0; i < down_->size(); ++i) {
    if (i > 0) x = torch::max_pool1d(x, 2);
    x = torch::relu(down_->at<torch::nn::Conv1dImpl>(i).forward(x));
    skipped.push_back(x);
  }
  for (size_t i = 0; i < up_->size(); ++i) {
    const torch::Tensor& same_length = skipped[skipped.size() - 2 - i];
    const auto length = std::vector<int64_t>{same_length.size(2)};
    x = F::interpolate(x, F::InterpolateFuncOptions().size(length).mode(torch::kLinear).align_corners(false));
    x = torch::relu(up_->at<torch::nn::Conv1dImpl>(i).forward(torch::cat({x, same_length}, 1)));
  }
  return x;
}

ConvCnp::ConvCnp(const ProcessOptions& options) : options_(options) {
  HS_ASSERT(options.dx == 1);
  const torch::Tensor initial = torch::full({1}, std::log(2.0 / options.points_per_unit));
  log_context_scale_ = register_parameter("log_context_scale", initial.clone());
  log_target_scale_ = register_parameter("log_target_scale", initial.clone());
  lift_ = register_module("lift", Convolution(1 + options.dy, options.width, 1));
  net_ = register_module("net", UNet1d(options.width, options.levels, options.kernel_size));
  head_ = register_module("head", GaussianHead(options, options.width));
}

Prediction ConvCnp::Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                            const torch::Tensor& target_x) {
  const torch::Tensor points = torch::cat({context_x, target_x}, 1).squeeze(2).detach();  // [b, m + n]
  const double spacing = 1 / options_.points_per_unit;
  const torch::Tensor start = ((points.amin(1, true) - kMargin) / spacing).floor() * spacing;  // [b, 1]
  const double span = (points.amax(1, true) - start).max().item<double>() + kMargin;
  const int64_t multiple = int64_t{1} << options_.levels;
  const auto cells = static_cast<int64_t>(std::ceil(span / spacing / static_cast<double>(multiple)));
  if (cells > kMaxCells / multiple) {
    throw InputError(
        fmt::format("convcnp: points span {:.3g} units, too many for a grid of {} points per unit; predict fewer or "
                    "closer targets at a time",
                    span, options_.points_per_unit));
  }
  const torch::Tensor steps = torch::arange(std::max<int64_t>(cells, 1) * multiple, points.options()) * spacing;
  const torch::Tensor grid = steps.unsqueeze(0).expand({points.size(0), -1});  // relative to `start`

  const torch::Tensor to_grid = Weights(context_x.squeeze(2) - start, grid, log_context_scale_).transpose(1, 2);
  const torch::Tensor density = to_grid.sum(2, true);  // [b, g, 1]
  const torch::Tensor signal = torch::matmul(to_grid, context_y) / (density + kMinDensity);
  const torch::Tensor channels = torch::cat({density, signal}, 2).transpose(1, 2);
  const torch::Tensor functions = net_(torch::relu(lift_(channels))).transpose(1, 2);  // [b, g, width]

  const torch::Tensor to_targets = Weights(target_x.squeeze(2) - start, grid, log_target_scale_);
  return head_(torch::matmul(to_targets, functions).unsqueeze(0));
}

}  // namespace haplospin
