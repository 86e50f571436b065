#include "nn/device.h"

#include <fmt/format.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <optional>
#include <string_view>

#include "core/log.h"
#include "core/parse_number.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The index in "cuda" (0) or "cuda:N"; none for other text.
std::optional<int> CudaIndex(std::string_view text) {
  constexpr std::string_view kCuda = "cuda";
  if (!text.starts_with(kCuda)) return std::nullopt;
  text.remove_prefix(kCuda.size());
  if (text.empty()) return 0;
  if (!text.starts_with(':')) return std::nullopt;
  text.remove_prefix(1);
  const auto index = ParseNumber<int>(text);
  return index && *index >= 0 && *index < 128 ? index : std::nullopt;
}

torch::Device CudaDevice(int index) { return torch::Device(torch::kCUDA, static_cast<c10::DeviceIndex>(index)); }

torch::Device FindDevice(const std::string& text, int local_rank) {
  if (text == "cpu") return torch::kCPU;
  const auto visible = static_cast<int>(torch::cuda::device_count());
  if (visible > 0 && (text == "auto" || text == "cuda")) return CudaDevice(local_rank % visible);
  if (text == "auto") return torch::kCPU;
  const std::optional<int> index = CudaIndex(text);
  if (!index) {
    throw InputError(fmt::format("unknown device '{}'; expected auto, cpu, cuda or cuda:N", text));
  }
  if (*index >= visible) {
    throw InputError(
        fmt::format("device '{}' is not available: this LibTorch finds {} CUDA device{}; use auto or cpu, or a "
                    "LibTorch with CUDA support",
                    text, visible, visible == 1 ? "" : "s"));
  }
  return CudaDevice(*index);
}

}  // namespace

torch::Device ParseDevice(const std::string& text, int local_rank) {
  const torch::Device device = FindDevice(text, local_rank);
  LogToFile(fmt::format("LibTorch {}, device {}", TORCH_VERSION, device.str()));
  return device;
}

}  // namespace haplospin
