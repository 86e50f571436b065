#include "genotypes/imputation/models/pedigree/spaced_genotypes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace haplospin {
namespace {

TEST(SpacedGenotypesTest, HasTheGenotypesThatItWasMadeOf) {
  std::mt19937 random(1);
  constexpr size_t kMarkers = 130, kSamples = 9;
  std::vector<std::vector<uint8_t>> genotypes(kMarkers, std::vector<uint8_t>(kSamples));
  for (auto& row : genotypes) {
    for (uint8_t& genotype : row) genotype = static_cast<uint8_t>(random() % 4);
  }
  const SpacedGenotypes spaced(std::vector<SpacedMarker>(kMarkers), genotypes, kSamples);
  for (size_t s = 0; s < kSamples; ++s) {
    size_t called = 0;
    for (size_t m = 0; m < kMarkers; ++m) {
      EXPECT_EQ(spaced.Genotype(s, m), genotypes[m][s]);
      called += genotypes[m][s] < 3;
    }
    EXPECT_EQ(spaced.NumCalled(s), called);
  }
}

TEST(MarkerChoiceTest, EachPieceHasTheMarkerThatTellsMost) {
  MarkerChoice choice(4);
  choice.Offer(0, 0.01, std::vector<uint8_t>{0, 1, 0, 3});
  choice.Offer(0, 0.02, std::vector<uint8_t>{0, 1, 2, 1});
  choice.Offer(0, 0.03, std::vector<uint8_t>{0, 1, 2, 3});
  choice.Offer(0, 0.20, std::vector<uint8_t>{0, 0, 0, 0});
  choice.Offer(1, 0.02, std::vector<uint8_t>{2, 1, 2, 3});
  choice.Offer(1, 7.00, std::vector<uint8_t>{3, 3, 3, 3});
  const SpacedGenotypes spaced = choice.Finish();
  ASSERT_EQ(spaced.markers().size(), 2u);
  EXPECT_EQ(spaced.markers()[0].centimorgans, 0.02);
  EXPECT_EQ(spaced.markers()[0].frequency, 0.5);
  EXPECT_EQ(spaced.markers()[1].contig, 1u);
  EXPECT_EQ(spaced.Genotype(3, 0), 1);
  EXPECT_EQ(spaced.Genotype(3, 1), 3);
}

TEST(MarkerChoiceTest, ALongGenomeHasLongPieces) {
  MarkerChoice choice(2);
  for (int i = 0; i < 70000; ++i) choice.Offer(0, 0.2 * i, std::vector<uint8_t>{0, 2});
  const size_t markers = choice.Finish().markers().size();
  EXPECT_LE(markers, 30000u);
  EXPECT_GE(markers, 15000u);
}

TEST(MarkerChoiceTest, EachOfManyScaffoldsHasAMarker) {
  MarkerChoice choice(2);
  constexpr size_t kScaffolds = 100000;
  for (size_t contig = 0; contig < kScaffolds; ++contig) {
    for (const double cm : {0.0, 0.2, 0.4}) choice.Offer(contig, cm, std::vector<uint8_t>{0, 2});
  }
  EXPECT_EQ(choice.Finish().NumContigs(), kScaffolds);
}

TEST(MarkerChoiceTest, SpansWhatTheMarkersSpan) {
  MarkerChoice choice(2);
  for (size_t contig = 0; contig < 300; ++contig) {
    for (int i = 0; i < 150; ++i) choice.Offer(contig, 0.3 * i, std::vector<uint8_t>{0, 2});
    if (contig % 50 == 0) {
      EXPECT_NEAR(choice.Span(), choice.Finish().Span(), 1e-6);
    }
  }
}

}  // namespace
}  // namespace haplospin
