#include "genotypes/imputation/phasing/sample/pair_stops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haplospin {
namespace {

using testing::ElementsAre;
using Kind = PairStop::Kind;

// Markers 0 and 7 are known, 1 and 4 heterozygous, and the genotypes of 2, 3, 5 and 6 missing.
SampleGenotypes Sample() {
  SampleGenotypes sample;
  for (size_t c = 0; c < 2; ++c) {
    sample.alleles[c] = {0, static_cast<uint8_t>(c), 2, 2, static_cast<uint8_t>(c), 2, 2, 1};
  }
  sample.hets = {1, 4};
  sample.missing = {2, 3, 5, 6};
  return sample;
}

TEST(PairStops, EveryMarkerStopsWithoutFilledGenotypes) {
  PairStops found;
  found.Find(Sample(), std::vector<float>(7, 0.1f), 0.5f);
  EXPECT_TRUE(found.filled.empty());
  std::vector<Kind> kinds;
  std::vector<uint32_t> places;
  for (const PairStop& stop : found.stops) {
    kinds.push_back(stop.kind);
    if (stop.kind != Kind::kKnown) places.push_back(stop.place);
    EXPECT_FLOAT_EQ(stop.switching, stop.marker == 0 ? 0 : 0.05f);
  }
  EXPECT_THAT(kinds, ElementsAre(Kind::kKnown, Kind::kHet, Kind::kMissing, Kind::kMissing, Kind::kHet, Kind::kMissing,
                                 Kind::kMissing, Kind::kKnown));
  EXPECT_THAT(places, ElementsAre(0, 2, 3, 1, 4, 5));
}

// They are passed over, so that switches add up, and filled at the nearest stop with stored states.
TEST(PairStops, FilledGenotypesAreThoseOfTheNearestStop) {
  SampleGenotypes sample = Sample();
  sample.is_filled = {true, true, false, true};
  PairStops found;
  found.Find(sample, std::vector<float>{0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f}, 1);
  EXPECT_THAT(found.filled, ElementsAre(0, 1, 3));
  ASSERT_EQ(found.stops.size(), 5u);
  EXPECT_FLOAT_EQ(found.stops[2].switching, 1 - 0.9f * 0.9f * 0.9f);
  const auto range = [&](size_t i) { return std::pair{found.stops[i].first_filled, found.stops[i].end_filled}; };
  EXPECT_EQ(range(1), std::pair(0u, 1u));  // marker 2 at the heterozygote 1
  EXPECT_EQ(range(2), std::pair(1u, 2u));  // marker 3 at the heterozygote 4
  EXPECT_EQ(range(3), std::pair(2u, 3u));  // marker 6 at the missing genotype 5
}

// Otherwise no states would be stored to fill from.
TEST(PairStops, TheFirstOfFilledGenotypesAloneStops) {
  SampleGenotypes sample;
  for (size_t c = 0; c < 2; ++c) sample.alleles[c] = {0, 2, 2};
  sample.missing = {1, 2};
  sample.is_filled = {true, true};
  PairStops found;
  found.Find(sample, std::vector<float>{0.1f, 0.1f}, 1);
  ASSERT_EQ(found.stops.size(), 2u);
  EXPECT_EQ(found.stops[1].kind, Kind::kMissing);
  EXPECT_THAT(found.filled, ElementsAre(1));
  EXPECT_EQ(found.stops[1].end_filled, 1u);
}

}  // namespace
}  // namespace haplospin
