// An emulated GPU, and the errors of what is done with it.
#pragma once

#include <cstdlib>
#include <string>

#include "genotypes/imputation/backends/gpu/cuda_driver.h"
#include "haplospin/errors.h"

namespace haplospin {

// The behavior of the emulated GPU (emulated_driver.cpp) while the object exists.
class Behavior {
 public:
  explicit Behavior(const std::string& settings) { setenv("HAPLOSPIN_EMULATED_GPU", settings.c_str(), 1); }
  ~Behavior() { unsetenv("HAPLOSPIN_EMULATED_GPU"); }
};

inline CudaDriver Driver() { return OpenCudaDriver(HAPLOSPIN_EMULATED_DRIVER); }

// Returns the message of the InputError, or "" if there is none.
template <typename Function>
std::string ErrorOf(const Function& function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace haplospin
