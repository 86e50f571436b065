#include "imputation/copying/sorted_haplotypes.h"

#include <algorithm>
#include <numeric>

namespace haplospin {
namespace {

// Where each code begins among the sorted codes. Neighbors often have the same code: with counters of their own, no
// addition waits for the one before.
CodeStarts CountCodes(const std::vector<uint8_t>& codes) {
  constexpr size_t kCounters = 4;
  std::array<CodeStarts, kCounters> counts{};
  for (size_t first = 0; first < codes.size(); first += kCounters) {
    const size_t count = std::min(kCounters, codes.size() - first);
    for (size_t i = 0; i < count; ++i) ++counts[i][codes[first + i] + 1];
  }
  CodeStarts start{};
  for (size_t code = 1; code < start.size(); ++code) {
    start[code] = start[code - 1];
    for (const CodeStarts& part : counts) start[code] += part[code];
  }
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
  starts_ = CountCodes(codes_);
  CodeStarts next = starts_;
  size_t i = 0;
  // Neighbors in the order often have the same code too, so that runs of one code are moved at a time.
  const auto move_haplotypes_to = [&](size_t end) {
    while (i < end) {
      const uint8_t code = codes_[order_[i]];
      uint32_t to = next[code];
      do next_order_[to++] = order_[i++];
      while (i < end && codes_[order_[i]] == code);
      next[code] = to;
    }
  };
  // A target comes after the haplotypes with its code that were before it.
  for (const uint32_t t : targets_) {
    move_haplotypes_to(position_[t]);
    position_[t] = next[target_codes_[t]];
  }
  move_haplotypes_to(order_.size());
  order_.swap(next_order_);

  CodeStarts next_target = CountCodes(target_codes_);
  for (const uint32_t t : targets_) next_targets_[next_target[target_codes_[t]]++] = t;
  targets_.swap(next_targets_);
}

}  // namespace haplospin
