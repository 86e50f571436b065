#include "genotypes/imputation/models/phasing/pair_kernels.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "core/each_instruction_set.h"
#include "core/random.h"

namespace haplospin {
namespace {

using PairKernels = EachInstructionSet;
HAPLOSPIN_TEST_EACH_INSTRUCTION_SET(PairKernels);

// Numbers of states around the length of every instruction set's vectors.
constexpr size_t kStates[] = {1, 5, 9, 16, 31, 32, 33, 47, 64, 65, 100, 1000};

std::vector<float> RandomFloats(size_t n, RandomStream& random) {
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(random.Uniform());
  return values;
}

// Random bits and values of n states.
struct PairValues {
  explicit PairValues(size_t n, RandomStream& random)
      : bits((n + 63) / 64),
        prior(RandomFloats(n, random)),
        first{RandomFloats(n, random), RandomFloats(n, random)},
        second{RandomFloats(n, random), RandomFloats(n, random)} {
    for (uint64_t& word : bits) word = random();
  }

  bool Bit(size_t s) const { return bits[s / 64] >> (s % 64) & 1; }

  std::vector<uint64_t> bits;
  std::vector<float> prior;
  std::vector<float> first[2], second[2];  // [2][n] by haplotype
};

TEST_P(PairKernels, AStepIsAPlainLoop) {
  RandomStream random(1);
  const PairStep step{.keep = {0.9f, 0.7f}, .jump = 0.01f, .if_zero = {0.99f, 0.02f}, .if_one = {0.01f, 0.98f}};
  for (const size_t n : kStates) {
    const PairValues values(n, random);
    std::vector<float> out[2] = {std::vector<float>(n + 1, -1), std::vector<float>(n + 1, -1)};
    const float* const in[2] = {values.first[0].data(), values.first[1].data()};
    float* const to[2] = {out[0].data(), out[1].data()};
    const std::array<float, 2> sums = RunPairStep(step, values.bits.data(), values.prior.data(), n, in, to);
    for (size_t c = 0; c < 2; ++c) {
      double sum = 0;
      for (size_t s = 0; s < n; ++s) {
        const float expected = (in[c][s] * step.keep[c] + step.jump * values.prior[s]) *
                               (values.Bit(s) ? step.if_one[c] : step.if_zero[c]);
        ASSERT_NEAR(out[c][s], expected, 1e-6 * expected);
        sum += expected;
      }
      ASSERT_NEAR(sums[c], sum, 1e-5 * sum);
      ASSERT_EQ(out[c][n], -1) << "nothing is written beyond the end";
    }
  }
}

// The states ahead may be replaced, in either order.
TEST_P(PairKernels, AJoiningStepIsAStepAndPlainSums) {
  RandomStream random(2);
  const PairStep step{.keep = {0.9f, 0.7f}, .jump = 0.01f, .if_zero = {1, 1}, .if_one = {1, 1}};
  for (const size_t n : kStates) {
    for (const size_t swapped : {0, 1}) {
      const PairValues values(n, random);
      std::vector<float> out[2] = {values.second[0], values.second[1]};
      const float* const in[2] = {values.first[0].data(), values.first[1].data()};
      float* const to[2] = {out[0].data(), out[1].data()};
      const float* const ahead[2] = {out[swapped].data(), out[1 - swapped].data()};
      const std::vector<float> inverse = RandomFloats(n, random);
      const JoiningStep found =
          RunJoiningStep(step, values.bits.data(), values.prior.data(), inverse.data(), n, in, to, ahead);
      std::vector<float> expected[2] = {std::vector<float>(n), std::vector<float>(n)};
      float* const expected_out[2] = {expected[0].data(), expected[1].data()};
      RunPairStep(step, values.bits.data(), values.prior.data(), n, in, expected_out);
      for (size_t c = 0; c < 2; ++c) {
        ASSERT_EQ(out[c], expected[c]);
        ASSERT_NEAR(found.sums[c], std::accumulate(out[c].begin(), out[c].end(), 0.0), 1e-5 * found.sums[c]);
        for (size_t e = 0; e < 2; ++e) {
          double sums[2] = {0, 0};
          for (size_t s = 0; s < n; ++s) {
            sums[values.Bit(s) ? 1 : 0] += double{out[c][s]} * values.second[e ^ swapped][s] * inverse[s];
          }
          const double all = sums[0] + sums[1];
          ASSERT_NEAR(found.continuations.sum[c][e][0], sums[0], 1e-5 * all);
          ASSERT_NEAR(found.continuations.sum[c][e][1], sums[1], 1e-5 * all);
        }
      }
    }
  }
}

TEST_P(PairKernels, CopiedAltIsAMean) {
  RandomStream random(3);
  for (const size_t n : kStates) {
    const PairValues values(n, random);
    std::vector<uint8_t> alt(n);
    for (uint8_t& a : alt) a = static_cast<uint8_t>(random());
    const float* const behind[2] = {values.first[0].data(), values.first[1].data()};
    const float* const ahead[2] = {values.second[0].data(), values.second[1].data()};
    const std::array<float, 2> found = CopiedAlt(alt.data(), values.prior.data(), n, behind, ahead);
    for (size_t c = 0; c < 2; ++c) {
      double all = 0, with_alt = 0;
      for (size_t s = 0; s < n; ++s) {
        const double weight = double{behind[c][s]} * ahead[c][s] * values.prior[s];
        all += weight;
        with_alt += weight * alt[s] / 255;
      }
      ASSERT_NEAR(found[c], with_alt / all, 1e-5);
    }
  }
}

TEST_P(PairKernels, WeightsArePlainProducts) {
  RandomStream random(4);
  const std::array<std::array<float, 2>, 2> emission{{{0.9f, 0.2f}, {0.3f, 0.7f}}};
  for (const size_t n : kStates) {
    const PairValues values(n, random);
    const float* const behind[2] = {values.first[0].data(), values.first[1].data()};
    const float* const ahead[2] = {values.second[0].data(), values.second[1].data()};
    std::vector<float> out[2] = {std::vector<float>(n + 1, -1), std::vector<float>(n + 1, -1)};
    float* const weight[2] = {out[0].data(), out[1].data()};
    const std::array<float, 2> sums =
        WeighStates(values.bits.data(), values.prior.data(), n, behind, ahead, emission, weight);
    for (size_t c = 0; c < 2; ++c) {
      double sum = 0;
      for (size_t s = 0; s < n; ++s) {
        const float expected = behind[c][s] * ahead[c][s] * values.prior[s] * emission[c][values.Bit(s) ? 1 : 0];
        ASSERT_NEAR(out[c][s], expected, 1e-6);
        sum += expected;
      }
      ASSERT_NEAR(sums[c], sum, 1e-5 * sum);
      ASSERT_EQ(out[c][n], -1) << "nothing is written beyond the end";
    }
  }
}

// Words with few and with many ones are summed in different ways.
TEST_P(PairKernels, SumsTheWeightsOfOnes) {
  RandomStream random(5);
  for (const size_t n : kStates) {
    for (const double density : {0.02, 0.5}) {
      const size_t words = (n + 63) / 64;
      std::vector<uint64_t> bits(words);
      std::vector<float> values[2];
      double expected[2] = {0, 0};
      for (std::vector<float>& row : values) {
        row = RandomFloats(n, random);
        row.resize(64 * words);
      }
      for (size_t s = 0; s < n; ++s) {
        if (!random.Bernoulli(density)) continue;
        bits[s / 64] |= uint64_t{1} << (s % 64);
        for (size_t c = 0; c < 2; ++c) expected[c] += values[c][s];
      }
      const float* const weight[2] = {values[0].data(), values[1].data()};
      const std::array<float, 2> sums = SumOnes(bits.data(), n, weight);
      for (size_t c = 0; c < 2; ++c) ASSERT_NEAR(sums[c], expected[c], 1e-5 * expected[c] + 1e-6);
    }
  }
}

}  // namespace
}  // namespace haplospin
