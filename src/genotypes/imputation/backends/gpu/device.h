// The GPU that runs the kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/imputation/backends/gpu/cuda_driver.h"

namespace haplospin {

// The kernels, in the order of kKernelNames.
enum class Kernel {
  kTransposeAlleles,
  kJoinSegments,
  kRunRecursions,
  kExaminePhase,
  kListPeople,
  kFindSampleShares,
  kComputeLogits,
  kComputeWeights,
  kImputeAlleles,
  kAverageVersions
};
inline constexpr const char* kKernelNames[] = {
    "TransposeAlleles", "JoinSegments",  "RunRecursions",  "ExaminePhase",  "ListPeople",
    "FindSampleShares", "ComputeLogits", "ComputeWeights", "ImputeAlleles", "AverageVersions"};
inline constexpr size_t kNumKernels = std::size(kKernelNames);

// A GPU of NVIDIA, through its driver alone. Failures, and too little memory, are InputErrors. All members may be
// called by several threads at the same time.
class Device {
 public:
  // Opens GPU `index`. `ptx` are the kernels, which the driver compiles for the GPU; it keeps the result for the next
  // run. Throws InputError if there is no such GPU, or if the driver is too old for the kernels.
  Device(const CudaDriver& driver, int index, const std::string& ptx);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::string& name() const { return name_; }
  size_t FreeBytes() const;

  // Blocks of so many threads that the GPU runs at the same time.
  uint64_t ResidentBlocks(Kernel kernel, uint32_t threads) const;

  // Memory of the device, and memory of the host that it copies fast.
  void* Allocate(size_t bytes);
  void Free(void* memory) noexcept;
  void* AllocateHost(size_t bytes);
  void FreeHost(void* memory) noexcept;

  // [kernels] seconds that each kernel has taken.
  std::vector<double> KernelSeconds() const;

 private:
  friend class DeviceQueue;

  void Check(CudaResult result, const char* what) const;
  void Open(int index, const std::string& ptx);
  void Close() noexcept;
  void LoadKernels(const std::string& ptx);
  void SetCurrent() const { Check(driver_.cuCtxSetCurrent(context_), "choosing the GPU"); }
  CudaFunction function(Kernel kernel) const { return kernels_[static_cast<size_t>(kernel)]; }
  void AddSeconds(Kernel kernel, double seconds);

  const CudaDriver driver_;
  CudaDeviceIndex device_ = 0;
  std::string name_ = "GPU";
  uint32_t multiprocessors_ = 0;
  CudaContext context_ = nullptr;
  CudaModule module_ = nullptr;
  std::array<CudaFunction, kNumKernels> kernels_{};
  mutable std::mutex mutex_;  // of the next member
  std::vector<double> seconds_ = std::vector<double>(kNumKernels);
};

// Memory of the host for copies to and from a device.
template <typename T>
class HostBuffer {
 public:
  explicit HostBuffer(Device& device) : device_(&device) {}
  ~HostBuffer() { device_->FreeHost(data_); }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  // The content is not kept.
  void Resize(size_t size) {
    if (size > capacity_) {
      device_->FreeHost(std::exchange(data_, nullptr));
      data_ = static_cast<T*>(device_->AllocateHost(size * sizeof(T)));
      capacity_ = size;
    }
    size_ = size;
  }
  size_t size() const { return size_; }
  T* data() const { return data_; }
  T& operator[](size_t i) const { return data_[i]; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  Device* device_;
  T* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace haplospin
