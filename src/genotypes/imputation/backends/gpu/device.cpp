#include "genotypes/imputation/backends/gpu/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int kMinComputeCapability = 6;  // of the PTX

}  // namespace

void Device::Check(CudaResult result, const char* what) const {
  if (result == 0) return;
  const char* text = nullptr;
  driver_.cuGetErrorString(result, &text);
  throw InputError(fmt::format("{}: {} failed: {} (error {} of the CUDA driver)", name_, what,
                               text == nullptr ? "unknown error" : text, result));
}

Device::Device(const CudaDriver& driver, int index, const std::string& ptx) : driver_(driver) {
  try {
    Open(index, ptx);
  } catch (...) {
    Close();
    throw;
  }
}

Device::~Device() { Close(); }

void Device::Open(int index, const std::string& ptx) {
  int count = 0;
  const CudaResult started = driver_.cuInit(0);
  if (started == cuda::kNoDevice) throw InputError("the NVIDIA driver finds no GPU");
  Check(started, "starting the driver");
  Check(driver_.cuDeviceGetCount(&count), "counting the GPUs");
  if (index >= count) {
    throw InputError(
        fmt::format("there is no GPU {}: the NVIDIA driver finds {}, and cuda:0 is the first", index, count));
  }
  Check(driver_.cuDeviceGet(&device_, index), "choosing the GPU");
  std::array<char, 256> name{};
  Check(driver_.cuDeviceGetName(name.data(), name.size(), device_), "reading the GPU's name");
  name_ = name.data();
  int capability = 0, multiprocessors = 0;
  Check(driver_.cuDeviceGetAttribute(&capability, cuda::kComputeCapabilityMajor, device_), "reading its properties");
  Check(driver_.cuDeviceGetAttribute(&multiprocessors, cuda::kMultiprocessors, device_), "reading its properties");
  multiprocessors_ = static_cast<uint32_t>(multiprocessors);
  if (capability < kMinComputeCapability) {
    throw InputError(
        fmt::format("{} has compute capability {}; 6 or higher is needed (GPUs since 2016)", name_, capability));
  }
  Check(driver_.cuDevicePrimaryCtxRetain(&context_, device_), "making a context");
  SetCurrent();
  LoadKernels(ptx);
}

void Device::LoadKernels(const std::string& ptx) {
  const CudaResult result = driver_.cuModuleLoadData(&module_, ptx.c_str());
  if (result == cuda::kUnsupportedPtx || result == cuda::kInvalidPtx) {
    throw InputError(
        fmt::format("{}: the NVIDIA driver is too old for the kernels of this program; one of the year "
                    "2022 (525) or later is needed",
                    name_));
  }
  Check(result, "loading the kernels");
  for (size_t k = 0; k < kNumKernels; ++k) {
    Check(driver_.cuModuleGetFunction(&kernels_[k], module_, kKernelNames[k]), "finding a kernel");
  }
}

void Device::Close() noexcept {
  if (context_ == nullptr) return;
  driver_.cuCtxSetCurrent(context_);
  if (module_ != nullptr) driver_.cuModuleUnload(module_);
  driver_.cuDevicePrimaryCtxRelease(device_);
}

size_t Device::FreeBytes() const {
  SetCurrent();
  size_t free = 0, total = 0;
  Check(driver_.cuMemGetInfo(&free, &total), "reading the free memory");
  return free;
}

void* Device::Allocate(size_t bytes) {
  SetCurrent();
  CudaAddress address = 0;
  const CudaResult result = driver_.cuMemAlloc(&address, bytes);
  if (result == cuda::kOutOfMemory) {
    throw InputError(
        fmt::format("{} has too little memory: {} MiB more are needed, {} MiB are free; give a shorter "
                    "--window, or --device cpu",
                    name_, (bytes >> 20) + 1, FreeBytes() >> 20));
  }
  Check(result, "taking memory");
  return reinterpret_cast<void*>(address);
}

void Device::Free(void* memory) noexcept {
  if (memory == nullptr) return;
  driver_.cuCtxSetCurrent(context_);
  driver_.cuMemFree(AddressOf(memory));
}

void* Device::AllocateHost(size_t bytes) {
  SetCurrent();
  void* memory = nullptr;
  Check(driver_.cuMemHostAlloc(&memory, bytes, 0), "taking memory of the host");
  return memory;
}

void Device::FreeHost(void* memory) noexcept {
  if (memory == nullptr) return;
  driver_.cuCtxSetCurrent(context_);
  driver_.cuMemFreeHost(memory);
}

uint64_t Device::ResidentBlocks(Kernel kernel, uint32_t threads) const {
  SetCurrent();
  int blocks = 0;
  Check(driver_.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function(kernel), static_cast<int>(threads), 0),
        "reading the occupancy");
  return std::max<uint64_t>(1, uint64_t{multiprocessors_} * static_cast<uint64_t>(blocks));
}

std::vector<double> Device::KernelSeconds() const {
  const std::lock_guard lock(mutex_);
  return seconds_;
}

void Device::AddSeconds(Kernel kernel, double seconds) {
  const std::lock_guard lock(mutex_);
  seconds_[static_cast<size_t>(kernel)] += seconds;
}

}  // namespace haplospin
