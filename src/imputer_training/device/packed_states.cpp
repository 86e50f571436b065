#include "imputer_training/device/packed_states.h"

#include <span>

namespace haplospin {

PackedStates::PackedStates(const CopyingStates& states, size_t num_typed)
    : num_copied(states.num_copied()), num_without_state(states.num_without_state()), words((states.size() + 63) / 64) {
  bits.reserve(num_typed * words);
  for (size_t j = 0; j < num_typed; ++j) {
    bits.insert(bits.end(), states.site_bits(j), states.site_bits(j) + words);
  }
  num_segments.reserve(states.size());
  for (size_t s = 0; s < states.size(); ++s) {
    const std::span<const StateSegment> of_state = states.segments(s);
    num_segments.push_back(static_cast<uint32_t>(of_state.size()));
    segments.insert(segments.end(), of_state.begin(), of_state.end());
  }
}

}  // namespace haplospin
