// A libcuda.so.1 that runs the kernels of the imputer on the CPU, so that they and all that calls them are tested
// without a GPU: slow, and exact enough. Memory of the device is memory of the host.
//
// HAPLOSPIN_EMULATED_GPU tells how it behaves, for tests of errors, as NAME=VALUE separated by commas: `bytes` of
// memory (8 GiB), `count` of GPUs (1), `capability` (9), or the name of a function and the error that it returns.
#include <algorithm>
#include <array>
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "genotypes/imputation/backends/gpu/cuda_driver.h"
#include "genotypes/imputation/backends/gpu/cuda_words.h"
#include "genotypes/imputation/backends/gpu/device.h"
#include "haplospin/errors.h"

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // registers of states that a target does not have
#endif
#include "genotypes/imputation/backends/gpu/kernels/kernels.cu"
#pragma GCC diagnostic pop

namespace haplospin {
namespace kernels {

Index threadIdx, blockIdx, blockDim, gridDim;

namespace {

namespace context = boost::context;

context::pooled_fixedsize_stack& Stacks() {
  static context::pooled_fixedsize_stack stacks(size_t{64} << 10);
  return stacks;
}

// The threads of one block, which run in turn until each has met the others.
class EmulatedBlock {
 public:
  EmulatedBlock(uint32_t threads, std::function<void()> run)
      : run_(std::move(run)), threads_(threads), warps_(threads / 32), ended_(threads), waits_for_(threads) {
    HS_ASSERT(threads % 32 == 0);
    for (uint32_t t = 0; t < threads; ++t) {
      fibers_.emplace_back(std::allocator_arg, Stacks(), [this, t](context::fiber&& caller) {
        caller_ = std::move(caller);
        run_();
        ended_[t] = true;
        return std::move(caller_);
      });
    }
  }

  void Run() {
    for (size_t left = threads_; left > 0;) {
      bool has_run = false;
      for (uint32_t t = 0; t < threads_; ++t) {
        if (ended_[t] || !CanRun(t)) continue;
        threadIdx = {t, 0};
        running_ = t;
        fibers_[t] = std::move(fibers_[t]).resume();
        has_run = true;
        if (ended_[t]) --left;
      }
      HS_ASSERT(has_run);  // Otherwise all wait for threads that do not come, and the kernel would never end on a GPU.
    }
  }

  const uint64_t* ExchangeInWarp(uint64_t value) {
    Warp& warp = warps_[running_ / 32];
    const size_t round = warp.rounds[running_ % 32]++;
    uint64_t* values = warp.values[round % 2];  // A lane is at most one round ahead of the others.
    values[running_ % 32] = value;
    ++warp.arrived;
    WaitFor({&warp.arrived, 32 * (round + 1)});
    return values;
  }

  void WaitForBlock() {
    const size_t round = arrived_++ / threads_;
    WaitFor({&arrived_, threads_ * (round + 1)});
  }

 private:
  struct Warp {
    size_t arrived = 0;
    size_t rounds[32] = {};
    uint64_t values[2][32] = {};
  };
  // A thread waits until so many have arrived.
  struct Wait {
    const size_t* arrived = nullptr;
    size_t count = 0;
  };

  bool CanRun(uint32_t t) const {
    return waits_for_[t].arrived == nullptr || *waits_for_[t].arrived >= waits_for_[t].count;
  }

  void WaitFor(const Wait& wait) {
    waits_for_[running_] = wait;
    if (!CanRun(running_)) caller_ = std::move(caller_).resume();
  }

  const std::function<void()> run_;
  const size_t threads_;
  std::vector<Warp> warps_;
  size_t arrived_ = 0;
  std::vector<context::fiber> fibers_;
  std::vector<char> ended_;
  std::vector<Wait> waits_for_;
  context::fiber caller_;
  uint32_t running_ = 0;
};

EmulatedBlock* block;  // that runs

}  // namespace

const uint64_t* ExchangeInWarp(uint64_t value) { return block->ExchangeInWarp(value); }
void WaitForBlock() { block->WaitForBlock(); }

namespace {

void RunKernel(std::string_view name, void** arguments) {
  const KernelData& data = *static_cast<const KernelData*>(arguments[0]);
  if (name == "TransposeAlleles") return TransposeAlleles(data, *static_cast<const MarkerBits*>(arguments[1]));
  using WithData = void (*)(KernelData);
  static const std::map<std::string_view, WithData> kernels = {
      {"JoinSegments", JoinSegments},     {"RunRecursions", RunRecursions},       {"ExaminePhase", ExaminePhase},
      {"ListPeople", ListPeople},         {"FindSampleShares", FindSampleShares}, {"ComputeLogits", ComputeLogits},
      {"ComputeWeights", ComputeWeights}, {"ImputeAlleles", ImputeAlleles},       {"AverageVersions", AverageVersions}};
  kernels.at(name)(data);
}

}  // namespace
}  // namespace kernels

namespace {

size_t used_bytes = 0;
std::map<void*, size_t> sizes;

std::mutex driver_mutex;  // of the memory, and of the kernel that runs

// Returns the value of a name in HAPLOSPIN_EMULATED_GPU.
size_t Setting(std::string_view name, size_t otherwise) {
  const char* all = std::getenv("HAPLOSPIN_EMULATED_GPU");
  if (all == nullptr) return otherwise;
  const std::string settings = "," + std::string(all), key = "," + std::string(name) + "=";
  const size_t at = settings.find(key);
  return at == std::string::npos ? otherwise : std::strtoull(settings.c_str() + at + key.size(), nullptr, 10);
}

CudaResult Result(const char* function) { return static_cast<CudaResult>(Setting(function, 0)); }

// New memory has no zeros, as on a GPU.
void* NewMemory(size_t bytes) {
  void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  std::memset(memory, 0xff, bytes);
  return memory;
}

}  // namespace
}  // namespace haplospin

using namespace haplospin;

// The driver's functions, by the names that its library has.
extern "C" {

CudaResult cuInit(unsigned) { return Result("cuInit"); }
CudaResult cuGetErrorString(CudaResult, const char** text) {
  *text = "an emulated error";
  return 0;
}
CudaResult cuDeviceGetCount(int* count) {
  *count = static_cast<int>(Setting("count", 1));
  return 0;
}
CudaResult cuDeviceGet(CudaDeviceIndex* device, int ordinal) {
  *device = ordinal;
  return 0;
}
CudaResult cuDeviceGetName(char* name, int size, CudaDeviceIndex) {
  std::strncpy(name, "emulated GPU", static_cast<size_t>(size));
  return 0;
}
CudaResult cuDeviceGetAttribute(int* value, int attribute, CudaDeviceIndex) {
  *value = attribute == cuda::kComputeCapabilityMajor ? static_cast<int>(Setting("capability", 9)) : 1;
  return 0;
}
CudaResult cuDevicePrimaryCtxRetain(CudaContext* context, CudaDeviceIndex) {
  *context = reinterpret_cast<CudaContext>(1);
  return Result("cuDevicePrimaryCtxRetain");
}
CudaResult cuDevicePrimaryCtxRelease_v2(CudaDeviceIndex) { return 0; }
CudaResult cuCtxSetCurrent(CudaContext) { return 0; }
CudaResult cuModuleLoadData(CudaModule*, const void*) { return Result("cuModuleLoadData"); }
CudaResult cuModuleUnload(CudaModule) { return 0; }
CudaResult cuModuleGetFunction(CudaFunction* function, CudaModule, const char* name) {
  for (const char* const& known : kKernelNames) {
    if (std::string_view(known) == name) *function = reinterpret_cast<CudaFunction>(const_cast<char*>(known));
  }
  return 0;
}
CudaResult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CudaFunction, int, size_t) {
  *blocks = 4;
  return 0;
}
CudaResult cuMemGetInfo_v2(size_t* free, size_t* total) {
  *total = Setting("bytes", size_t{8} << 30);
  *free = *total - std::min(*total, used_bytes);
  return 0;
}
CudaResult cuMemAlloc_v2(CudaAddress* address, size_t bytes) {
  const std::lock_guard lock(driver_mutex);
  if (used_bytes + bytes > Setting("bytes", size_t{8} << 30)) return cuda::kOutOfMemory;
  void* memory = NewMemory(bytes);
  sizes[memory] = bytes;
  used_bytes += bytes;
  *address = reinterpret_cast<CudaAddress>(memory);
  return 0;
}
CudaResult cuMemFree_v2(CudaAddress address) {
  const std::lock_guard lock(driver_mutex);
  void* memory = reinterpret_cast<void*>(address);
  used_bytes -= sizes.at(memory);
  sizes.erase(memory);
  std::free(memory);
  return 0;
}
CudaResult cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  *memory = NewMemory(bytes);
  return 0;
}
CudaResult cuMemFreeHost(void* memory) {
  std::free(memory);
  return 0;
}
CudaResult cuMemcpyHtoDAsync_v2(CudaAddress to, const void* from, size_t bytes, CudaStream) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}
CudaResult cuMemcpyDtoHAsync_v2(void* to, CudaAddress from, size_t bytes, CudaStream) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}
CudaResult cuMemsetD8Async(CudaAddress to, unsigned char value, size_t bytes, CudaStream) {
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return 0;
}
CudaResult cuStreamCreateWithPriority(CudaStream*, unsigned, int) { return 0; }
CudaResult cuStreamDestroy_v2(CudaStream) { return 0; }
CudaResult cuStreamSynchronize(CudaStream) { return Result("cuStreamSynchronize"); }
CudaResult cuEventCreate(CudaEvent*, unsigned) { return 0; }
CudaResult cuEventDestroy_v2(CudaEvent) { return 0; }
CudaResult cuEventRecord(CudaEvent, CudaStream) { return 0; }
CudaResult cuEventElapsedTime(float* milliseconds, CudaEvent, CudaEvent) {
  *milliseconds = 1;
  return 0;
}
CudaResult cuLaunchKernel(CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned, unsigned block_x, unsigned,
                          unsigned, unsigned, CudaStream, void** arguments, void**) {
  constexpr unsigned kMaxX = (1u << 31) - 1, kMaxY = (1u << 16) - 1, kInvalidValue = 1;
  if (grid_x == 0 || grid_x > kMaxX || grid_y == 0 || grid_y > kMaxY || block_x > 1024) return kInvalidValue;
  using namespace kernels;
  const std::lock_guard lock(driver_mutex);
  const auto* name = reinterpret_cast<const char*>(function);
  gridDim = {grid_x, grid_y};
  blockDim = {block_x, 1};
  for (blockIdx.y = 0; blockIdx.y < grid_y; ++blockIdx.y) {
    for (blockIdx.x = 0; blockIdx.x < grid_x; ++blockIdx.x) {
      EmulatedBlock emulated(block_x, [&] { RunKernel(name, arguments); });
      block = &emulated;
      emulated.Run();
    }
  }
  return 0;
}

}  // extern "C"
