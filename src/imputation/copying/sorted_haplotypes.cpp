#include "imputation/copying/sorted_haplotypes.h"

#include <array>
#include <numeric>

namespace haplospin {
namespace {

constexpr size_t kNumCodes = size_t{1} << kMaxBlockMarkers;

using Starts = std::array<uint32_t, kNumCodes + 1>;

// Where each code begins among the sorted codes.
Starts CountCodes(const std::vector<uint8_t>& codes) {
  Starts start{};
  for (const uint8_t code : codes) ++start[code + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  return start;
}

}  // namespace

SortedHaplotypes::SortedHaplotypes(size_t num_haplotypes, size_t num_targets)
    : order_(num_haplotypes),
      next_order_(num_haplotypes),
      codes_(num_haplotypes),
      position_(num_targets),
      targets_(num_targets),
      next_targets_(num_targets),
      target_codes_(num_targets) {
  std::iota(order_.begin(), order_.end(), 0);
  std::iota(targets_.begin(), targets_.end(), 0);
}

void SortedHaplotypes::Sort() {
  Starts next = CountCodes(codes_);
  size_t i = 0;
  const auto move_haplotypes_to = [&](size_t end) {
    for (; i < end; ++i) {
      const uint32_t haplotype = order_[i];
      next_order_[next[codes_[haplotype]]++] = haplotype;
    }
  };
  // A target comes after the haplotypes with its code that were before it.
  for (const uint32_t t : targets_) {
    move_haplotypes_to(position_[t]);
    position_[t] = next[target_codes_[t]];
  }
  move_haplotypes_to(order_.size());
  order_.swap(next_order_);

  Starts next_target = CountCodes(target_codes_);
  for (const uint32_t t : targets_) next_targets_[next_target[target_codes_[t]]++] = t;
  targets_.swap(next_targets_);
}

}  // namespace haplospin
