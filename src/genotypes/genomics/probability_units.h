// Whole numbers that stand for a probability of 1. NVRTC compiles this header, too, so it includes nothing that the
// host alone has.
#pragma once

namespace haplospin {

inline constexpr unsigned short kPackedProbabilityOne = 65535;  // unit in memory: all steps of 16 bits
inline constexpr unsigned kProbabilityOne = 10000;              // unit in VCF: four decimals

}  // namespace haplospin
