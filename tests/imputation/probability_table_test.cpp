#include "imputation/probability_table.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>

#include "core/random.h"

namespace haplospin {
namespace {

constexpr size_t kMarkers = 150;

// As imputation gives them: most of a marker's haplotypes have the same probability.
std::vector<std::vector<float>> SomeRows(size_t haplotypes, uint64_t seed) {
  RandomStream random(seed);
  std::vector<float> common(kMarkers);
  for (float& p : common) p = 0.01f * static_cast<float>(random.Uniform());
  std::vector<std::vector<float>> rows(haplotypes, common);
  for (std::vector<float>& row : rows) {
    for (float& p : row) {
      if (random.Bernoulli(0.1)) p = static_cast<float>(random.Uniform());
    }
  }
  return rows;
}

ProbabilityTable TableOf(const std::vector<std::vector<float>>& rows) {
  ProbabilityTable table(rows.size(), kMarkers);
  tbb::parallel_for(size_t{0}, rows.size(), [&](size_t h) { table.SetRow(h, rows[h]); });
  return table;
}

void ExpectSame(const ProbabilityTable& a, const ProbabilityTable& b, size_t first, size_t last) {
  std::vector<float> of_a, of_b;
  a.CopyColumns(first, last, of_a);
  b.CopyColumns(first, last, of_b);
  EXPECT_EQ(of_a, of_b) << first << " to " << last;
}

TEST(ProbabilityTableTest, KeepsProbabilitiesToTheNearestStep) {
  const std::vector<std::vector<float>> rows = SomeRows(3, 1);
  const ProbabilityTable table = TableOf(rows);
  std::vector<float> columns;
  table.CopyColumns(10, 60, columns);
  ASSERT_EQ(columns.size(), 50 * 3);
  for (size_t h = 0; h < 3; ++h) {
    for (size_t m = 0; m < kMarkers; ++m) EXPECT_NEAR(table.Get(h, m), rows[h][m], 0.51 / kWindowProbabilityOne);
    for (size_t m = 10; m < 60; ++m) EXPECT_EQ(columns[(m - 10) * 3 + h], table.Get(h, m));
  }
}

TEST(ProbabilityTableTest, SetsOneProbabilityAsItSetsARow) {
  const std::vector<std::vector<float>> rows = SomeRows(5, 2);
  const ProbabilityTable by_row = TableOf(rows);
  ProbabilityTable one_by_one(5, kMarkers);
  for (size_t h = 0; h < 5; ++h) {
    for (size_t m = 0; m < kMarkers; ++m) one_by_one.Set(h, m, rows[h][m]);
  }
  ExpectSame(by_row, one_by_one, 0, kMarkers);
}

TEST(ProbabilityTableTest, IsZeroWhereNothingIsSet) {
  ProbabilityTable table(1300, kMarkers);
  table.Set(700, 3, 1.0f);
  table.CompressBefore(1300);
  std::vector<float> columns;
  table.CopyColumns(3, 4, columns);
  for (size_t h = 0; h < 1300; ++h) EXPECT_EQ(columns[h], h == 700 ? 1.0f : 0.0f) << h;
  EXPECT_EQ(table.Get(0, 0), 0);
}

TEST(ProbabilityTableTest, CompressionChangesNothing) {
  for (const size_t haplotypes : {600, 1024, 1500}) {
    const std::vector<std::vector<float>> rows = SomeRows(haplotypes, haplotypes);
    const ProbabilityTable open = TableOf(rows);
    for (const size_t end : {size_t{511}, size_t{512}, size_t{1100}, haplotypes}) {
      ProbabilityTable compressed = TableOf(rows);
      compressed.CompressBefore(end);
      for (const auto& [first, last] :
           {std::pair<size_t, size_t>{0, kMarkers}, {5, 5}, {63, 65}, {64, 128}, {149, 150}})
        ExpectSame(open, compressed, first, last);
      EXPECT_EQ(open.Get(haplotypes - 1, 77), compressed.Get(haplotypes - 1, 77));
      EXPECT_EQ(open.Get(3, 77), compressed.Get(3, 77));
    }
  }
}

TEST(ProbabilityTableTest, CompressesBlockByBlock) {
  const std::vector<std::vector<float>> rows = SomeRows(1500, 4);
  const ProbabilityTable open = TableOf(rows);
  ProbabilityTable table(1500, kMarkers);
  for (size_t h = 0; h < 1500; ++h) {
    table.SetRow(h, rows[h]);
    if (h % 100 == 99) table.CompressBefore(h + 1);
  }
  ExpectSame(open, table, 0, kMarkers);
}

TEST(ProbabilityTableTest, TellsWhatACompressedProbabilityTakes) {
  ProbabilityTable table = TableOf(SomeRows(2000, 5));
  EXPECT_EQ(table.CompressedBytes(), ProbabilityTable::kCompressedBytes);
  table.CompressBefore(2000);
  EXPECT_LT(table.CompressedBytes(), 0.6);  // a tenth has two random bytes
  EXPECT_GT(table.CompressedBytes(), 0.2);
  EXPECT_EQ(ProbabilityTable::BytesOfMarker(100), 200);
  EXPECT_LT(ProbabilityTable::BytesOfMarker(100'000, 0.25), 30'000);
}

TEST(ProbabilityTableTest, OneBlockIsNotCompressed) {
  ProbabilityTable table = TableOf(SomeRows(512, 6));
  table.CompressBefore(512);
  EXPECT_EQ(table.CompressedBytes(), ProbabilityTable::kCompressedBytes);
}

}  // namespace
}  // namespace haplospin
