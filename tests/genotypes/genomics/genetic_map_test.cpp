#include "haplospin/genetic_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

TEST(GeneticMap, UniformIsOneCentimorganAMegabase) {
  const GeneticMap map = GeneticMap::Uniform();
  EXPECT_DOUBLE_EQ(map.Centimorgans(1'000'000) - map.Centimorgans(0), 1.0);
  EXPECT_DOUBLE_EQ(map.Centimorgans(52'500'000) - map.Centimorgans(50'000'000), 2.5);
}

TEST(GeneticMap, IsLinearBetweenItsPoints) {
  const GeneticMap map({1000, 2000, 4000}, {1, 3, 3});
  EXPECT_DOUBLE_EQ(map.Centimorgans(1000), 1);
  EXPECT_DOUBLE_EQ(map.Centimorgans(1250), 1.5);
  EXPECT_DOUBLE_EQ(map.Centimorgans(3000), 3);
  EXPECT_NEAR(map.Centimorgans(1'004'000), 4, 1e-12) << "1 cM/Mb beyond the last point";
  EXPECT_NEAR(map.Centimorgans(0), 0.999, 1e-12) << "and before the first";
}

TEST(GeneticMap, ScaledEverywhere) {
  const GeneticMap uniform = GeneticMap::Uniform().Scaled(3);
  EXPECT_NEAR(uniform.Centimorgans(2'000'000) - uniform.Centimorgans(1'000'000), 3, 1e-9);
  const GeneticMap map({1'000'000, 2'000'000}, {1, 5}), scaled = map.Scaled(0.5);
  for (const int64_t position : {1, 1'000'000, 1'300'000, 2'000'000, 9'000'000}) {
    EXPECT_NEAR(scaled.Centimorgans(position), 0.5 * map.Centimorgans(position), 1e-9) << position;
  }
}

template <typename Function>
void ExpectError(Function function, const std::string& message) {
  EXPECT_THAT(function, testing::ThrowsMessage<InputError>(testing::HasSubstr(message)));
}

TEST(GeneticMap, RefusesPointsThatAreNoMap) {
  ExpectError([] { GeneticMap({}, {}); }, "0 positions");
  ExpectError([] { GeneticMap({1, 2}, {1}); }, "2 positions and 1 values");
  ExpectError([] { GeneticMap({1000, 900}, {1, 2}); }, "900 bp, 2 cM comes after 1000 bp, 1 cM");
  ExpectError([] { GeneticMap({1000, 2000}, {1, 0.5}); }, "2000 bp, 0.5 cM comes after");
}

}  // namespace
}  // namespace haplospin
