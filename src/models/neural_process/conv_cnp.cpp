#include "models/neural_process/conv_cnp.h"

#include <fmt/format.h>

#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

namespace F = torch::nn::functional;

constexpr double kMargin = 0.25;  // of the grid beyond the points
constexpr double kMinDensity = 1e-6;
constexpr double kGridTolerance = 0.01;  // of the spacing
constexpr int64_t kMaxCells = int64_t{1} << 24;

torch::nn::Conv1d Convolution(int64_t in, int64_t out, int64_t size) {
  return torch::nn::Conv1d(torch::nn::Conv1dOptions(in, out, size).padding(size / 2));
}

// Gaussian weights between points [b, n] and grid [b, g]: [b, n, g].
torch::Tensor Weights(const torch::Tensor& points, const torch::Tensor& grid, const torch::Tensor& log_scale) {
  return (-0.5 * ((points.unsqueeze(2) - grid.unsqueeze(1)) / log_scale.exp()).square()).exp();
}

GaussianHeadOptions HeadOptions(const ProcessOptions& options) {
  return {.input = options.width, .hidden = options.width, .outputs = options.dy, .noise = options.noise};
}

}  // namespace

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
  head_ = register_module("head", GaussianHead(HeadOptions(options)));
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

GridConvCnp::GridConvCnp(const ProcessOptions& options) : options_(options) {
  HS_ASSERT(options.dx == 2 && options.spacing.size() == 2);
  convolutions_ = register_module("convolutions", torch::nn::ModuleList());
  for (int64_t i = 0; i < options.layers; ++i) {
    convolutions_->push_back(torch::nn::Conv2d(
        torch::nn::Conv2dOptions(i == 0 ? 1 + options.dy : options.width, options.width, options.kernel_size)
            .padding(options.kernel_size / 2)));
  }
  head_ = register_module("head", GaussianHead(HeadOptions(options)));
}

Prediction GridConvCnp::Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                                const torch::Tensor& target_x) {
  const int64_t m = context_x.size(1);
  const torch::Tensor spacing = torch::tensor(options_.spacing, context_x.options());
  const torch::Tensor points = torch::cat({context_x, target_x}, 1);
  const torch::Tensor first = points.amin(1, true);
  const torch::Tensor exact = (points - first) / spacing;
  const torch::Tensor rounded = exact.round();
  if ((exact - rounded).abs().max().item<double>() > kGridTolerance) {
    throw InputError(fmt::format("convcnp: points are not on a grid of spacing {} x {}; this model needs a grid",
                                 options_.spacing[0], options_.spacing[1]));
  }
  const int64_t margin = options_.layers * (options_.kernel_size / 2);
  const torch::Tensor cell = rounded.to(torch::kLong) + margin;  // [b, m + n, 2]
  const torch::Tensor extent = cell.amax({0, 1}) + margin + 1;
  const auto height = extent[0].item<int64_t>(), width = extent[1].item<int64_t>();
  if (height > kMaxCells / width) {
    throw InputError(fmt::format("convcnp: the points span {} x {} cells of the grid; use fewer", height, width));
  }
  const torch::Tensor index = cell.select(2, 0) * width + cell.select(2, 1);  // [b, m + n]
  const torch::Tensor context_index = index.narrow(1, 0, m).unsqueeze(2);
  const torch::Tensor zeros = torch::zeros({points.size(0), height * width, 1 + context_y.size(2)}, points.options());
  const torch::Tensor ones = torch::ones({points.size(0), m, 1}, points.options());
  const torch::Tensor sums =
      zeros.scatter_add(1, context_index.expand({-1, -1, zeros.size(2)}), torch::cat({ones, context_y}, 2));
  const torch::Tensor density = sums.narrow(2, 0, 1);
  const torch::Tensor means = sums.narrow(2, 1, context_y.size(2)) / density.clamp_min(1);
  torch::Tensor image = torch::cat({density, means}, 2).transpose(1, 2).reshape({points.size(0), -1, height, width});
  for (size_t i = 0; i < convolutions_->size(); ++i) {
    image = torch::relu(convolutions_->at<torch::nn::Conv2dImpl>(i).forward(image));
  }
  const torch::Tensor target_index = index.narrow(1, m, target_x.size(1)).unsqueeze(2);
  const torch::Tensor at_cells = image.flatten(2).transpose(1, 2);  // [b, cells, width]
  return head_(at_cells.gather(1, target_index.expand({-1, -1, at_cells.size(2)})).unsqueeze(0));
}

}  // namespace haplospin
