#include "imputation/copying/state_selection.h"

#include <gtest/gtest.h>

#include <numeric>

#include "genomics/mutable_panel.h"
#include "imputation/copying/copying_model.h"
#include "imputation/mosaic_panel.h"

namespace haplospin {
namespace {

constexpr size_t kTyped = 40;

// The number of states of a target that is the same as a quarter of the panel, where 60 matches of a block are kept in
// a small panel.
size_t StatesIn(size_t haplotypes) {
  MutablePanel panel("20", HaploidSamples("R", haplotypes));
  for (size_t m = 0; m < kTyped; ++m) {
    std::vector<uint64_t> bits(panel.words_per_marker());
    for (size_t h = 0; h < haplotypes; ++h) {
      if (h % 4 == 1 + m % 3) bits[h / 64] |= uint64_t{1} << (h % 64);
    }
    panel.Append({static_cast<int64_t>(1000 * (m + 1)), ".", "A", "C"}, bits.data());
  }
  std::vector<uint32_t> typed(kTyped);
  std::iota(typed.begin(), typed.end(), 0);
  const TypedPanel array(panel, typed, GeneticMap::Uniform());
  const TargetHaplotype target(std::vector<uint8_t>(kTyped, 0));
  const CopyingOptions options{.states = {.matches = {.per_block = 60}}};
  const StateSelection selection(array, PointersTo({&target, 1}), options.ForPanel(haplotypes).states);
  CopyingStates states;
  selection.Get(0, states);
  return states.size();
}

TEST(StateSelection, ASmallPanelIsUsedWhole) { EXPECT_EQ(StatesIn(100), 100u); }

// 60 matches in each direction, which may be the same, and others up to kMinStates.
TEST(StateSelection, ALargerOneIsNot) { EXPECT_EQ(StatesIn(4000), CopyingStates::kMinStates); }

TEST(StateSelection, MoreMatchesAreKeptInALargerPanel) {
  EXPECT_GE(StatesIn(20000), 960u);
  EXPECT_LE(StatesIn(20000), 1920u);
  EXPECT_LE(StatesIn(40000), 1920u);  // bounded
}

}  // namespace
}  // namespace haplospin
