#include "genotypes/imputation/backends/gpu/device_queue.h"

namespace haplospin {

DeviceQueue::DeviceQueue(Device& device, Priority priority) : device_(device) {
  device_.SetCurrent();
  const int number = priority == Priority::kHigh ? -1 : 0;  // The lowest number is the highest priority.
  device_.Check(device_.driver_.cuStreamCreateWithPriority(&stream_, 0, number), "making a stream");
}

DeviceQueue::~DeviceQueue() {
  const CudaDriver& driver = device_.driver_;
  driver.cuCtxSetCurrent(device_.context_);
  for (const Launched& launched : launched_) {
    driver.cuEventDestroy(launched.start);
    driver.cuEventDestroy(launched.end);
  }
  driver.cuStreamDestroy(stream_);
}

void DeviceQueue::Upload(void* to, const void* from, size_t bytes) {
  device_.SetCurrent();
  device_.Check(device_.driver_.cuMemcpyHtoDAsync(AddressOf(to), from, bytes, stream_), "copying to the GPU");
}

void DeviceQueue::Download(void* to, const void* from, size_t bytes) {
  device_.SetCurrent();
  device_.Check(device_.driver_.cuMemcpyDtoHAsync(to, AddressOf(from), bytes, stream_), "copying from the GPU");
}

void DeviceQueue::Zero(void* memory, size_t bytes) {
  device_.SetCurrent();
  device_.Check(device_.driver_.cuMemsetD8Async(AddressOf(memory), 0, bytes, stream_), "setting memory");
}

CudaEvent DeviceQueue::Record() {
  CudaEvent event = nullptr;
  device_.Check(device_.driver_.cuEventCreate(&event, 0), "making an event");
  device_.Check(device_.driver_.cuEventRecord(event, stream_), "recording an event");
  return event;
}

void DeviceQueue::Launch(Kernel kernel, const Grid& grid, std::span<const void* const> arguments) {
  device_.SetCurrent();
  std::vector<void*> parameters;
  for (const void* argument : arguments) parameters.push_back(const_cast<void*>(argument));  // The driver only reads.
  const CudaEvent start = Record();
  device_.Check(device_.driver_.cuLaunchKernel(device_.function(kernel), static_cast<unsigned>(grid.x),
                                               static_cast<unsigned>(grid.y), 1, grid.threads, 1, 1, 0, stream_,
                                               parameters.data(), nullptr),
                kKernelNames[static_cast<size_t>(kernel)]);
  launched_.push_back({kernel, start, Record()});
}

void DeviceQueue::Synchronize() {
  device_.SetCurrent();
  device_.Check(device_.driver_.cuStreamSynchronize(stream_), "computing");
  for (const Launched& launched : launched_) {
    float milliseconds = 0;
    device_.Check(device_.driver_.cuEventElapsedTime(&milliseconds, launched.start, launched.end), "reading a time");
    device_.AddSeconds(launched.kernel, 1e-3 * milliseconds);
    device_.driver_.cuEventDestroy(launched.start);
    device_.driver_.cuEventDestroy(launched.end);
  }
  launched_.clear();
}

}  // namespace haplospin
