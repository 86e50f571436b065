#include "genotypes/imputation/adapt/error_regression.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace haplospin {
namespace {

// Haplotypes whose alleles at the marker depend on two sites and on the probability that they were imputed with.
class ErrorRegressionTest : public testing::Test {
 protected:
  static constexpr size_t kHaplotypes = 20'000;

  ErrorRegressionTest() : alleles_(kHaplotypes), probability_(kHaplotypes) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform;
    for (size_t k = 2; k < kErrorSites; ++k) {
      for (size_t h = 0; h < kHaplotypes; ++h) sites_[k].push_back(uniform(random) < 0.4f ? 0.6f : -0.4f);
    }
    for (size_t h = 0; h < kHaplotypes; ++h) {
      probability_[h] = 0.3f + 0.3f * uniform(random);
      alleles_[h] = uniform(random) < probability_[h] + Error(h) ? 1 : 0;
    }
  }

  float Error(size_t h) const {
    return 0.2f * (probability_[h] - kFrequency) + 0.15f * sites_[4][h] - 0.1f * sites_[20][h];
  }

  static constexpr float kFrequency = 0.45f;
  std::array<std::vector<float>, kErrorSites> sites_;  // none at the first two
  std::vector<float> alleles_, probability_;
};

TEST_F(ErrorRegressionTest, FindsWhatErrorsDependOn) {
  const LeftOutMarker marker{alleles_, probability_, kFrequency};
  const auto functions = RegressErrors(sites_, {{marker, marker}});
  ASSERT_EQ(functions.size(), 2u);
  ASSERT_TRUE(functions[0] && functions[1]);
  EXPECT_EQ(functions[0]->site_factors, functions[1]->site_factors);
  EXPECT_EQ(functions[0]->site_factors[0], 0);
  EXPECT_EQ(functions[0]->site_factors[1], 0);
  EXPECT_NEAR(functions[0]->probability_factor, 0.2f, 0.1f);
  for (size_t k = 2; k < kErrorSites; ++k) {
    EXPECT_NEAR(functions[0]->site_factors[k], k == 4 ? 0.15f : k == 20 ? -0.1f : 0, 0.03f) << k;
  }
}

TEST_F(ErrorRegressionTest, AFewCarriersAreNotFitted) {
  std::vector<float> rare(kHaplotypes);
  std::fill_n(rare.begin(), 9, 1.0f);
  std::vector<float> common = rare;
  common[9] = 1;
  const auto functions = RegressErrors(sites_, {{{rare, probability_, 0}, {common, probability_, 0}}});
  EXPECT_FALSE(functions[0]);
  EXPECT_TRUE(functions[1]);
}

}  // namespace
}  // namespace haplospin
