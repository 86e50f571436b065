#include "genotypes/imputation/contig/learned_orders.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/panel_alignment.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Markers that are typed within the dosages or beyond them, or that the panel lacks, with and without genotypes to
// phase.
TEST(LearnedOrders, AreThoseOfTheDosages) {
  constexpr size_t kHaplotypes = 21;
  WindowDosages dosages({10, 30}, kHaplotypes);
  std::deque<ContigMarker> markers;
  std::vector<uint32_t> column;
  for (uint32_t m = 5; m < 35; ++m) {
    ContigMarker marker;
    marker.panel_marker = m % 6 == 0 ? kNotInPanel : m;
    if (m % 2 == 0) marker.genotypes.unphased.resize(kHaplotypes);
    if (m % 5 == 0) marker.genotypes.phase_sets.resize(kHaplotypes);
    column.push_back(marker.panel_marker);
    markers.push_back(marker);
  }
  for (uint32_t m = 10; m < 30; ++m) {
    for (size_t h = 0; h < kHaplotypes; ++h) dosages.Set(h, m, (m * 31 + h * 17) % 3 == 0 ? 0.9f : 0.2f);
  }
  const std::string packed = PackOrders(dosages, column, markers);
  const LearnedOrders orders = UnpackOrders(packed, kHaplotypes, markers);
  ASSERT_EQ(orders.column.size(), markers.size());
  for (size_t s = 0; s < markers.size(); ++s) {
    const bool is_learned =
        IsTyped(column[s]) && dosages.range.Contains(column[s]) && (column[s] % 2 == 0 || column[s] % 5 == 0);
    EXPECT_EQ(IsTyped(orders.column[s]), IsTyped(column[s]));
    EXPECT_EQ(orders.dosages.range.Contains(orders.column[s]), is_learned);
    for (size_t h = 0; is_learned && h < kHaplotypes; ++h) {
      EXPECT_EQ(orders.dosages.Get(h, orders.column[s]) > 0.5f, dosages.Get(h, column[s]) > 0.5f);
    }
  }
  EXPECT_THROW(UnpackOrders(packed.substr(1), kHaplotypes, markers), InputError);
}

}  // namespace
}  // namespace haplospin
