#include "genotypes/imputation/models/pedigree/opposite_homozygotes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "genotypes/imputation/models/pedigree/gene_drop.h"

namespace haplospin {
namespace {

TEST(OppositeHomozygotesTest, CountsThem) {
  GeneDrop drop(3, 101, 2);
  for (int i = 0; i < 3; ++i) drop.AddFounder();
  const SpacedGenotypes genotypes = drop.Genotypes({0, 1, 2}, {2}, 3);
  const OppositeHomozygotes homozygotes(genotypes);
  for (const auto& [a, b] : {std::pair<size_t, size_t>{0, 1}, {1, 2}}) {
    size_t opposite = 0, both = 0;
    for (size_t m = 0; m < genotypes.markers().size(); ++m) {
      const uint8_t x = genotypes.Genotype(a, m), y = genotypes.Genotype(b, m);
      opposite += (x == 0 && y == 2) || (x == 2 && y == 0);
      both += (x == 0 || x == 2) && (y == 0 || y == 2);
    }
    EXPECT_EQ(homozygotes.Count(a, b).opposite, opposite);
    EXPECT_EQ(homozygotes.Count(a, b).both, both);
  }
}

// Of people who are not related, 2 p^2 q^2 of the genotypes are opposite, of full sibs a quarter of this, and of
// parent and child none.
TEST(OppositeHomozygotesTest, AreAsManyAsTheRelationTells) {
  GeneDrop drop(2000, 2, 3);
  const size_t sire = drop.AddFounder(), dam = drop.AddFounder(), other = drop.AddFounder();
  const size_t child = drop.AddChild(sire, dam), sib = drop.AddChild(sire, dam), half = drop.AddChild(sire, other);
  const SpacedGenotypes genotypes = drop.Genotypes({sire, dam, other, child, sib, half}, {}, 1, 0);
  const OppositeHomozygotes homozygotes(genotypes);
  double unrelated = 0;
  for (const SpacedMarker& marker : genotypes.markers()) {
    const double pq = marker.frequency * (1 - marker.frequency);
    unrelated += 2 * pq * pq;
  }
  const auto opposite = [&](size_t a, size_t b) { return homozygotes.Count(a, b).opposite / unrelated; };
  EXPECT_NEAR(opposite(sire, dam), 1, 0.2);
  EXPECT_NEAR(opposite(child, other), 1, 0.2);
  EXPECT_NEAR(opposite(child, sib), 0.25, 0.1);
  EXPECT_NEAR(opposite(child, half), 0.5, 0.15);
  EXPECT_EQ(opposite(child, sire), 0);
  EXPECT_NEAR(homozygotes.Count(sire, dam).opposite / homozygotes.Expected(homozygotes.Count(sire, dam).both), 1, 0.2);
}

TEST(OppositeHomozygotesTest, OnlyParentAndChildAreClose) {
  GeneDrop drop(20, 400, 4);
  std::vector<size_t> people;
  for (int i = 0; i < 20; ++i) people.push_back(drop.AddFounder());
  people.push_back(drop.AddChild(3, 8));
  people.push_back(drop.AddChild(3, 8));
  const SpacedGenotypes genotypes = drop.Genotypes(people);
  const OppositeHomozygotes homozygotes(genotypes);
  using Pair = std::pair<size_t, size_t>;
  EXPECT_THAT(homozygotes.ClosePairs(), testing::IsSupersetOf({Pair{3, 20}, Pair{3, 21}, Pair{8, 20}, Pair{8, 21}}));
  EXPECT_LE(homozygotes.ClosePairs().size(), 5u);
  for (const double sharing : homozygotes.Sharing()) EXPECT_NEAR(sharing, 0.9, 0.1);
  EXPECT_LT(homozygotes.AlikeStretches(), 0.05);
}

// In the F2 of two lines, a sample that is homozygous for one line's haplotype lacks nothing of three in four others.
TEST(OppositeHomozygotesTest, CrossesOfTwoLinesAreAlike) {
  std::vector<SpacedMarker> markers;
  for (size_t m = 0; m < 6400; ++m) markers.push_back({m / 64, static_cast<double>(m % 64) / 10, 0.5});
  std::vector<std::vector<uint8_t>> genotypes(markers.size(), std::vector<uint8_t>(100));
  std::mt19937 draw(6);
  for (size_t s = 0; s < 100; ++s) {
    uint8_t alts = 0;
    for (size_t m = 0; m < markers.size(); ++m) {
      if (m % 64 == 0) alts = static_cast<uint8_t>(draw() % 2 + draw() % 2);
      genotypes[m][s] = alts;
    }
  }
  const SpacedGenotypes spaced(markers, genotypes, 100);
  EXPECT_NEAR(OppositeHomozygotes(spaced).AlikeStretches(), 0.75, 0.1);
}

}  // namespace
}  // namespace haplospin
