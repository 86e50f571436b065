// The vector instructions of the processor that the kernels use.
#pragma once

#include <string>

namespace haplospin {

// The name of the instruction set that is used, such as "AVX2": the best that the processor has and the kernels were
// compiled for, unless the environment names a lesser one.
std::string InstructionSet();

// From now on uses the instruction set that the environment variable HAPLOSPIN_TARGET names ("avx2", in any case); for
// measurements. Without the variable nothing changes. Call it before the first kernel. Throws InputError if the
// processor has no such instruction set or the kernels were not compiled for it; the message lists those that exist.
void LimitInstructionSetByEnvironment();

}  // namespace haplospin
