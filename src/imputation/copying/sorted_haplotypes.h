// The positional Burrows-Wheeler order of reference haplotypes, and the places of targets in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haplospin {

inline constexpr size_t kMaxBlockMarkers = 8;  // a K-mer fits in a byte

// Where each K-mer begins in sorted order, and the end.
using CodeStarts = std::array<uint32_t, (size_t{1} << kMaxBlockMarkers) + 1>;

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
  uint32_t position(size_t target) const { return position_[target]; }

  // Whether there is a haplotype at a place in the order and it has the target's code.
  bool has_code_of(size_t target, std::ptrdiff_t place) const {
    const size_t code = target_codes_[target];
    return place >= starts_[code] && place < starts_[code + 1];
  }

 private:
  std::vector<uint32_t> order_, next_order_;      // [haplotypes]
  std::vector<uint8_t> codes_;                    // [haplotypes]
  CodeStarts starts_;                             // of the last sort
  std::vector<uint32_t> position_;                // [targets]
  std::vector<uint32_t> targets_, next_targets_;  // by position
  std::vector<uint8_t> target_codes_;             // [targets]
};

}  // namespace haplospin
