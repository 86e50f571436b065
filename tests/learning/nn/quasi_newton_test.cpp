#include "learning/nn/optimization/quasi_newton.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace haplospin {
namespace {

// Rosenbrock's valley.
double Valley(const std::vector<double>& at, std::vector<double>& gradient) {
  const double a = 1 - at[0], b = at[1] - at[0] * at[0];
  gradient = {-2 * a - 400 * at[0] * b, 200 * b};
  return a * a + 100 * b * b;
}

TEST(Minimize, FollowsAValleyToItsEnd) {
  const Minimum minimum = Minimize(Valley, {-1.2, 1}, {.least_gain = 1e-12});
  EXPECT_NEAR(minimum.at[0], 1, 1e-4);
  EXPECT_NEAR(minimum.at[1], 1, 1e-4);
  EXPECT_LT(minimum.evaluations, 80);
}

TEST(Minimize, EndsWhereTheGainIsSmall) {
  const auto bowl = [](const std::vector<double>& at, std::vector<double>& gradient) {
    gradient = {2 * at[0], 200 * at[1]};
    return at[0] * at[0] + 100 * at[1] * at[1];
  };
  const Minimum minimum = Minimize(bowl, {3, 1});
  EXPECT_LT(minimum.value, 1e-3);
  EXPECT_LT(minimum.evaluations, 20);
  EXPECT_LE(Minimize(Valley, {-1.2, 1}, {.max_evaluations = 10}).evaluations, 10);
}

TEST(Minimize, StaysWhereTheFunctionIsDefined) {
  const auto logarithm = [](const std::vector<double>& at, std::vector<double>& gradient) {
    gradient = {1 - 1 / at[0]};
    return at[0] > 0 ? at[0] - std::log(at[0]) : std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_NEAR(Minimize(logarithm, {9}, {.max_step = 100, .least_gain = 1e-10}).at[0], 1, 1e-4);
  EXPECT_FALSE(std::isfinite(Minimize(logarithm, {-1}).value));
}

}  // namespace
}  // namespace haplospin
