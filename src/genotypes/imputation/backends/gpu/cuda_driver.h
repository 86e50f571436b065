// The part of NVIDIA's CUDA driver that is used. The driver's library is opened at run time, so that neither building
// nor installing the program needs anything of CUDA.
#pragma once

#include <cstddef>
#include <cstdint>

namespace haplospin {

using CudaResult = int;  // 0: success
using CudaDeviceIndex = int;
using CudaAddress = uint64_t;
using CudaContext = struct CudaContextType*;
using CudaModule = struct CudaModuleType*;
using CudaFunction = struct CudaFunctionType*;
using CudaStream = struct CudaStreamType*;
using CudaEvent = struct CudaEventType*;

inline CudaAddress AddressOf(const void* memory) { return reinterpret_cast<CudaAddress>(memory); }

// Results and attributes by the numbers of the driver's interface.
namespace cuda {
inline constexpr CudaResult kOutOfMemory = 2, kNoDevice = 100, kInvalidPtx = 218, kUnsupportedPtx = 222;
inline constexpr int kMultiprocessors = 16, kComputeCapabilityMajor = 75;
}  // namespace cuda

// The functions, named as the driver names them.
// NOLINTBEGIN(readability-identifier-naming)
struct CudaDriver {
  CudaResult (*cuInit)(unsigned flags);
  CudaResult (*cuGetErrorString)(CudaResult result, const char** text);
  CudaResult (*cuDeviceGetCount)(int* count);
  CudaResult (*cuDeviceGet)(CudaDeviceIndex* device, int ordinal);
  CudaResult (*cuDeviceGetName)(char* name, int size, CudaDeviceIndex device);
  CudaResult (*cuDeviceGetAttribute)(int* value, int attribute, CudaDeviceIndex device);
  CudaResult (*cuDevicePrimaryCtxRetain)(CudaContext* context, CudaDeviceIndex device);
  CudaResult (*cuDevicePrimaryCtxRelease)(CudaDeviceIndex device);
  CudaResult (*cuCtxSetCurrent)(CudaContext context);
  CudaResult (*cuModuleLoadData)(CudaModule* module, const void* image);
  CudaResult (*cuModuleUnload)(CudaModule module);
  CudaResult (*cuModuleGetFunction)(CudaFunction* function, CudaModule module, const char* name);
  CudaResult (*cuOccupancyMaxActiveBlocksPerMultiprocessor)(int* blocks, CudaFunction function, int block_size,
                                                            size_t shared_bytes);
  CudaResult (*cuMemGetInfo)(size_t* free, size_t* total);
  CudaResult (*cuMemAlloc)(CudaAddress* address, size_t bytes);
  CudaResult (*cuMemFree)(CudaAddress address);
  CudaResult (*cuMemHostAlloc)(void** memory, size_t bytes, unsigned flags);
  CudaResult (*cuMemFreeHost)(void* memory);
  CudaResult (*cuMemcpyHtoDAsync)(CudaAddress to, const void* from, size_t bytes, CudaStream stream);
  CudaResult (*cuMemcpyDtoHAsync)(void* to, CudaAddress from, size_t bytes, CudaStream stream);
  CudaResult (*cuMemsetD8Async)(CudaAddress to, unsigned char value, size_t bytes, CudaStream stream);
  CudaResult (*cuStreamCreateWithPriority)(CudaStream* stream, unsigned flags, int priority);
  CudaResult (*cuStreamDestroy)(CudaStream stream);
  CudaResult (*cuStreamSynchronize)(CudaStream stream);
  CudaResult (*cuEventCreate)(CudaEvent* event, unsigned flags);
  CudaResult (*cuEventDestroy)(CudaEvent event);
  CudaResult (*cuEventRecord)(CudaEvent event, CudaStream stream);
  CudaResult (*cuEventElapsedTime)(float* milliseconds, CudaEvent start, CudaEvent end);
  CudaResult (*cuLaunchKernel)(CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                               CudaStream stream, void** arguments, void** extra);
};
// NOLINTEND(readability-identifier-naming)

// Opens the driver's library; throws InputError if it is not there, or if it lacks a function.
CudaDriver OpenCudaDriver(const char* library = "libcuda.so.1");

}  // namespace haplospin
