// Which samples of a panel become the study of a benchmark.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assessment/mask_panel.h"

namespace haplospin {

// Keys of the random streams, so that each choice is the same whatever the others are.
struct MaskStream {
  enum Key : uint64_t { kSamples = 1, kThinning = 2, kFlips = 3 };
};

// Indices into the panel's samples, ascending.
struct MaskSamples {
  std::vector<uint32_t> study, reference;
};

// `names` are those of the panel. Throws InputError if the study's samples are not all among them, or none is left.
MaskSamples ChooseSamples(const MaskOptions& options, const std::vector<std::string>& names);

}  // namespace haplospin
