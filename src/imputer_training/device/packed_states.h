// The states of a target without the workspace that CopyingStates chooses them in, which grows with the panel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "imputation/copying/copying_states.h"

namespace haplospin {

struct PackedStates {
  PackedStates(const CopyingStates& states, size_t num_typed);

  size_t size() const { return num_segments.size(); }

  size_t num_copied;         // haplotypes of the panel that can be copied
  size_t num_without_state;  // of these
  size_t words;              // of the bits at a typed marker

  std::vector<uint64_t> bits;          // [typed, words] bit s is the allele of state s
  std::vector<uint32_t> num_segments;  // [states]
  std::vector<StateSegment> segments;  // state after state
};

}  // namespace haplospin
