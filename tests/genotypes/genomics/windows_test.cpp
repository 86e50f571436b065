#include "genotypes/genomics/windows.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace haplospin {
namespace {

// Up to the first whose core holds `last`.
std::vector<Window> AllWindows(const GeneticMap& map, int64_t first, int64_t last, double window_cm,
                               double overlap_cm) {
  WindowCursor cursor(map, {window_cm, overlap_cm}, first);
  std::vector<Window> windows = {cursor.window()};
  while (windows.back().core_end_bp < last) {
    cursor.Next();
    windows.push_back(cursor.window());
  }
  return windows;
}

TEST(Windows, CutsAUniformMapEvenly) {
  // 1 cM/Mb: cores of 2 Mb with half a megabase on either side.
  const auto windows = AllWindows(GeneticMap::Uniform(), 1, 5'000'000, 2, 0.5);
  ASSERT_EQ(windows.size(), 3u);
  EXPECT_EQ(windows[0], (Window{1, 2'500'001, 1, 2'000'001}));
  EXPECT_EQ(windows[1], (Window{1'500'002, 4'500'002, 2'000'002, 4'000'002}));
  EXPECT_EQ(windows[2], (Window{3'500'003, 6'500'003, 4'000'003, 6'000'003}));
}

TEST(Windows, OneWindowHoldsAShortContig) {
  const auto windows = AllWindows(GeneticMap::Uniform(), 1000, 3000, 40, 2);
  ASSERT_EQ(windows.size(), 1u);
  EXPECT_EQ(windows[0], (Window{1, 42'001'000, 1000, 40'001'000}));
}

TEST(Windows, FollowACoreThatWasShortened) {
  const GeneticMap map = GeneticMap::Uniform();
  WindowCursor cursor(map, {2, 0.5}, 1);
  Window shorter = cursor.window();
  shorter.core_end_bp = 1'500'000;
  cursor.Set(shorter);
  cursor.Next();
  EXPECT_EQ(cursor.window().core_begin_bp, 1'500'001);
  EXPECT_EQ(cursor.window().core_end_bp, 3'500'001);
}

// Cores tile the contig, are as long as asked for, and flanks reach as far as asked for, on random maps with cold
// stretches and hot spots.
TEST(Windows, TilesTheContig) {
  std::mt19937 random(8);
  for (int repeat = 0; repeat < 30; ++repeat) {
    std::vector<int64_t> positions;
    std::vector<double> values;
    int64_t position = 10'000 + static_cast<int64_t>(random() % 100'000);
    double centimorgans = 0;
    for (int point = 0; point < 200; ++point) {
      positions.push_back(position);
      values.push_back(centimorgans);
      position += 1 + static_cast<int64_t>(random() % 50'000);
      if (random() % 3 != 0) centimorgans += 0.001 * static_cast<double>(random() % 300);
    }
    const GeneticMap map(positions, values);
    const int64_t first = 1 + static_cast<int64_t>(random() % 20'000);
    const int64_t last = position + static_cast<int64_t>(random() % 100'000);
    const double window_cm = 0.2 + 0.01 * static_cast<double>(random() % 400);
    const double overlap_cm = 0.01 * static_cast<double>(random() % 100);
    const auto windows = AllWindows(map, first, last, window_cm, overlap_cm);

    constexpr double kRounding = 1e-9;
    const auto cm = [&](int64_t bp) { return map.Centimorgans(bp); };
    ASSERT_EQ(windows.front().core_begin_bp, first);
    ASSERT_GE(windows.back().core_end_bp, last);
    for (size_t i = 0; i < windows.size(); ++i) {
      const Window& w = windows[i];
      if (i > 0) {
        ASSERT_EQ(w.core_begin_bp, windows[i - 1].core_end_bp + 1);
      }
      ASSERT_LE(1, w.begin_bp);
      ASSERT_LE(w.begin_bp, w.core_begin_bp);
      ASSERT_LE(w.core_begin_bp, w.core_end_bp);
      ASSERT_LE(w.core_end_bp, w.end_bp);
      if (w.core_end_bp > w.core_begin_bp) {
        ASSERT_LE(cm(w.core_end_bp) - cm(w.core_begin_bp), window_cm + kRounding);
      }
      ASSERT_GT(cm(w.core_end_bp + 1) - cm(w.core_begin_bp), window_cm - kRounding);
      if (w.begin_bp > 1) {
        ASSERT_GT(cm(w.core_begin_bp) - cm(w.begin_bp - 1), overlap_cm - kRounding);
      }
      ASSERT_LE(cm(w.core_begin_bp) - cm(w.begin_bp), overlap_cm + kRounding);
      ASSERT_LE(cm(w.end_bp) - cm(w.core_end_bp), overlap_cm + kRounding);
      ASSERT_GT(cm(w.end_bp + 1) - cm(w.core_end_bp), overlap_cm - kRounding);
    }
  }
}

}  // namespace
}  // namespace haplospin
