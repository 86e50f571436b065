// What a GPU is asked to do, one thing after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "genotypes/imputation/backends/gpu/device.h"

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

// An array in the memory of the queue's device. It grows, but does not keep its content. The queue must outlive it.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(DeviceQueue& queue) : queue_(queue) {}
  ~DeviceArray() { queue_.device().Free(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  // Makes room for `size` elements and returns the first one. It is never null.
  T* Reserve(size_t size) {
    if (data_ == nullptr || size > capacity_) {
      queue_.device().Free(std::exchange(data_, nullptr));
      capacity_ = std::max<size_t>(1, size);
      data_ = static_cast<T*>(queue_.device().Allocate(capacity_ * sizeof(T)));
    }
    return data_;
  }

  // Makes room and queues a copy of `from`, which must stay until DeviceQueue::Synchronize().
  const T* Upload(std::span<const T> from) {
    T* const to = Reserve(from.size());
    if (!from.empty()) queue_.Upload(to, from.data(), from.size_bytes());
    return to;
  }

 private:
  DeviceQueue& queue_;
  T* data_ = nullptr;
  size_t capacity_ = 0;
};

}  // namespace haplospin
