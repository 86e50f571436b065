#include "genotypes/imputation/models/copying/forward_backward.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/models/copying/copy_candidates.h"
#include "genotypes/imputation/models/copying/naive_copying.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/genetic_map.h"
#include "haplospin/study_genotypes.h"

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

void ExpectState(const CopyState& state, const CopyingStates& states, const std::vector<double>& expected,
                 const std::string& where) {
  for (size_t s = 0; s < states.size(); ++s) {
    const uint32_t h = states.haplotype(s, 0);
    ASSERT_NEAR(state.values[s] / state.sum, expected[h], 1e-4 * expected[h]) << where << ", haplotype " << h;
  }
}

void ExpectNaiveStates(const Case& c) {
  SCOPED_TRACE(testing::Message() << c.typed << " typed markers, " << c.haplotypes << " haplotypes");
  RandomStream random(c.typed, {c.haplotypes});
  const Mosaic mosaic = SimulateMosaic({.haplotypes = c.haplotypes, .markers = c.typed, .rare_share = 0.2});
  const HaplotypePanel panel = HaploidPanelOf(mosaic);
  std::vector<uint32_t> typed(c.typed);
  std::iota(typed.begin(), typed.end(), 0);
  const TypedPanel typed_panel(panel, typed, GeneticMap::Uniform());
  const CopyingModel model = RandomModel(c.typed, random);

  const CopyingStates states = AllStates(typed_panel, c.excluded);
  ForwardBackward recursions;
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second with what the first left in the workspace
    const TargetHaplotype target = RandomTarget(c.typed, c.missing_rate, random);
    const NaiveCopying naive = ComputeNaiveCopying(typed_panel, model, target, c.excluded);
    size_t next = c.typed;  // intervals come from the last to the first
    recursions.Run(typed_panel, model, target, states,
                   [&](size_t interval, const CopyState& forward, const CopyState& backward) {
                     ASSERT_EQ(interval, next--);
                     ExpectState(forward, states, naive.forward[interval], "forward " + std::to_string(interval));
                     ExpectState(backward, states, naive.backward[interval], "backward " + std::to_string(interval));
                   });
    EXPECT_EQ(next, SIZE_MAX);
    EXPECT_EQ(states.size(), c.haplotypes - c.excluded.count);
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

// Most haplotypes have no state, and have the target's alleles with the panel's frequencies.
TEST(ForwardBackward, HaplotypesWithoutAStateAreOneState) {
  constexpr size_t kTyped = 70, kHaplotypes = 500, kStates = 150;
  RandomStream random(4);
  const HaplotypePanel panel =
      HaploidPanelOf(SimulateMosaic({.haplotypes = kHaplotypes, .markers = kTyped, .rare_share = 0.2}));
  std::vector<uint32_t> typed(kTyped);
  std::iota(typed.begin(), typed.end(), 0);
  const TypedPanel typed_panel(panel, typed, GeneticMap::Uniform());
  const CopyingModel model = RandomModel(kTyped, random);
  const TargetHaplotype target = RandomTarget(kTyped, 0.1, random);

  std::vector<HaplotypeMatch> matches;
  std::vector<bool> without_state(kHaplotypes, true);
  for (uint32_t h = 0; h < kHaplotypes && matches.size() < kStates; h += 3) {
    matches.push_back({h, 0, kTyped});
    without_state[h] = false;
  }
  CopyingStates states;
  states.Assign(typed_panel.rows(), matches, kStates, {{1, 2}, 2});
  without_state[1] = without_state[2] = true;
  ASSERT_EQ(states.size(), kStates);
  ASSERT_EQ(states.num_without_state(), kHaplotypes - 2 - kStates);

  const NaiveCopying naive = ComputeNaiveCopying(typed_panel, model, target, {{1, 2}, 2}, without_state);
  const auto expect = [&](const CopyState& state, const std::vector<double>& expected) {
    double rest = 0;
    for (size_t h = 0; h < kHaplotypes; ++h) rest += without_state[h] ? expected[h] : 0;
    ASSERT_NEAR(state.rest / state.sum, rest, 1e-4 * rest);
    for (size_t s = 0; s < kStates; ++s) {
      const double p = expected[states.haplotype(s, 0)];
      ASSERT_NEAR(state.values[s] / state.sum, p, 1e-4 * p);
    }
  };
  ForwardBackward().Run(typed_panel, model, target, states,
                        [&](size_t interval, const CopyState& forward, const CopyState& backward) {
                          expect(forward, naive.forward[interval]);
                          expect(backward, naive.backward[interval]);
                        });
}

class LeaveOneOutTest : public testing::Test {
 protected:
  static constexpr size_t kTyped = 70, kHaplotypes = 90;

  LeaveOneOutTest()
      : panel_(HaploidPanelOf(SimulateMosaic({.haplotypes = kHaplotypes, .markers = kTyped, .rare_share = 0.2}))),
        typed_panel_(panel_, All(), GeneticMap::Uniform()) {
    model_.mismatch_probability = 0.005f;
    for (size_t j = 0; j + 1 < kTyped; ++j) {
      model_.switch_probability.push_back(static_cast<float>(0.001 + 0.2 * random_.Uniform()));
    }
  }

  static std::vector<uint32_t> All() {
    std::vector<uint32_t> typed(kTyped);
    std::iota(typed.begin(), typed.end(), 0);
    return typed;
  }

  std::vector<uint8_t> RandomAlleles() {
    std::vector<uint8_t> alleles(kTyped);
    for (uint8_t& allele : alleles) {
      allele = random_.Bernoulli(0.05) ? kMissingAllele : static_cast<uint8_t>(random_.Bernoulli(0.4));
    }
    return alleles;
  }

  std::vector<float> LeftOut(const std::vector<uint8_t>& alleles) {
    CandidateFinder finder;
    CopyCandidates candidates;
    std::vector<float> left_out(kTyped, -1);
    finder.Find(typed_panel_, model_, TargetHaplotype(alleles), AllStates(typed_panel_), candidates, left_out);
    return left_out;
  }

  // Returns the probability by definition: the marker's allele is made missing, and what is copied there decides.
  double Expected(std::vector<uint8_t> alleles, size_t j) const {
    alleles[j] = kMissingAllele;
    const NaiveCopying naive = ComputeNaiveCopying(typed_panel_, model_, TargetHaplotype(alleles));
    double one = 0, all = 0;
    for (size_t h = 0; h < kHaplotypes; ++h) {
      // The forward state past the marker and the backward state before it, which both are at the marker.
      const double p = naive.forward[j + 1][h] * naive.backward[j][h];
      all += p;
      if (typed_panel_.haplotype_bits(h)[j / 64] >> (j % 64) & 1) one += p;
    }
    return one / all;
  }

  RandomStream random_{3};
  const HaplotypePanel panel_;
  const TypedPanel typed_panel_;
  CopyingModel model_;
};

TEST_F(LeaveOneOutTest, AgreesWithTheDefinition) {
  for (int round = 0; round < 3; ++round) {
    const std::vector<uint8_t> alleles = RandomAlleles();
    const std::vector<float> left_out = LeftOut(alleles);
    for (size_t j = 0; j < kTyped; ++j) ASSERT_NEAR(left_out[j], Expected(alleles, j), 1e-4) << j;
  }
}

TEST_F(LeaveOneOutTest, TheMarkersOwnAlleleDoesNotMatter) {
  std::vector<uint8_t> alleles = RandomAlleles();
  const std::vector<float> before = LeftOut(alleles);
  for (const size_t j : {size_t{0}, size_t{31}, size_t{32}, kTyped - 1}) {
    std::vector<uint8_t> changed = alleles;
    changed[j] = changed[j] == 1 ? 0 : 1;
    const std::vector<float> after = LeftOut(changed);
    EXPECT_NEAR(after[j], before[j], 1e-4) << j;
    EXPECT_NE(after[j == 0 ? 1 : j - 1], before[j == 0 ? 1 : j - 1]) << j;  // The neighbors see the allele.
  }
}

}  // namespace
}  // namespace haplospin
