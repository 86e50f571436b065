#include "genotypes/imputation/backends/gpu/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "haplospin/errors.h"

namespace haplospin {

CudaDriver OpenCudaDriver(const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw InputError(fmt::format("this machine has no NVIDIA driver ({} was not found)", library));
  }
  CudaDriver driver = {};
  const auto find = [&]<typename Function>(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(handle, name));
    if (function == nullptr) {
      throw InputError(fmt::format("the NVIDIA driver ({}) has no {}; one of the year 2022 (525) or later is needed",
                                   library, name));
    }
  };
  // Functions whose interface has changed have a version in the name of their symbol.
  find(driver.cuInit, "cuInit");
  find(driver.cuGetErrorString, "cuGetErrorString");
  find(driver.cuDeviceGetCount, "cuDeviceGetCount");
  find(driver.cuDeviceGet, "cuDeviceGet");
  find(driver.cuDeviceGetName, "cuDeviceGetName");
  find(driver.cuDeviceGetAttribute, "cuDeviceGetAttribute");
  find(driver.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  find(driver.cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  find(driver.cuCtxSetCurrent, "cuCtxSetCurrent");
  find(driver.cuModuleLoadData, "cuModuleLoadData");
  find(driver.cuModuleUnload, "cuModuleUnload");
  find(driver.cuModuleGetFunction, "cuModuleGetFunction");
  find(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  find(driver.cuMemGetInfo, "cuMemGetInfo_v2");
  find(driver.cuMemAlloc, "cuMemAlloc_v2");
  find(driver.cuMemFree, "cuMemFree_v2");
  find(driver.cuMemHostAlloc, "cuMemHostAlloc");
  find(driver.cuMemFreeHost, "cuMemFreeHost");
  find(driver.cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2");
  find(driver.cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
  find(driver.cuMemsetD8Async, "cuMemsetD8Async");
  find(driver.cuStreamCreateWithPriority, "cuStreamCreateWithPriority");
  find(driver.cuStreamDestroy, "cuStreamDestroy_v2");
  find(driver.cuStreamSynchronize, "cuStreamSynchronize");
  find(driver.cuEventCreate, "cuEventCreate");
  find(driver.cuEventDestroy, "cuEventDestroy_v2");
  find(driver.cuEventRecord, "cuEventRecord");
  find(driver.cuEventElapsedTime, "cuEventElapsedTime");
  find(driver.cuLaunchKernel, "cuLaunchKernel");
  return driver;
}

}  // namespace haplospin
