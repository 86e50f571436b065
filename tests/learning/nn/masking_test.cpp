#include "learning/nn/layers/masking.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "learning/nn/random_state.h"

namespace haplospin {
namespace {

constexpr int64_t kRows = 20'000;
const Attributes kAttributes{{.classes = 4}, {.classes = 0}, {.classes = 2}};

torch::Tensor Values() {
  torch::Tensor values = torch::empty({kRows, 3});
  values.select(1, 0).fill_(3);
  values.select(1, 1).fill_(7.5);  // far from a standard normal number
  values.select(1, 2).fill_(1);
  return values;
}

double Rate(const torch::Tensor& flags) { return flags.to(torch::kFloat64).mean().item<double>(); }

// Five standard deviations of the observed rate.
double Tolerance(double rate, double count) { return 5.0 * std::sqrt(rate * (1.0 - rate) / count); }

class Masking : public testing::Test {
 protected:
  void SetUp() override { SeedGenerators(2023); }
};

TEST_F(Masking, SelectsAtTheGivenRateAndOnlyAmongTheEligible) {
  MaskedTable table = Unmasked(Values());
  const torch::Tensor eligible = torch::tensor({true, true, false});
  MaskAtRandom(table, kAttributes, eligible, 0.15);
  for (const int column : {0, 1}) {
    EXPECT_NEAR(Rate(table.in_loss.select(1, column)), 0.15, Tolerance(0.15, kRows));
  }
  EXPECT_EQ(Rate(table.in_loss.select(1, 2)), 0.0);
  EXPECT_EQ(Rate(table.masked.select(1, 2)), 0.0);
}

TEST_F(Masking, MasksNineInTenAndRandomizesTheRest) {
  MaskedTable table = Unmasked(Values());
  MaskAtRandom(table, kAttributes, torch::ones({1}, torch::kBool), 0.5);
  const double selected = table.in_loss.sum().item<double>();
  EXPECT_FALSE((table.masked & ~table.in_loss).any().item<bool>());
  EXPECT_NEAR(table.masked.sum().item<double>() / selected, 0.9, Tolerance(0.9, selected));
  EXPECT_TRUE((table.values.masked_select(table.masked) == 0).all().item<bool>());
  EXPECT_TRUE(torch::equal(table.values.masked_select(~table.in_loss), Values().masked_select(~table.in_loss)));
}

TEST_F(Masking, RandomValuesAreUniformClassesAndStandardNormalNumbers) {
  MaskedTable table = Unmasked(Values());
  MaskAtRandom(table, kAttributes, torch::ones({1}, torch::kBool), 0.9);
  const torch::Tensor randomized = table.in_loss & ~table.masked;
  const auto drawn = [&](int column) {
    return table.values.select(1, column).masked_select(randomized.select(1, column));
  };
  const double count = static_cast<double>(drawn(0).numel());
  for (int value = 0; value < 4; ++value) EXPECT_NEAR(Rate(drawn(0) == value), 0.25, Tolerance(0.25, count));
  EXPECT_NEAR(Rate(drawn(2) == 1), 0.5, Tolerance(0.5, count));
  EXPECT_NEAR(drawn(1).mean().item<double>(), 0.0, 5.0 / std::sqrt(count));
  EXPECT_NEAR(drawn(1).std().item<double>(), 1.0, 5.0 / std::sqrt(2.0 * count));
}

TEST_F(Masking, ProbabilityOneMasksEverything) {
  MaskedTable table = Unmasked(Values());
  MaskAtRandom(table, kAttributes, torch::tensor({false, false, true}), 1.0);
  EXPECT_EQ(Rate(table.masked.select(1, 2)), 1.0);
  EXPECT_EQ(Rate(table.in_loss.select(1, 2)), 1.0);
  EXPECT_EQ(Rate(table.masked.slice(1, 0, 2)), 0.0);
}

TEST_F(Masking, ChunksCoverAllColumnsOfARowOrNone) {
  MaskedTable table = Unmasked(Values());
  const torch::Tensor rows = torch::arange(kRows) < kRows / 2;
  MaskChunks(table, rows, torch::tensor({false, true, true}), 0.15);
  EXPECT_TRUE(torch::equal(table.masked.select(1, 1), table.masked.select(1, 2)));
  EXPECT_TRUE(torch::equal(table.masked, table.in_loss));
  EXPECT_EQ(Rate(table.masked.select(1, 0)), 0.0);
  EXPECT_NEAR(Rate(table.masked.select(1, 1).slice(0, 0, kRows / 2)), 0.15, Tolerance(0.15, kRows / 2.0));
  EXPECT_EQ(Rate(table.masked.slice(0, kRows / 2)), 0.0);
}

TEST_F(Masking, HiddenEntriesAreMaskedButNotInTheLoss) {
  MaskedTable table = Unmasked(Values());
  Hide(table, torch::tensor({false, false, true}).expand({kRows, 3}));
  EXPECT_EQ(Rate(table.masked.select(1, 2)), 1.0);
  EXPECT_EQ(Rate(table.in_loss), 0.0);
  EXPECT_EQ(table.values.select(1, 2).abs().max().item<double>(), 0.0);
}

}  // namespace
}  // namespace haplospin
