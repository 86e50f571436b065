#include "genotypes/imputation/window/probability_table.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>

#include <map>
#include <vector>

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

// Compressed, if it is large enough.
ProbabilityTable TableOf(const std::vector<std::vector<float>>& rows) {
  ProbabilityTable table(rows.size(), kMarkers);
  tbb::parallel_for(size_t{0}, rows.size(), [&](size_t h) { table.SetRow(h, rows[h]); });
  return table;
}

ProbabilityTable OpenTableOf(const std::vector<std::vector<float>>& rows) {
  ProbabilityTable table(rows.size(), kMarkers);
  for (size_t h = 0; h < rows.size(); ++h) {
    for (size_t m = 0; m < kMarkers; ++m) table.Set(h, m, rows[h][m]);
  }
  return table;
}

bool IsCompressed(const ProbabilityTable& table) {
  return table.CompressedBytes() != ProbabilityTable::kCompressedBytes;
}

void ExpectSame(const ProbabilityTable& a, const ProbabilityTable& b, size_t first, size_t last) {
  std::vector<float> of_a, of_b;
  a.CopyColumns(first, last, of_a);
  b.CopyColumns(first, last, of_b);
  EXPECT_EQ(of_a, of_b) << first << " to " << last;
}

TEST(ProbabilityTableTest, ColumnsOneAfterTheOther) {
  for (const size_t haplotypes : {5, 700}) {
    const ProbabilityTable table = TableOf(SomeRows(haplotypes, 4));
    EXPECT_EQ(IsCompressed(table), haplotypes == 700);
    ColumnReader columns(table);
    for (const size_t m : {0, 3, 4, 100, 127, 128, 149, 2}) {
      const std::span<const float> column = columns.At(m);
      std::vector<float> expected;
      table.CopyColumns(m, m + 1, expected);
      EXPECT_EQ(std::vector<float>(column.begin(), column.end()), expected) << m;
    }
  }
}

// A compressed tile is decompressed as a whole, so its markers are read together; open rows are not copied in vain.
TEST(ProbabilityTableTest, MarkersThatAreReadTogether) {
  const auto markers = [](size_t haplotypes, size_t m) { return TableOf(SomeRows(haplotypes, 4)).MarkersWith(m); };
  EXPECT_EQ(markers(700, 100), (std::pair<size_t, size_t>{0, 128}));
  EXPECT_EQ(markers(700, 130), (std::pair<size_t, size_t>{128, kMarkers}));
  EXPECT_EQ(markers(5, 100), (std::pair<size_t, size_t>{100, 101}));
}

TEST(ProbabilityTableTest, KeepsProbabilitiesToTheNearestStep) {
  const std::vector<std::vector<float>> rows = SomeRows(3, 1);
  const ProbabilityTable table = TableOf(rows);
  std::vector<float> columns;
  table.CopyColumns(10, 60, columns);
  ASSERT_EQ(columns.size(), 50 * 3);
  for (size_t h = 0; h < 3; ++h) {
    for (size_t m = 0; m < kMarkers; ++m) EXPECT_NEAR(table.Get(h, m), rows[h][m], 0.51 / kPackedProbabilityOne);
    for (size_t m = 10; m < 60; ++m) EXPECT_EQ(columns[(m - 10) * 3 + h], table.Get(h, m));
  }
}

TEST(ProbabilityTableTest, IsZeroWhereNothingIsSet) {
  ProbabilityTable table(1300, kMarkers);
  table.Set(700, 3, 1.0f);
  table.SetRow(100, std::vector<float>(kMarkers, 1.0f));
  std::vector<float> columns;
  table.CopyColumns(3, 4, columns);
  for (size_t h = 0; h < 1300; ++h) EXPECT_EQ(columns[h], h == 700 || h == 100 ? 1.0f : 0.0f) << h;
  EXPECT_EQ(table.Get(0, 0), 0);
  EXPECT_EQ(table.Get(100, 0), 1);
}

TEST(ProbabilityTableTest, CompressionChangesNothing) {
  for (const size_t haplotypes : {513, 600, 1024, 1500}) {
    const std::vector<std::vector<float>> rows = SomeRows(haplotypes, haplotypes);
    const ProbabilityTable open = OpenTableOf(rows), compressed = TableOf(rows);
    ASSERT_FALSE(IsCompressed(open));
    ASSERT_TRUE(IsCompressed(compressed));
    for (const auto& [first, last] :
         {std::pair<size_t, size_t>{0, kMarkers}, {5, 5}, {127, 129}, {0, 128}, {128, 150}, {149, 150}}) {
      ExpectSame(open, compressed, first, last);
    }
    for (const size_t h : {size_t{3}, size_t{128}, haplotypes - 1}) EXPECT_EQ(open.Get(h, 77), compressed.Get(h, 77));
  }
}

// Rows that are missing keep only their own block from being compressed.
TEST(ProbabilityTableTest, BlocksAreCompressedWhenTheyAreComplete) {
  const std::vector<std::vector<float>> rows = SomeRows(1000, 4);
  ProbabilityTable table(1000, kMarkers);
  for (size_t h = 0; h < 1000; ++h) {
    EXPECT_EQ(IsCompressed(table), h >= 128);
    if (h != 300) table.SetRow(h, rows[h]);
  }
  table.SetRow(300, rows[300]);
  ExpectSame(OpenTableOf(rows), table, 0, kMarkers);
}

TEST(ProbabilityTableTest, TellsWhatACompressedProbabilityTakes) {
  EXPECT_LT(TableOf(SomeRows(2000, 5)).CompressedBytes(), 0.6);  // a tenth has two random bytes
  EXPECT_GT(TableOf(SomeRows(2000, 5)).CompressedBytes(), 0.2);
  EXPECT_EQ(ProbabilityTable::BytesOfMarker(100), 200);
  EXPECT_LT(ProbabilityTable::BytesOfMarker(100'000, 0.25), 30'000);
}

TEST(ProbabilityTableTest, SmallTablesAreNotCompressed) { EXPECT_FALSE(IsCompressed(TableOf(SomeRows(512, 6)))); }

TEST(ProbabilityTable, RowsAreReplaced) {
  for (const size_t haplotypes : {10, 700}) {
    std::vector<std::vector<float>> rows = SomeRows(haplotypes, 5);
    ProbabilityTable table = TableOf(rows);
    std::map<size_t, std::vector<float>> others;
    for (const size_t h : {size_t{3}, size_t{9}, haplotypes - 1}) {
      others[h] = SomeRows(1, h)[0];
      rows[h] = others[h];
    }
    table.ReplaceRows(others);
    EXPECT_EQ(IsCompressed(table), haplotypes == 700);
    ExpectSame(table, TableOf(rows), 0, kMarkers);
  }
}

}  // namespace
}  // namespace haplospin
