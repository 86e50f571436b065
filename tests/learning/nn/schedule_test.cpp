#include "learning/nn/optimization/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace haplospin {
namespace {

constexpr double kTolerance = 1e-12;

TEST(Schedule, ConstantIsOne) {
  EXPECT_EQ(ConstantSchedule()(0), 1.0);
  EXPECT_EQ(ConstantSchedule()(1'000'000), 1.0);
}

TEST(Schedule, FlatThenAnnealIsFlatAndThenACosineToZero) {
  const Schedule schedule = FlatThenAnneal(100, 0.7);
  for (const int step : {0, 35, 70}) EXPECT_NEAR(schedule(step), 1.0, kTolerance) << step;
  EXPECT_NEAR(schedule(85), 0.5, kTolerance);
  EXPECT_NEAR(schedule(80), 0.5 * (1.0 + std::cos(M_PI / 3.0)), kTolerance);
  EXPECT_NEAR(schedule(100), 0.0, kTolerance);
  EXPECT_NEAR(schedule(150), 0.0, kTolerance);
}

TEST(Schedule, CosineEndsAtZero) {
  const Schedule schedule = CosineSchedule(40);
  EXPECT_NEAR(schedule(0), 1.0, kTolerance);
  EXPECT_NEAR(schedule(20), 0.5, kTolerance);
  EXPECT_NEAR(schedule(10), 0.5 * (1.0 + std::sqrt(0.5)), kTolerance);
  EXPECT_NEAR(schedule(40), 0.0, kTolerance);
  EXPECT_NEAR(schedule(1000), 0.0, kTolerance);
}

TEST(Schedule, WarmUpIsLinearAndMultipliesTheRest) {
  const Schedule schedule = WithWarmUp(4, CosineSchedule(8));
  for (int step = 0; step < 8; ++step) {
    EXPECT_NEAR(schedule(step), std::min((step + 1) / 4.0, 1.0) * CosineSchedule(8)(step), kTolerance) << step;
  }
}

TEST(Schedule, OneCycleStartsPeaksAndEndsWhereItShould) {
  const Schedule schedule = OneCycleSchedule(101);
  EXPECT_NEAR(schedule(0), 1.0 / 25.0, kTolerance);
  EXPECT_NEAR(schedule(15), 0.5 * (1.0 + 1.0 / 25.0), kTolerance);
  EXPECT_NEAR(schedule(30), 1.0, kTolerance);
  EXPECT_NEAR(schedule(65), 0.5 * (1.0 + 1.0 / 25e4), kTolerance);
  EXPECT_NEAR(schedule(100), 1.0 / 25e4, kTolerance);
  EXPECT_NEAR(schedule(5000), 1.0 / 25e4, kTolerance);
}

TEST(Schedule, TradeoffAnnealsToZero) {
  EXPECT_NEAR(AnnealedTradeoff(1.0, 0, 10), 1.0, kTolerance);
  EXPECT_NEAR(AnnealedTradeoff(0.5, 5, 10), 0.25, kTolerance);
  EXPECT_NEAR(AnnealedTradeoff(0.5, 10, 10), 0.0, kTolerance);
  EXPECT_NEAR(AnnealedTradeoff(0.5, 11, 10), 0.0, kTolerance);
}

}  // namespace
}  // namespace haplospin
