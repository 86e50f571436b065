// The positional Burrows-Wheeler order of reference haplotypes, and the places of targets in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace haplospin {

inline constexpr size_t kMaxBlockMarkers = 8;  // a K-mer fits in a byte

// Haplotypes sorted by the K-mers seen so far, the last one first. A target is not in the order: it has a position, the
// number of haplotypes before it, so that its neighbors are reference haplotypes however many targets there are.
class SortedHaplotypes {
 public:
  SortedHaplotypes(size_t num_haplotypes, size_t num_targets);

  // The K-mers of the next block: to be filled before each Sort().
  std::vector<uint8_t>& codes() { return codes_; }
  std::vector<uint8_t>& target_codes() { return target_codes_; }

  // Sorts by the present codes, stably. Time: haplotypes + targets.
  void Sort();

  const std::vector<uint32_t>& order() const { return order_; }
  uint8_t code(uint32_t haplotype) const { return codes_[haplotype]; }
  uint32_t position(size_t target) const { return position_[target]; }
  uint8_t target_code(size_t target) const { return target_codes_[target]; }

 private:
  std::vector<uint32_t> order_, next_order_;      // [haplotypes]
  std::vector<uint8_t> codes_;                    // [haplotypes]
  std::vector<uint32_t> position_;                // [targets]
  std::vector<uint32_t> targets_, next_targets_;  // by position
  std::vector<uint8_t> target_codes_;             // [targets]
};

}  // namespace haplospin
