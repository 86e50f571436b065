#include "imputation/copying/forward_backward.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>

#include "core/random.h"
#include "haplospin/genetic_map.h"
#include "imputation/mosaic_panel.h"
#include "imputation/naive_copying.h"

namespace haplospin {
namespace {

struct Case {
  size_t typed;
  size_t haplotypes;
  double missing_rate = 0;
  ExcludedHaplotypes excluded = {};
};

CopyingModel RandomModel(size_t typed, RandomStream& random) {
  CopyingModel model;
  model.mismatch_probability = 0.01f;
  for (size_t j = 0; j + 1 < typed; ++j) {
    model.switch_probability.push_back(static_cast<float>(std::pow(10, -4 * random.Uniform()) / 2));
  }
  return model;
}

TargetHaplotype RandomTarget(size_t typed, double missing_rate, RandomStream& random) {
  std::vector<uint8_t> alleles(typed);
  for (uint8_t& allele : alleles) {
    allele = random.Bernoulli(missing_rate) ? kMissingAllele : static_cast<uint8_t>(random.Bernoulli(0.5));
  }
  return TargetHaplotype(std::move(alleles));
}

void ExpectState(const CopyState& state, const std::vector<double>& expected, const std::string& where) {
  for (size_t h = 0; h < expected.size(); ++h) {
    ASSERT_NEAR(state.values[h] / state.sum, expected[h], 1e-4 * expected[h]) << where << ", haplotype " << h;
  }
}

void ExpectNaiveStates(const Case& c) {
  SCOPED_TRACE(testing::Message() << c.typed << " typed markers, " << c.haplotypes << " haplotypes");
  RandomStream random(c.typed, {c.haplotypes});
  const Mosaic mosaic = SimulateMosaic({.haplotypes = c.haplotypes, .markers = c.typed, .rare_share = 0.2});
  const HaplotypePanel panel = HaploidPanelOf(mosaic);
  std::vector<uint32_t> typed(c.typed);
  std::iota(typed.begin(), typed.end(), 0);
  const TypedPanel array(panel, typed, GeneticMap::Uniform());
  const CopyingModel model = RandomModel(c.typed, random);

  ForwardBackward recursions;
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second with what the first left in the workspace
    const TargetHaplotype target = RandomTarget(c.typed, c.missing_rate, random);
    const NaiveCopying naive = ComputeNaiveCopying(array, model, target, c.excluded);
    size_t next = c.typed;  // intervals come from the last to the first
    recursions.Run(array, model, target, c.excluded,
                   [&](size_t interval, const CopyState& forward, const CopyState& backward) {
                     ASSERT_EQ(interval, next--);
                     ExpectState(forward, naive.forward[interval], "forward " + std::to_string(interval));
                     ExpectState(backward, naive.backward[interval], "backward " + std::to_string(interval));
                   });
    EXPECT_EQ(next, SIZE_MAX);
    EXPECT_EQ(recursions.num_copied(), c.haplotypes - c.excluded.count);
  }
}

// Around the length of a block of the recursions.
TEST(ForwardBackward, AgreesWithTheDefinition) {
  for (const size_t typed : {1, 2, 31, 32, 33, 64, 65, 100}) ExpectNaiveStates({typed, 70});
}

// Around the length of a vector and of a word of bits.
TEST(ForwardBackward, AnyNumberOfHaplotypes) {
  for (const size_t haplotypes : {2, 3, 15, 16, 17, 63, 64, 65, 129, 200}) ExpectNaiveStates({33, haplotypes});
}

TEST(ForwardBackward, MissingAllelesSayNothing) {
  ExpectNaiveStates({.typed = 50, .haplotypes = 41, .missing_rate = 0.3});
  ExpectNaiveStates({.typed = 5, .haplotypes = 41, .missing_rate = 1});
}

TEST(ForwardBackward, ExcludedHaplotypesAreNotCopied) {
  ExpectNaiveStates({.typed = 40, .haplotypes = 33, .excluded = {{32, 0}, 1}});
  ExpectNaiveStates({.typed = 40, .haplotypes = 64, .missing_rate = 0.1, .excluded = {{6, 7}, 2}});
  ExpectNaiveStates({.typed = 40, .haplotypes = 3, .excluded = {{0, 1}, 2}});
}

}  // namespace
}  // namespace haplospin
