// The phase sets that each sample of a study was last in, along a contig.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haplospin {

class RecentPhaseSets {
 public:
  // Of the alleles of a set, relative to the sample's haplotypes.
  enum class Order : uint8_t { kUnknown, kAsGiven, kExchanged };

  explicit RecentPhaseSets(size_t samples) : sets_(samples) {}

  bool HasAny(size_t sample) const { return sets_[sample][0].is_used; }

  // The sample's next phased heterozygote is of `set`. Returns whether the set was interrupted by another one.
  bool Visit(size_t sample, uint32_t set);

  // Of the set visited last.
  Order order(size_t sample) const { return sets_[sample][0].order; }
  void SetOrder(size_t sample, Order order) { sets_[sample][0].order = order; }

  // What `other` knows of the order of the sets here.
  void Learn(const RecentPhaseSets& other);

 private:
  struct Set {
    uint32_t id = 0;
    bool is_used = false;
    Order order = Order::kUnknown;
  };
  static constexpr size_t kSets = 4;  // more than overlap at any place

  std::vector<std::array<Set, kSets>> sets_;  // [samples] the last one first
};

}  // namespace haplospin
