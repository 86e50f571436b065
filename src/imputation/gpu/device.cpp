#include "imputation/gpu/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int kMinComputeCapability = 6;  // of the PTX

CudaAddress AddressOf(const void* memory) { return reinterpret_cast<CudaAddress>(memory); }

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
  Check(driver_.cuStreamCreate(&stream_, 0), "making a stream");
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
  for (const Launched& launched : launched_) {
    driver_.cuEventDestroy(launched.start);
    driver_.cuEventDestroy(launched.end);
  }
  if (stream_ != nullptr) driver_.cuStreamDestroy(stream_);
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

void Device::Upload(void* to, const void* from, size_t bytes) {
  SetCurrent();
  Check(driver_.cuMemcpyHtoDAsync(AddressOf(to), from, bytes, stream_), "copying to the GPU");
}

void Device::Download(void* to, const void* from, size_t bytes) {
  SetCurrent();
  Check(driver_.cuMemcpyDtoHAsync(to, AddressOf(from), bytes, stream_), "copying from the GPU");
}

void Device::Zero(void* memory, size_t bytes) {
  SetCurrent();
  Check(driver_.cuMemsetD8Async(AddressOf(memory), 0, bytes, stream_), "setting memory");
}

CudaEvent Device::Record() {
  CudaEvent event = nullptr;
  Check(driver_.cuEventCreate(&event, 0), "making an event");
  Check(driver_.cuEventRecord(event, stream_), "recording an event");
  return event;
}

void Device::Launch(Kernel kernel, const Grid& grid, std::span<const void* const> arguments) {
  SetCurrent();
  std::vector<void*> parameters;
  for (const void* argument : arguments) parameters.push_back(const_cast<void*>(argument));  // The driver only reads.
  const auto k = static_cast<size_t>(kernel);
  const CudaEvent start = Record();
  Check(driver_.cuLaunchKernel(kernels_[k], static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), 1,
                               grid.threads, 1, 1, 0, stream_, parameters.data(), nullptr),
        kKernelNames[k]);
  launched_.push_back({k, start, Record()});
}

void Device::Synchronize() {
  SetCurrent();
  Check(driver_.cuStreamSynchronize(stream_), "computing");
  for (const Launched& launched : launched_) {
    float milliseconds = 0;
    Check(driver_.cuEventElapsedTime(&milliseconds, launched.start, launched.end), "reading a time");
    seconds_[launched.kernel] += 1e-3 * milliseconds;
    driver_.cuEventDestroy(launched.start);
    driver_.cuEventDestroy(launched.end);
  }
  launched_.clear();
}

DeviceArrays::~DeviceArrays() {
  for (const auto& [pointer, array] : arrays_) device_.Free(array.memory);
}

void* DeviceArrays::MemoryOf(const void* pointer, size_t bytes) {
  Array& array = arrays_[pointer];
  if (array.memory == nullptr || bytes > array.bytes) {
    device_.Free(std::exchange(array.memory, nullptr));
    array.bytes = std::max<size_t>(1, bytes);
    array.memory = device_.Allocate(array.bytes);
  }
  return array.memory;
}

}  // namespace haplospin
