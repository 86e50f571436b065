#include "imputation/job/map_fit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/random.h"
#include "genomics/mutable_panel.h"

namespace haplospin {
namespace {

constexpr int64_t kLength = 4'000'000;
constexpr size_t kHaplotypes = 200, kFounders = 6;

// Hotspots 10 to 120 kb apart; haplotypes are of another founder after each.
std::vector<int64_t> Hotspots(RandomStream& random) {
  std::vector<int64_t> hotspots;
  for (int64_t at = 50'000; at < kLength; at += 10'000 + static_cast<int64_t>(random.UniformInt(110'000))) {
    hotspots.push_back(at);
  }
  return hotspots;
}

MutablePanel PanelOf(const std::vector<int64_t>& hotspots, RandomStream& random) {
  MutablePanel panel("20", SampleTable::Diploid(std::vector<std::string>(kHaplotypes / 2, "P")));
  std::vector<size_t> founders(kHaplotypes);
  auto next = hotspots.begin();
  for (int64_t position = 1000; position < kLength; position += 1000) {
    if (position == 1000 || (next != hotspots.end() && position > *next)) {
      for (size_t& founder : founders) founder = random.UniformInt(kFounders);
      if (position > 1000) ++next;
    }
    std::vector<bool> has_alt(kFounders);
    for (size_t f = 0; f < kFounders; ++f) has_alt[f] = random.Bernoulli(0.4);
    std::vector<uint64_t> bits(panel.words_per_marker());
    for (size_t h = 0; h < kHaplotypes; ++h) bits[h / 64] |= uint64_t{has_alt[founders[h]]} << h % 64;
    panel.Append({position, ".", "A", "C"}, bits.data());
  }
  return panel;
}

// 0.1 cM in 2 kb at each hotspot, and a little elsewhere; moved by `shift` bp.
GeneticMap MapOf(const std::vector<int64_t>& hotspots, int64_t shift) {
  std::vector<int64_t> positions;
  std::vector<double> centimorgans;
  double length = 0;
  for (const int64_t hotspot : hotspots) {
    positions.push_back(hotspot - 1000 + shift);
    centimorgans.push_back(length += 0.005);
    positions.push_back(hotspot + 1000 + shift);
    centimorgans.push_back(length += 0.1);
  }
  return {std::move(positions), std::move(centimorgans)};
}

class MapFitTest : public testing::Test {
 protected:
  MapFitTest() : hotspots_(Hotspots(random_)) { fit_.Add(PanelOf(hotspots_, random_)); }

  RandomStream random_{1};
  const std::vector<int64_t> hotspots_;
  MapFit fit_;
};

TEST_F(MapFitTest, TellsHowFarTheMapIsShifted) {
  for (const int64_t shift : {70'000, -70'000, 200'000, 20'000}) {
    EXPECT_EQ(fit_.FindShift(MapOf(hotspots_, shift)).distance, shift);
  }
}

TEST_F(MapFitTest, SaysNothingOfTheRightMapNorOfAnUnknownOne) {
  EXPECT_EQ(fit_.FindShift(MapOf(hotspots_, 0)).distance, 0);
  EXPECT_EQ(fit_.FindShift(GeneticMap::Uniform()).distance, 0);
  for (uint64_t seed = 2; seed < 12; ++seed) {
    RandomStream random(seed);
    EXPECT_EQ(fit_.FindShift(MapOf(Hotspots(random), 0)).distance, 0) << "a map of another region";
  }
}

TEST_F(MapFitTest, IsTheSameInPieces) {
  RandomStream random(1);
  const std::vector<int64_t> hotspots = Hotspots(random);
  MutablePanel panel = PanelOf(hotspots, random);
  MapFit pieces;
  pieces.Add(panel);
  pieces.Add(panel);  // nothing is new
  const MapFit::Shift expected = fit_.FindShift(MapOf(hotspots_, 70'000));
  EXPECT_EQ(pieces.FindShift(MapOf(hotspots_, 70'000)).correlation_shifted, expected.correlation_shifted);
}

}  // namespace
}  // namespace haplospin
