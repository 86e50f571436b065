#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/random.h"
#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using Alleles = std::vector<std::vector<uint8_t>>;  // [markers][haplotypes]

// Haplotypes that copy `founders` random ones, with alleles of many frequencies.
Alleles DrawAlleles(size_t markers, size_t haplotypes, size_t founders, RandomStream& random) {
  std::vector<size_t> founder(haplotypes);
  for (size_t& f : founder) f = random.UniformInt(founders);
  Alleles alleles(markers, std::vector<uint8_t>(haplotypes));
  for (auto& row : alleles) {
    const double frequency = random.Bernoulli(0.5) ? random.Uniform() : 0.03 * random.Uniform();
    std::vector<uint8_t> of_founder(founders);
    for (uint8_t& allele : of_founder) allele = random.Bernoulli(frequency) ? 1 : 0;
    for (size_t h = 0; h < haplotypes; ++h) row[h] = of_founder[founder[h]];
  }
  return alleles;
}

HaplotypePanel MakePanel(const Alleles& alleles) {
  MutablePanel panel("20", HaploidSamples("H", alleles[0].size()));
  std::vector<uint64_t> bits(panel.words_per_marker());
  for (size_t m = 0; m < alleles.size(); ++m) {
    std::ranges::fill(bits, 0);
    for (size_t h = 0; h < alleles[m].size(); ++h) bits[h / 64] |= uint64_t{alleles[m][h]} << h % 64;
    panel.Append({static_cast<int64_t>(m + 1), ".", "A", "C"}, bits.data());
  }
  return panel;
}

std::vector<uint32_t> AllMarkers(const HaplotypePanel& panel) {
  std::vector<uint32_t> markers(panel.num_markers());
  std::iota(markers.begin(), markers.end(), 0);
  return markers;
}

TEST(DistinctHaplotypes, HaveThePanelsAlleles) {
  RandomStream random(1);
  for (const size_t markers : {1, 63, 64, 65, 200, 256}) {
    for (const size_t haplotypes : {1, 64, 130, 700, 3000}) {
      const Alleles alleles = DrawAlleles(markers, haplotypes, 40, random);
      const HaplotypePanel panel = MakePanel(alleles);
      const DistinctHaplotypes distinct(panel, AllMarkers(panel));
      ASSERT_EQ(distinct.num_markers(), markers);
      ASSERT_LE(distinct.num_distinct(), std::min<size_t>(40, haplotypes));
      for (size_t h = 0; h < haplotypes; h += 7) {
        for (size_t first = 0; first < markers; ++first) {
          const uint64_t bits = distinct.Bits(h, first);
          for (size_t k = 0; k < 64; ++k) {
            ASSERT_EQ(bits >> k & 1, first + k < markers ? alleles[first + k][h] : 0) << h << " " << first << " " << k;
          }
        }
      }
      const size_t words = panel.words_per_marker();
      std::vector<uint64_t> expected(words), copied(words);
      for (size_t m = 0; m < markers; ++m) {
        panel.CopyBits(m, expected.data());
        distinct.CopyWords(m, 0, words, copied.data());
        ASSERT_EQ(copied, expected);
        distinct.CopyWords(m, words / 2, words, copied.data());
        ASSERT_TRUE(std::equal(copied.begin(), copied.begin() + (words - words / 2), expected.begin() + words / 2));
      }
    }
  }
}

TEST(DistinctHaplotypes, CopySomeColumns) {
  RandomStream random(4);
  for (const size_t haplotypes : {1, 64, 511, 1300}) {
    const HaplotypePanel panel = MakePanel(DrawAlleles(150, haplotypes, 60, random));
    const DistinctHaplotypes distinct(panel, AllMarkers(panel));
    for (size_t word = 0; word < 3; ++word) {
      std::vector<std::vector<uint64_t>> copied(64, std::vector<uint64_t>(panel.words_per_marker()));
      std::array<uint64_t*, 64> out{};
      for (size_t k = word; k < 64 && 64 * word + k < 150; k += 3) out[k] = copied[k].data();
      distinct.CopyColumns(word, out);
      for (size_t k = 0; k < 64; ++k) {
        std::vector<uint64_t> expected(panel.words_per_marker());
        if (out[k] != nullptr) panel.CopyBits(64 * word + k, expected.data());
        ASSERT_EQ(copied[k], expected) << haplotypes << " haplotypes, marker " << 64 * word + k;
      }
    }
  }
}

// From their rows, as a panel file has them.
TEST(DistinctHaplotypes, MadeFromRows) {
  RandomStream random(5);
  for (const size_t markers : {1, 64, 200}) {
    const HaplotypePanel panel = MakePanel(DrawAlleles(markers, 700, 90, random));
    const DistinctHaplotypes distinct(panel, AllMarkers(panel));
    std::vector<uint64_t> rows;
    for (size_t r = 0; r < distinct.num_distinct(); ++r) {
      rows.insert(rows.end(), distinct.row(r).begin(), distinct.row(r).end());
    }
    RowIndices row_of(700, distinct.num_distinct());
    row_of.Visit([&](auto& indices) {
      for (size_t h = 0; h < 700; ++h) indices[h] = static_cast<uint16_t>(distinct.row_of(h));
    });
    const DistinctHaplotypes copy(markers, std::move(rows), std::move(row_of));
    ASSERT_EQ(copy.num_haplotypes(), 700u);
    ASSERT_EQ(copy.num_distinct(), distinct.num_distinct());
    const std::vector<uint32_t> alt_counts = copy.AltCounts();
    ASSERT_EQ(alt_counts.size(), markers);
    std::vector<uint64_t> expected(panel.words_per_marker()), copied(panel.words_per_marker());
    for (size_t m = 0; m < markers; ++m) {
      panel.CopyBits(m, expected.data());
      copy.CopyWords(m, 0, copied.size(), copied.data());
      ASSERT_EQ(copied, expected);
      ASSERT_EQ(alt_counts[m], panel.alt_count(m));
    }
  }
}

// More than an index of two bytes can tell apart.
TEST(DistinctHaplotypes, CanBeManyMoreThan65536) {
  constexpr size_t kHaplotypes = 70000, kMarkers = 17;
  Alleles alleles(kMarkers, std::vector<uint8_t>(kHaplotypes));
  for (size_t m = 0; m < kMarkers; ++m) {
    for (size_t h = 0; h < kHaplotypes; ++h) alleles[m][h] = h >> m & 1;
  }
  const HaplotypePanel panel = MakePanel(alleles);
  const DistinctHaplotypes distinct(panel, AllMarkers(panel));
  ASSERT_EQ(distinct.num_distinct(), kHaplotypes);
  for (size_t h = 0; h < kHaplotypes; ++h) ASSERT_EQ(distinct.Bits(h, 0), h);
  for (const uint32_t alt_count : distinct.AltCounts()) ASSERT_GT(alt_count, 0u);
}

TEST(DistinctHaplotypes, TakeLessMemoryThanTheBits) {
  RandomStream random(2);
  const HaplotypePanel panel = MakePanel(DrawAlleles(256, 20000, 300, random));
  EXPECT_LT(DistinctHaplotypes(panel, AllMarkers(panel)).MemoryBytes(), panel.MemoryBytes() / 5);
}

void ExpectAlleles(const HaplotypePanel& panel, const Alleles& alleles, size_t dropped) {
  std::vector<uint64_t> bits(panel.words_per_marker());
  for (size_t m = 0; m < panel.num_markers(); ++m) {
    const std::vector<uint8_t>& expected = alleles[m + dropped];
    panel.CopyBits(m, bits.data());
    size_t ones = 0;
    for (size_t h = 0; h < panel.num_haplotypes(); ++h) {
      ASSERT_EQ(panel.allele(m, h), expected[h]);
      ASSERT_EQ(bits[h / 64] >> h % 64 & 1, expected[h]);
      ones += expected[h];
    }
    ASSERT_EQ(panel.alt_count(m), ones);
    if (panel.is_rare(m)) {
      ASSERT_EQ(panel.carriers(m).size(), std::min(ones, panel.num_haplotypes() - ones));
    }
  }
}

// Puts the common markers in groups, some at a time, and keeps the bits of some.
void GroupCommon(MutablePanel& panel, const Alleles& alleles, size_t dropped) {
  std::vector<MutablePanel::Group> groups;
  std::vector<uint32_t> kept;
  for (size_t m = panel.first_ungrouped(); m < panel.num_markers(); ++m) {
    if (m % 5 == 0) kept.push_back(static_cast<uint32_t>(m));
    if (panel.is_rare(m)) continue;
    if (groups.empty() || groups.back().markers.size() == 50) groups.emplace_back();
    groups.back().markers.push_back(static_cast<uint32_t>(m));
  }
  for (auto& group : groups) group.haplotypes = std::make_shared<DistinctHaplotypes>(panel, group.markers);
  panel.AddGroups(std::move(groups));
  ASSERT_EQ(panel.first_ungrouped(), panel.num_markers());
  ExpectAlleles(panel, alleles, dropped);
  panel.KeepBits(kept);
  for (const uint32_t m : kept) ASSERT_NE(panel.has_bits(m), panel.is_rare(m));
  ExpectAlleles(panel, alleles, dropped);
}

TEST(DistinctHaplotypes, OfAPanelThatSlidesAlongAContig) {
  RandomStream random(3);
  const Alleles alleles = DrawAlleles(600, 900, 200, random);
  HaplotypePanel all = MakePanel(alleles);
  MutablePanel panel("20", all.samples());
  std::vector<uint64_t> bits(panel.words_per_marker());
  size_t dropped = 0;
  for (size_t end = 200; end <= 600; end += 200) {
    for (size_t m = end - 200; m < end; ++m) {
      all.CopyBits(m, bits.data());
      panel.Append(all.marker(m), bits.data());
    }
    GroupCommon(panel, alleles, dropped);
    EXPECT_LT(panel.MemoryBytes(), all.MemoryBytes());
    panel.DropBefore(130);
    dropped += 130;
  }
}

// Markers that come in groups, as from a panel file, and from whose middle the panel begins.
TEST(DistinctHaplotypes, OfAPanelThatGetsGroups) {
  RandomStream random(6);
  const Alleles alleles = DrawAlleles(700, 900, 200, random);
  const HaplotypePanel all = MakePanel(alleles);
  std::vector<uint32_t> common;
  for (uint32_t m = 0; m < 700; ++m) {
    if (!all.is_rare(m)) common.push_back(m);
  }
  constexpr size_t kSkipped = 30;
  MutablePanel panel("20", all.samples());
  std::shared_ptr<const DistinctHaplotypes> group;
  size_t num_common = 0, dropped = kSkipped;
  std::vector<uint32_t> kept;
  for (size_t m = 0; m < 700; ++m) {
    const size_t column = num_common % 100;
    if (!all.is_rare(m) && column == 0) {
      const size_t count = std::min<size_t>(100, common.size() - num_common);
      group = std::make_shared<DistinctHaplotypes>(all, std::span(common).subspan(num_common, count));
    }
    num_common += all.is_rare(m) ? 0 : 1;
    if (m < kSkipped) continue;
    if (all.is_rare(m)) {
      panel.AppendCarriers(all.marker(m), all.carriers(m), all.minor_is_alt(m));
    } else {
      panel.AppendColumn(all.marker(m), group, column, all.alt_count(m));
      EXPECT_FALSE(panel.has_bits(panel.num_markers() - 1));
    }
    if (m % 90 != 89) continue;
    ExpectAlleles(panel, alleles, dropped);
    kept.clear();
    for (uint32_t k = 0; k < panel.num_markers(); k += 4) kept.push_back(k);
    panel.AddGroups({});
    panel.KeepBits(kept);
    ExpectAlleles(panel, alleles, dropped);
    panel.DropBefore(55);
    dropped += 55;
  }
  EXPECT_LT(panel.MemoryBytes(), all.MemoryBytes());
}

}  // namespace
}  // namespace haplospin
