// What a GPU is asked to do, one thing after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "genotypes/imputation/gpu/device.h"

namespace haplospin {

struct Grid {
  uint64_t x = 1, y = 1;  // blocks
  uint32_t threads = 1;   // of a block
};

// Copies and kernels, which run in their order, and beside those of other queues. It is for one thread at a time.
class DeviceQueue {
 public:
  enum class Priority { kNormal, kHigh };

  // Waiting blocks of a queue with high priority run before others. The device must outlive the queue.
  explicit DeviceQueue(Device& device, Priority priority = Priority::kNormal);
  ~DeviceQueue();
  DeviceQueue(const DeviceQueue&) = delete;
  DeviceQueue& operator=(const DeviceQueue&) = delete;

  Device& device() const { return device_; }

  // The host's memory must stay as it is until Synchronize() returns.
  void Upload(void* to, const void* from, size_t bytes);
  void Download(void* to, const void* from, size_t bytes);
  void Zero(void* memory, size_t bytes);

  // `arguments` point to the values of the kernel's parameters, which are copied.
  void Launch(Kernel kernel, const Grid& grid, std::span<const void* const> arguments);

  // Waits until all that was queued is done.
  void Synchronize();

 private:
  // The start and the end of a launch.
  struct Launched {
    Kernel kernel;
    CudaEvent start, end;
  };

  CudaEvent Record();

  Device& device_;
  CudaStream stream_ = nullptr;
  std::vector<Launched> launched_;
};

// Memory of a device behind pointers, such as those of a struct that kernels read. It grows, but does not keep its
// content. The pointers must stay where they are.
class DeviceArrays {
 public:
  explicit DeviceArrays(DeviceQueue& queue) : queue_(queue) {}
  ~DeviceArrays();
  DeviceArrays(const DeviceArrays&) = delete;
  DeviceArrays& operator=(const DeviceArrays&) = delete;

  // Sets the pointer to memory for `size` elements.
  template <typename T>
  void Reserve(T*& pointer, size_t size) {
    pointer = static_cast<T*>(MemoryOf(&pointer, size * sizeof(T)));
  }

  // Makes room and queues a copy of `from`, which must stay until DeviceQueue::Synchronize().
  template <typename T>
  void Upload(const T*& pointer, std::type_identity_t<std::span<const T>> from) {
    void* const memory = MemoryOf(&pointer, from.size_bytes());
    if (!from.empty()) queue_.Upload(memory, from.data(), from.size_bytes());
    pointer = static_cast<const T*>(memory);
  }

 private:
  struct Array {
    void* memory = nullptr;
    size_t bytes = 0;
  };

  void* MemoryOf(const void* pointer, size_t bytes);

  DeviceQueue& queue_;
  std::unordered_map<const void*, Array> arrays_;  // by the address of the pointer
};

}  // namespace haplospin
