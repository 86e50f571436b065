// How probabilities are written in BGEN.
#pragma once

#include <cstdint>

namespace haplospin {

enum class BgenCompression : uint8_t { kNone = 0, kZlib = 1, kZstd = 2 };  // as in the file's flags

struct BgenOptions {
  int bits = 16;  // of a probability: 8 or 16
  BgenCompression compression = BgenCompression::kZlib;
  bool has_haplotypes = false;  // the probabilities of haplotypes ("phased data"), otherwise of genotypes
};

}  // namespace haplospin
