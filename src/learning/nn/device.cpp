#include "learning/nn/device.h"

#include <ATen/Parallel.h>
#include <c10/core/DeviceGuard.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <optional>
#include <string_view>

#include "core/log.h"
#include "core/parse_number.h"
#include "haplospin/errors.h"
#include "learning/nn/torch_compat.h"

// OpenBLAS, where that is LibTorch's linear algebra.
extern "C" {
__attribute__((weak)) int openblas_get_parallel();  // 1: with threads of its own, 2: with OpenMP's
__attribute__((weak)) void openblas_set_num_threads(int threads);
}

namespace haplospin {
namespace {

// Returns 0 for "cuda", N for "cuda:N" and nothing for other text.
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

size_t FreeGpuBytes(torch::Device device, const char* driver) {
  const c10::DeviceGuard guard(device);  // The driver tells of the device that is chosen.
  using MemGetInfo = int(size_t * free, size_t * total);
  void* const library = dlopen(driver, RTLD_LAZY);
  HS_CHECK(library != nullptr);
  auto* const function = reinterpret_cast<MemGetInfo*>(dlsym(library, "cuMemGetInfo_v2"));
  size_t free = 0, total = 0;
  HS_CHECK(function != nullptr && function(&free, &total) == 0);
  return free;
}

void SetTorchThreads(int threads) {
  at::set_num_threads(threads);
  // OpenBLAS's own threads spin while waiting for work, which slows down LibTorch's threads: with two of each, training
  // on a small table took six times as long as with one. OpenMP threads are shared with LibTorch.
  constexpr int kOwnThreads = 1;
  if (openblas_get_parallel != nullptr && openblas_get_parallel() == kOwnThreads) openblas_set_num_threads(1);
}

MixedPrecision::MixedPrecision(torch::Device device, bool enabled)
    : device_(device.type()),
      was_enabled_(compat::IsAutocastEnabled(device_)),
      previous_type_(compat::AutocastType(device_)) {
  compat::SetAutocast(device_, enabled, torch::kBFloat16);
  at::autocast::increment_nesting();
}

MixedPrecision::~MixedPrecision() {
  // The outermost scope drops the cached bfloat16 copies of the weights: the next step changes the weights.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  compat::SetAutocast(device_, was_enabled_, previous_type_);
}

}  // namespace haplospin
