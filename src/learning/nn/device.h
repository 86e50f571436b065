// The device of a command, and the threads and the precision of LibTorch.
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <string>

namespace haplospin {

// Parses "auto" (the first CUDA device if there is one, otherwise the CPU), "cpu", "cuda" or "cuda:N". Throws
// InputError for any other text, and for a CUDA device that LibTorch does not find. Writes LibTorch's version and the
// device to the log file, if there is one.
torch::Device ParseDevice(const std::string& text, int local_rank = 0);

// Returns the free memory of a CUDA device in bytes, by NVIDIA's driver, which must be loaded: LibTorch for CUDA loads
// it, but does not tell in all versions. Memory that LibTorch keeps for later tensors is not free.
size_t FreeGpuBytes(torch::Device device, const char* driver = "libcuda.so.1");

// Sets the number of threads inside one LibTorch operation, and OpenMP's; an OpenBLAS with its own threads gets one. If
// several threads of the caller use LibTorch at the same time, set 1: the product of both must not exceed the number of
// cores.
void SetTorchThreads(int threads);

// Turns on LibTorch's autocast with bfloat16 on the device for its lifetime. Put the forward pass and the loss in its
// scope and the backward pass outside it. bfloat16 has float's range, so no loss scaling is needed.
class MixedPrecision {
 public:
  MixedPrecision(torch::Device device, bool enabled);
  ~MixedPrecision();
  MixedPrecision(const MixedPrecision&) = delete;
  MixedPrecision& operator=(const MixedPrecision&) = delete;

 private:
  torch::DeviceType device_;
  bool was_enabled_;
  torch::ScalarType previous_type_;
};

}  // namespace haplospin
