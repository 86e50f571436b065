#include "report/axis_scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace haplospin {
namespace {

std::vector<std::string> Labels(const AxisScale& scale) {
  std::vector<std::string> labels;
  for (const Tick& tick : scale.ticks()) labels.push_back(tick.label);
  return labels;
}

using Strings = std::vector<std::string>;

TEST(AxisScaleTest, LinearTicksAreRoundNumbers) {
  EXPECT_EQ(Labels(AxisScale({}, std::vector{0.03, 0.97})), (Strings{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(Labels(AxisScale({}, std::vector{-3., 12.})), (Strings{"-5", "0", "5", "10", "15"}));
  EXPECT_EQ(Labels(AxisScale({}, std::vector{61.2, 62.1})), (Strings{"61.2", "61.4", "61.6", "61.8", "62.0", "62.2"}));
  EXPECT_EQ(Labels(AxisScale({.low = 0, .high = 0.5}, {})), (Strings{"0", "0.1", "0.2", "0.3", "0.4", "0.5"}));
}

TEST(AxisScaleTest, LogTicksArePowersOfTen) {
  EXPECT_EQ(Labels(AxisScale({.is_log = true}, std::vector{3e-3, 0.2})),
            (Strings{"0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2"}));
  const AxisScale wide({.is_log = true}, std::vector{1e-3, 1e3});
  EXPECT_DOUBLE_EQ(wide.Place(1), 0.5);
  EXPECT_EQ(wide.ticks()[0].label, "0.001");
  EXPECT_EQ(wide.ticks()[1].label, "");
}

TEST(AxisScaleTest, LabelsAreReadFromTheTop) {
  const AxisScale scale({.labels = {"a", "b"}}, {});
  EXPECT_EQ(Labels(scale), (Strings{"a", "b"}));
  EXPECT_DOUBLE_EQ(scale.Place(scale.ticks()[0].value), 0.75);
  EXPECT_DOUBLE_EQ(scale.Place(scale.ticks()[1].value), 0.25);
}

TEST(AxisScaleTest, AnyValuesGiveAnAxisThatHoldsThem) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-12, 12), sign(-1, 1);
  for (int round = 0; round < 500; ++round) {
    for (const bool is_log : {false, true}) {
      std::vector<double> values{NAN, INFINITY};
      for (int i = 0; i < round % 4; ++i) values.push_back(std::copysign(std::pow(10, exponent(random)), sign(random)));
      const AxisScale scale({.is_log = is_log}, values);
      EXPECT_LT(scale.low(), scale.high());
      EXPECT_LE(scale.ticks().size(), 40u);
      EXPECT_GE(scale.ticks().size(), 2u);
      for (const Tick& tick : scale.ticks()) {
        EXPECT_GE(tick.value, scale.low() - 1e-6 * (scale.high() - scale.low()));
        EXPECT_LE(tick.value, scale.high() + 1e-6 * (scale.high() - scale.low()));
      }
      for (const double value : values) {
        if (!scale.Shows(value)) continue;
        EXPECT_GE(value, scale.low() - 1e-6 * (scale.high() - scale.low()));
        EXPECT_LE(value, scale.high() + 1e-6 * (scale.high() - scale.low()));
      }
    }
  }
}

TEST(AxisScaleTest, LogAxisOfOneValueOrNoneStaysAboveZero) {
  for (const auto& values : {std::vector<double>{}, std::vector{5.}, std::vector{-1., 0.}}) {
    const AxisScale scale({.is_log = true}, values);
    EXPECT_GT(scale.low(), 0);
    EXPECT_LT(scale.low(), scale.high());
  }
}

}  // namespace
}  // namespace haplospin
