#include "processes/image_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr double kCanvas = 6;  // length of the canvas's longer side

torch::Tensor Downsample(const torch::Tensor& images, int64_t factor) {
  const torch::Tensor channels_first = images.to(torch::kFloat32).div(255).permute({0, 3, 1, 2});
  return torch::avg_pool2d(channels_first, factor).permute({0, 2, 3, 1}).contiguous();
}

torch::Tensor CanvasGrid(int64_t height, int64_t width, double spacing) {
  const auto axis = [&](int64_t n) {
    return (torch::arange(n, torch::kFloat32) - 0.5 * static_cast<double>(n - 1)) * spacing;
  };
  const auto grids = torch::meshgrid({axis(height), axis(width)}, "ij");
  return torch::stack({grids[0].flatten(), grids[1].flatten()}, 1);
}

}  // namespace

ImageTasks::ImageTasks(const torch::Tensor& images, const ImageTaskOptions& options) : options_(options) {
  if (options.downsample < 1 || options.downsample > std::min(images.size(1), images.size(2))) {
    throw InputError(fmt::format("images of {} x {} pixels cannot be downsampled by {}", images.size(2), images.size(1),
                                 options.downsample));
  }
  if (!(options.context.low >= 0) || options.context.high < options.context.low || options.context.high >= 1) {
    throw InputError("the fraction of pixels that is context must be at least 0 and below 1");
  }
  images_ = Downsample(images, options.downsample);
  grid_ = CanvasGrid(height(), width(), spacing());
}

double ImageTasks::spacing() const { return kCanvas / static_cast<double>(std::max(height(), width())); }

std::vector<ProcessTasks> ImageTasks::Draw(int64_t count, RandomStream& random) const {
  const int64_t pixels = height() * width();
  const double share = options_.context.Draw(random);
  const int64_t context = std::clamp<int64_t>(std::lround(share * static_cast<double>(pixels)), 0, pixels - 1);
  std::vector<ProcessTasks> tasks;
  for (int64_t b = 0; b < count; ++b) {
    const torch::Tensor image =
        images_[static_cast<int64_t>(random.UniformInt(static_cast<uint64_t>(images_.size(0))))];
    torch::Tensor canvas = image;
    if (options_.translate) {
      // From half an image up and left of the middle to half an image down and right of it.
      const int64_t row = IntegerRange{0, image.size(0)}.Draw(random);
      const int64_t column = IntegerRange{0, image.size(1)}.Draw(random);
      canvas = torch::zeros({height(), width(), dy()});
      canvas.narrow(0, row, image.size(0)).narrow(1, column, image.size(1)).copy_(image);
    }
    tasks.push_back(SplitPoints(grid_, canvas.reshape({pixels, dy()}), context, options_.max_targets, random));
  }
  return {JoinTasks(tasks)};
}

}  // namespace haplospin
