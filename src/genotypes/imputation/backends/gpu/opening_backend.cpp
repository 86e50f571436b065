#include "genotypes/imputation/backends/gpu/opening_backend.h"

#include <fmt/format.h>

#include <functional>
#include <future>
#include <utility>

#include "core/log.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/backends/gpu/cuda_driver.h"
#include "genotypes/imputation/backends/gpu/gpu_backend.h"
#include "genotypes/imputation/backends/gpu/kernel_code.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

struct OpenedBackend {
  std::unique_ptr<Backend> backend;
  std::string log;  // a line for the log, or nothing
};

OpenedBackend Find(const ImputerWeights& weights, size_t max_host_bytes) {
  try {
    auto gpu = std::make_shared<Device>(OpenCudaDriver(), 0, KernelCode());
    const std::string log = fmt::format("imputing on {}", gpu->name());
    return {MakeGpuBackend(std::move(gpu), weights, max_host_bytes), log};
  } catch (const InputError& error) {
    return {MakeCpuBackend(weights), fmt::format("imputing on the CPU: {}", error.what())};
  }
}

OpenedBackend Open(const std::string& device, const ImputerWeights& weights, size_t max_host_bytes) {
  if (device == "auto") return Find(weights, max_host_bytes);
  return {MakeGpuBackend(OpenGpu(device), weights, max_host_bytes), ""};
}

// Starting NVIDIA's driver takes a quarter of a second.
class OpeningBackend : public Backend {
 public:
  explicit OpeningBackend(std::function<OpenedBackend()> open)
      : opening_(std::async(std::launch::async, std::move(open))) {}

  std::unique_ptr<BackendWindow> Start(const WindowTask& task) override { return backend().Start(task); }
  size_t BatchesAtATime() override { return backend().BatchesAtATime(); }
  size_t HostBytes() override { return backend().HostBytes(); }

 private:
  Backend& backend() {
    if (opening_.valid()) {
      OpenedBackend opened = opening_.get();
      if (!opened.log.empty()) LogInfo("{}", opened.log);
      backend_ = std::move(opened.backend);
    }
    return *backend_;
  }

  std::future<OpenedBackend> opening_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace

std::unique_ptr<Backend> OpenBackend(const std::string& device, const ImputerWeights& weights, size_t max_host_bytes) {
  if (device == "cpu") return MakeCpuBackend(weights);
  return std::make_unique<OpeningBackend>([=] { return Open(device, weights, max_host_bytes); });
}

}  // namespace haplospin
