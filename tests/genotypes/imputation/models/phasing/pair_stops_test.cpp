#include "genotypes/imputation/models/phasing/pair_stops.h"

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

// Every other state has ALT at each marker.
struct States {
  std::vector<uint64_t> bits = std::vector<uint64_t>(8, 0x5555);
  PhasingStates states{.bits = bits.data(), .words = 1, .haplotype = std::vector<uint32_t>(16)};
};

TEST(PairStops, EveryMarkerStopsWithoutPassiveGenotypes) {
  PairStops found;
  PhasingStates states;
  states.switch_factor = 0.5f;
  found.Find(Sample(), std::vector<float>(7, 0.1f), states);
  EXPECT_TRUE(found.passive.empty());
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

// Four markers of five make a gap, as the genotype of the first one is half known, and alleles of others were imputed
// at all of them. Of the second run, one marker has none.
TEST(PairStops, MarkersWhereNothingIsKnownAreAGap) {
  SampleGenotypes sample;
  for (size_t c = 0; c < 2; ++c) sample.alleles[c] = {1, 2, 2, 2, 2, 2, 0, 2, 2, 2, 2, 1};
  sample.alleles[0][1] = 0;
  sample.missing = {1, 2, 3, 4, 5, 7, 8, 9, 10};
  std::vector<uint64_t> row(1);
  SampleGenotypes other{.ploidy = 1, .missing = {1, 2, 3, 4, 5, 7, 8, 10}};
  other.imputed[0].assign(other.missing.size(), 100);
  const std::vector<uint32_t> first{0};
  const ImputedAlts imputed({.bits = row.data(), .num_haplotypes = 1, .num_markers = 12}, std::span(&other, 1), first);
  PhasingStates states;
  states.imputed = &imputed;
  PairStops found;
  found.Find(sample, std::vector<float>(11, 0.1f), states);
  ASSERT_EQ(found.stops.size(), 9u);
  const PairStop& gap = found.stops[2];
  EXPECT_EQ(gap.kind, Kind::kGap);
  EXPECT_EQ(gap.marker, 2u);
  EXPECT_EQ(gap.index, 1u);
  EXPECT_EQ(gap.count, 4u);
  EXPECT_FLOAT_EQ(gap.switching, 0.1f);
  EXPECT_EQ(found.stops[3].marker, 6u);
  EXPECT_FLOAT_EQ(found.stops[3].switching, 1 - 0.9f * 0.9f * 0.9f * 0.9f);
  for (size_t i = 4; i < 8; ++i) EXPECT_EQ(found.stops[i].kind, Kind::kMissing);
  EXPECT_EQ(found.num_stored, 6u);
}

// They are passed over, so that switches add up, and are found at the nearest stop with stored states.
TEST(PairStops, PassiveGenotypesAreThoseOfTheNearestStop) {
  SampleGenotypes sample = Sample();
  sample.is_passive = {true, true, false, true};
  sample.likelihoods.resize(4);
  const States states;
  PairStops found;
  found.Find(sample, std::vector<float>{0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f}, states.states);
  EXPECT_THAT(found.passive, ElementsAre(0, 1, 3));
  ASSERT_EQ(found.stops.size(), 5u);
  EXPECT_FLOAT_EQ(found.stops[2].switching, 1 - 0.9f * 0.9f * 0.9f);
  const auto range = [&](size_t i) { return std::pair{found.stops[i].first_passive, found.stops[i].end_passive}; };
  EXPECT_EQ(range(1), std::pair(0u, 1u));  // marker 2 at the heterozygote 1
  EXPECT_EQ(range(2), std::pair(1u, 2u));  // marker 3 at the heterozygote 4
  EXPECT_EQ(range(3), std::pair(2u, 3u));  // marker 6 at the missing genotype 5
}

// Otherwise no states would be stored to fill from.
TEST(PairStops, TheFirstOfPassiveGenotypesAloneStops) {
  SampleGenotypes sample;
  for (size_t c = 0; c < 2; ++c) sample.alleles[c] = {0, 2, 2};
  sample.missing = {1, 2};
  sample.is_passive = {true, true};
  sample.likelihoods.resize(2);
  const States states;
  PairStops found;
  found.Find(sample, std::vector<float>{0.1f, 0.1f}, states.states);
  ASSERT_EQ(found.stops.size(), 2u);
  EXPECT_EQ(found.stops[1].kind, Kind::kMissing);
  EXPECT_THAT(found.passive, ElementsAre(1));
  EXPECT_EQ(found.stops[1].end_passive, 1u);
}

// Only the carriers of an allele are visited where they are few and the genotype may lack it.
TEST(PairStops, FewCarriersAreSparse) {
  SampleGenotypes sample = Sample();
  sample.is_passive.assign(4, false);
  sample.likelihoods = {{{0, 6, 30}}, {{0, 6, 30}}, {{30, 6, 0}}, {{30, 6, 0}}};
  States states;
  for (size_t j = 0; j < 8; ++j) states.bits[j] = j == 2 ? 0x5555 : 8;  // state 3 has ALT
  states.bits[6] = states.bits[7] = 0xfffe;                             // all but state 0
  PairStops found;
  found.Find(sample, std::vector<float>(7, 0.1f), states.states);
  std::vector<bool> is_sparse;
  for (const PairStop& stop : found.stops) is_sparse.push_back(stop.is_sparse);
  EXPECT_THAT(is_sparse, ElementsAre(true, false, false, true, false, false, true, true));
  EXPECT_THAT(found.CarriersAt(found.stops[3]), ElementsAre(3));
  EXPECT_THAT(found.CarriersAt(found.stops[6]), ElementsAre(0));
  EXPECT_EQ(found.stops[6].rare_allele, 0);
  EXPECT_EQ(found.num_stored, 4u);
}

}  // namespace
}  // namespace haplospin
