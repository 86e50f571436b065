// The compiled kernels, which are part of the program.
#pragma once

#include <string>

namespace haplospin {

// PTX, an assembly that NVIDIA's driver compiles for the GPU at hand. scripts/make-kernels makes it from kernels/; its
// first line is "// source SHA-256: " and the digest of the sources.
std::string KernelCode();

}  // namespace haplospin
