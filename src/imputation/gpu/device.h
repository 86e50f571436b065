// The GPU that runs the kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "imputation/gpu/cuda_driver.h"

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

struct Grid {
  uint64_t x = 1, y = 1;  // blocks
  uint32_t threads = 1;   // of a block
};

// A GPU of NVIDIA, through its driver alone. Everything is queued, and runs in this order. Memory of the host may be
// taken by several threads at the same time; all else is for the thread that has called Use(). Failures, and too little
// memory, are InputErrors.
class Device {
 public:
  // Opens GPU `index`. `ptx` are the kernels, which the driver compiles for the GPU; it keeps the result for the next
  // run. Throws InputError if there is no such GPU, or if the driver is too old for the kernels.
  Device(const CudaDriver& driver, int index, const std::string& ptx);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::string& name() const { return name_; }
  uint32_t multiprocessors() const { return multiprocessors_; }
  size_t FreeBytes() const;

  // Waits until no other thread uses the device.
  [[nodiscard]] std::unique_lock<std::mutex> Use() { return std::unique_lock(used_); }

  // Memory of the device, and memory of the host that it copies fast.
  void* Allocate(size_t bytes);
  void Free(void* memory) noexcept;
  void* AllocateHost(size_t bytes);
  void FreeHost(void* memory) noexcept;

  // The host's memory must stay as it is until Synchronize() returns.
  void Upload(void* to, const void* from, size_t bytes);
  void Download(void* to, const void* from, size_t bytes);
  void Zero(void* memory, size_t bytes);

  // `arguments` point to the values of the kernel's parameters, which are copied.
  void Launch(Kernel kernel, const Grid& grid, std::span<const void* const> arguments);

  // Waits until all that was queued is done.
  void Synchronize();

  // [kernels] seconds that each kernel has taken.
  const std::vector<double>& KernelSeconds() const { return seconds_; }

 private:
  // The start and the end of a launch.
  struct Launched {
    size_t kernel;
    CudaEvent start, end;
  };

  void Check(CudaResult result, const char* what) const;
  void Open(int index, const std::string& ptx);
  void Close() noexcept;
  void LoadKernels(const std::string& ptx);
  void SetCurrent() const { Check(driver_.cuCtxSetCurrent(context_), "choosing the GPU"); }
  CudaEvent Record();

  std::mutex used_;
  const CudaDriver driver_;
  CudaDeviceIndex device_ = 0;
  std::string name_ = "GPU";
  uint32_t multiprocessors_ = 0;
  CudaContext context_ = nullptr;
  CudaModule module_ = nullptr;
  CudaStream stream_ = nullptr;
  std::array<CudaFunction, kNumKernels> kernels_{};
  std::vector<Launched> launched_;
  std::vector<double> seconds_ = std::vector<double>(kNumKernels);
};

// Memory of a device behind pointers, such as those of a struct that kernels read. It grows, but does not keep its
// content. The pointers must stay where they are.
class DeviceArrays {
 public:
  explicit DeviceArrays(Device& device) : device_(device) {}
  ~DeviceArrays();
  DeviceArrays(const DeviceArrays&) = delete;
  DeviceArrays& operator=(const DeviceArrays&) = delete;

  // Sets the pointer to memory for `size` elements.
  template <typename T>
  void Reserve(T*& pointer, size_t size) {
    pointer = static_cast<T*>(MemoryOf(&pointer, size * sizeof(T)));
  }

  // Makes room and queues a copy of `from`, which must stay until Device::Synchronize().
  template <typename T>
  void Upload(const T*& pointer, std::type_identity_t<std::span<const T>> from) {
    void* const memory = MemoryOf(&pointer, from.size_bytes());
    if (!from.empty()) device_.Upload(memory, from.data(), from.size_bytes());
    pointer = static_cast<const T*>(memory);
  }

 private:
  struct Array {
    void* memory = nullptr;
    size_t bytes = 0;
  };

  void* MemoryOf(const void* pointer, size_t bytes);

  Device& device_;
  std::unordered_map<const void*, Array> arrays_;  // by the address of the pointer
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
