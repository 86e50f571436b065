#include "haplospin/haplotype_panel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "genotypes/genomics/bit_transpose.h"
#include "genotypes/genomics/distinct_haplotypes.h"
#include "genotypes/genomics/mutable_panel.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using Row = std::vector<int>;  // alleles of the haplotypes

SampleTable Diploids(size_t count) {
  SampleTable samples{{}, {0}};
  for (size_t s = 0; s < count; ++s) samples.Add("S" + std::to_string(s), 2);
  return samples;
}

std::vector<uint64_t> Pack(const Row& row) {
  std::vector<uint64_t> words((row.size() + 63) / 64);
  for (size_t h = 0; h < row.size(); ++h) words[h / 64] |= uint64_t(row[h]) << h % 64;
  return words;
}

Row RandomRow(size_t num_haplotypes, std::mt19937& random) {
  constexpr std::array<double, 6> kFrequencies = {0, 0.005, 0.02, 0.3, 0.98, 1};
  std::bernoulli_distribution carries(kFrequencies[random() % kFrequencies.size()]);
  Row row(num_haplotypes);
  std::ranges::generate(row, [&] { return carries(random) ? 1 : 0; });
  return row;
}

Marker NumberedMarker(size_t m) { return {static_cast<int64_t>(100 * m), "rs" + std::to_string(m), "A", "C"}; }

void ExpectRow(const HaplotypePanel& panel, size_t m, const Row& row) {
  const auto alt_count = static_cast<size_t>(std::ranges::count(row, 1));
  const size_t minor_count = std::min(alt_count, row.size() - alt_count);
  ASSERT_EQ(panel.alt_count(m), alt_count);
  ASSERT_EQ(panel.is_rare(m), 64 * minor_count <= row.size());
  ASSERT_EQ(panel.minor_is_alt(m), alt_count <= row.size() - alt_count);
  std::vector<uint64_t> words(panel.words_per_marker(), 0x5555);
  panel.CopyBits(m, words.data());
  ASSERT_EQ(words, Pack(row));
  for (size_t h = 0; h < row.size(); ++h) ASSERT_EQ(panel.allele(m, h), row[h]) << h;
  if (panel.is_rare(m)) {
    std::vector<uint32_t> expected;
    for (size_t h = 0; h < row.size(); ++h) {
      if (row[h] == (panel.minor_is_alt(m) ? 1 : 0)) expected.push_back(static_cast<uint32_t>(h));
    }
    ASSERT_TRUE(std::ranges::equal(panel.carriers(m), expected));
  }
}

void AppendByCarriers(const Row& row, Marker marker, MutablePanel& panel) {
  const bool minor_is_alt = 2 * static_cast<size_t>(std::ranges::count(row, 1)) <= row.size();
  std::vector<uint32_t> carriers;
  for (size_t h = 0; h < row.size(); ++h) {
    if (row[h] == (minor_is_alt ? 1 : 0)) carriers.push_back(static_cast<uint32_t>(h));
  }
  panel.AppendCarriers(std::move(marker), carriers, minor_is_alt);
}

class HaplotypePanelTest : public testing::TestWithParam<size_t> {};

TEST_P(HaplotypePanelTest, HoldsTheAllelesItWasGivenAndForgetsDroppedMarkers) {
  std::mt19937 random(GetParam());
  MutablePanel panel("20", Diploids(GetParam()));
  ASSERT_EQ(panel.num_haplotypes(), 2 * GetParam());
  std::vector<Row> rows;
  size_t dropped = 0;
  for (size_t m = 0; m < 300; ++m) {
    rows.push_back(RandomRow(panel.num_haplotypes(), random));
    if (random() % 2 == 0) {
      panel.Append(NumberedMarker(m), Pack(rows.back()).data());
    } else {
      AppendByCarriers(rows.back(), NumberedMarker(m), panel);
    }
    if (random() % 40 == 0) {
      const size_t more = random() % (panel.num_markers() + 1);
      panel.DropBefore(more);
      dropped += more;
    }
  }
  ASSERT_EQ(panel.num_markers(), rows.size() - dropped);
  for (size_t m = 0; m < panel.num_markers(); ++m) {
    EXPECT_EQ(panel.marker(m).position, static_cast<int64_t>(100 * (m + dropped)));
    ExpectRow(panel, m, rows[m + dropped]);
  }
}

TEST_P(HaplotypePanelTest, CopiesMarkersOfAnotherPanel) {
  std::mt19937 random(GetParam());
  MutablePanel panel("20", Diploids(GetParam())), copy("20", Diploids(GetParam()));
  std::vector<Row> rows;
  for (size_t m = 0; m < 50; ++m) {
    rows.push_back(RandomRow(panel.num_haplotypes(), random));
    panel.Append(NumberedMarker(m), Pack(rows.back()).data());
    copy.AppendFrom(panel, m);
  }
  ASSERT_EQ(copy.num_markers(), rows.size());
  for (size_t m = 0; m < rows.size(); ++m) {
    EXPECT_EQ(copy.marker(m).id, NumberedMarker(m).id);
    ExpectRow(copy, m, rows[m]);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, HaplotypePanelTest, testing::Values(1, 2, 31, 32, 33, 100, 700));

TEST(SampleTable, TakesSamplesOneByOne) {
  SampleTable samples;
  samples.Add("A", 2);
  samples.Add("B", 1);
  samples.Add("C", 2);
  EXPECT_EQ(samples.names, std::vector<std::string>({"A", "B", "C"}));
  EXPECT_EQ(samples.first_haplotype, std::vector<uint32_t>({0, 2, 3, 5}));
}

TEST(HaplotypePanelBuilder, MakesAPanelOfAlleles) {
  std::mt19937 random(3);
  HaplotypePanelBuilder builder("20", {{"A", "B", "C"}, {0, 2, 3, 5}});
  std::vector<Row> rows;
  for (size_t m = 0; m < 50; ++m) {
    rows.push_back(RandomRow(5, random));
    builder.AddMarker(NumberedMarker(m), std::vector<uint8_t>(rows.back().begin(), rows.back().end()));
  }
  const HaplotypePanel panel = builder.Build();
  EXPECT_EQ(panel.contig(), "20");
  EXPECT_EQ(panel.samples().names[2], "C");
  ASSERT_EQ(panel.num_markers(), rows.size());
  for (size_t m = 0; m < rows.size(); ++m) {
    EXPECT_EQ(panel.marker(m).id, NumberedMarker(m).id);
    ExpectRow(panel, m, rows[m]);
  }
}

TEST(HaplotypePanelBuilder, RefusesWhatIsNoPanel) {
  EXPECT_THROW(HaplotypePanelBuilder("20", {}), InputError);
  EXPECT_THROW(HaplotypePanelBuilder("20", {{"A", "B"}, {0, 2}}), InputError);
  EXPECT_THROW(HaplotypePanelBuilder("20", {{"A", "B"}, {0, 2, 5}}), InputError);
  HaplotypePanelBuilder builder("20", Diploids(1));
  builder.AddMarker(NumberedMarker(3), std::vector<uint8_t>{0, 1});
  EXPECT_THROW(builder.AddMarker(NumberedMarker(2), std::vector<uint8_t>{0, 1}), InputError);
  EXPECT_THROW(builder.AddMarker(NumberedMarker(3), std::vector<uint8_t>{0, 1, 1}), InputError);
  EXPECT_THROW(builder.AddMarker(NumberedMarker(3), std::vector<uint8_t>{0, 2}), InputError);
  EXPECT_EQ(builder.Build().num_markers(), 1u);
}

TEST(HaplotypePanel, TakesFarLessThanAByteAnAllele) {
  constexpr size_t kSamples = 2000, kMarkers = 3000;
  std::mt19937 random(1);
  MutablePanel panel("20", Diploids(kSamples));
  for (size_t m = 0; m < kMarkers; ++m) {
    // Frequencies as of sequenced people: density 1 / f.
    const double frequency = 0.5 * std::pow(1.0 / 2000, std::uniform_real_distribution<>()(random));
    std::bernoulli_distribution carries(frequency);
    Row row(2 * kSamples);
    std::ranges::generate(row, [&] { return carries(random) ? 1 : 0; });
    panel.Append(NumberedMarker(m), Pack(row).data());
  }
  const size_t alleles = 2 * kSamples * kMarkers;
  EXPECT_LT(panel.MemoryBytes(), alleles / 6);
  EXPECT_GT(panel.MemoryBytes(), kMarkers * sizeof(Marker));
}

TEST(HaplotypePanel, GivesMemoryBackAsMarkersAreDropped) {
  constexpr size_t kMarkers = 20000;
  std::mt19937 random(2);
  MutablePanel panel("20", Diploids(1000));
  const size_t empty = panel.MemoryBytes();
  Row row(2000);
  std::ranges::generate(row, [&] { return static_cast<int>(random() % 2); });
  for (size_t m = 0; m < kMarkers; ++m) panel.Append(NumberedMarker(m), Pack(row).data());
  const size_t full = panel.MemoryBytes();
  EXPECT_GT(full - empty, kMarkers * 2000 / 8);
  size_t last = full;
  for (int quarter = 0; quarter < 4; ++quarter) {
    for (size_t m = 0; m < kMarkers / 4; ++m) panel.DropBefore(1);
    EXPECT_LT(panel.MemoryBytes(), last - full / 8);
    last = panel.MemoryBytes();
  }
  EXPECT_EQ(last, empty);
}

TEST_P(HaplotypePanelTest, TurnsOnItsSide) {
  std::mt19937 random(GetParam());
  MutablePanel panel("20", Diploids(GetParam()));
  for (size_t m = 0; m < 200; ++m) {
    panel.Append(NumberedMarker(m), Pack(RandomRow(panel.num_haplotypes(), random)).data());
  }
  for (const size_t count : {0, 1, 63, 64, 65, 150}) {
    std::vector<uint32_t> markers;
    for (uint32_t m = 0; m < panel.num_markers() && markers.size() < count; m += 1 + (random() % 4 == 0)) {
      markers.push_back(m);
    }
    const HaplotypeMajorBits bits(panel, markers);
    for (size_t h = 0; h < panel.num_haplotypes(); ++h) {
      for (size_t k = 0; k < (markers.size() + 63) / 64 * 64; ++k) {
        const int expected = k < markers.size() ? panel.allele(markers[k], h) : 0;
        ASSERT_EQ(static_cast<int>(bits.row(h)[k / 64] >> k % 64 & 1), expected) << h << ", " << k;
      }
    }
  }
}

TEST(FirstMarkerAtOrAfter, IsTheLowerBoundByPosition) {
  MutablePanel panel("20", Diploids(1));
  EXPECT_EQ(FirstMarkerAtOrAfter(panel, 1), 0u);
  const uint64_t bits = 1;
  for (const int64_t position : {10, 20, 20, 20, 35}) panel.Append({position, ".", "A", "C"}, &bits);
  const std::pair<int64_t, size_t> kExpected[] = {{1, 0}, {10, 0}, {11, 1}, {20, 1}, {21, 4}, {35, 4}, {36, 5}};
  for (const auto& [position, marker] : kExpected) EXPECT_EQ(FirstMarkerAtOrAfter(panel, position), marker) << position;
  panel.DropBefore(2);
  EXPECT_EQ(FirstMarkerAtOrAfter(panel, 35), 2u);
}

}  // namespace
}  // namespace haplospin
