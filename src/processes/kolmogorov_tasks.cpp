#include "processes/kolmogorov_tasks.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "haplospin/errors.h"
#include "nn/tensor_file.h"

namespace haplospin {
namespace {

constexpr double kHalfSide = 3;  // inputs run from -3 to 3
constexpr const char* kName = "velocity";

}  // namespace

KolmogorovTasks::KolmogorovTasks(torch::Tensor velocities, const KolmogorovTaskOptions& options) : options_(options) {
  const int64_t r = options.region;
  if (r < 2 || velocities.size(1) < r || velocities.size(3) < r || velocities.size(4) < r) {
    throw InputError(fmt::format("regions of {} points per side do not fit into {} snapshots of {} x {}", r,
                                 velocities.size(1), velocities.size(3), velocities.size(4)));
  }
  if (options.context.low < 0 || options.context.high < options.context.low || options.context.high >= r * r * r) {
    throw InputError(fmt::format("contexts of {} to {} points do not fit into regions of {} points",
                                 options.context.low, options.context.high, r * r * r));
  }
  const auto all = static_cast<double>(velocities.size(0));
  const int64_t first = std::llround(options.trajectories.low * all);
  const int64_t last = std::llround(options.trajectories.high * all);
  if (first < 0 || last > velocities.size(0) || first >= last) {
    throw InputError(fmt::format("none of the {} trajectories is left; simulate more", velocities.size(0)));
  }
  velocities_ = velocities / velocities.square().mean().sqrt();
  velocities_ = velocities_.narrow(0, first, last - first);
  const torch::Tensor axis = torch::linspace(-kHalfSide, kHalfSide, r);
  const auto grids = torch::meshgrid({axis, axis, axis}, "ij");
  grid_ = torch::stack({grids[0].flatten(), grids[1].flatten(), grids[2].flatten()}, 1);
}

std::vector<ProcessTasks> KolmogorovTasks::Draw(int64_t count, RandomStream& random) const {
  const int64_t context = options_.context.Draw(random), r = options_.region;
  const auto start = [&](int64_t size) { return IntegerRange{0, size - r}.Draw(random); };
  std::vector<ProcessTasks> tasks;
  for (int64_t b = 0; b < count; ++b) {
    torch::Tensor part = velocities_[IntegerRange{0, velocities_.size(0) - 1}.Draw(random)];
    part = part.narrow(0, start(part.size(0)), r);
    part = part.narrow(2, start(part.size(2)), r);
    part = part.narrow(3, start(part.size(3)), r);
    const torch::Tensor y = part.permute({0, 2, 3, 1}).reshape({r * r * r, 2});
    tasks.push_back(SplitPoints(grid_, y, context, options_.max_targets, random));
  }
  return {JoinTasks(tasks)};
}

void WriteTrajectories(const std::string& path, const torch::Tensor& velocities) {
  WriteTensorFile(path, {{kName, velocities}}, {{"format", "haplospin-flow"}});
}

torch::Tensor ReadTrajectories(const std::string& path) {
  const NamedTensors tensors = FileTensors(ReadSafetensors(path));
  const auto found = tensors.find(kName);
  if (tensors.size() != 1 || found == tensors.end() || found->second.dim() != 5 || found->second.size(2) != 2 ||
      found->second.scalar_type() != torch::kFloat32 || found->second.size(3) != found->second.size(4)) {
    throw InputError(path + ": not a file of trajectories; create one with haplospin np simulate");
  }
  return found->second;
}

}  // namespace haplospin
