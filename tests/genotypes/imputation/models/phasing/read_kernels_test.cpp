#include "genotypes/imputation/models/phasing/read_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/each_instruction_set.h"
#include "core/random.h"

namespace haplospin {
namespace {

using ReadKernels = EachInstructionSet;
HAPLOSPIN_TEST_EACH_INSTRUCTION_SET(ReadKernels);

constexpr size_t kStates[] = {64, 128, 1024};

std::vector<float> RandomFloats(size_t n, RandomStream& random) {
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(random.Uniform());
  return values;
}

// Random values of n states: [2][n] by haplotype.
struct ReadValues {
  ReadValues(size_t n, RandomStream& random)
      : prior(RandomFloats(n, random)),
        emission(RandomFloats(n, random)),
        state{RandomFloats(n, random), RandomFloats(n, random)},
        ahead{RandomFloats(n, random), RandomFloats(n, random)} {
    for (const float p : prior) inverse_prior.push_back(1 / (p + 0.1f));
  }

  std::vector<float> prior, inverse_prior, emission;
  std::array<std::vector<float>, 2> state, ahead;
};

TEST_P(ReadKernels, EmissionsAreProducts) {
  RandomStream random(1);
  for (const size_t n : kStates) {
    std::vector<float> emission(n), expected(n, 1);
    std::vector<std::vector<uint64_t>> bits;
    std::vector<ReadTerm> terms;
    for (const float other : {0.5f, 0.01f, 1e-5f, 1e-5f}) {
      std::vector<uint64_t>& row = bits.emplace_back(n / 64);
      for (uint64_t& word : row) word = random();
      terms.push_back({row.data(), other, 1});
      for (size_t s = 0; s < n; ++s) expected[s] *= row[s / 64] >> (s % 64) & 1 ? 1 : other;
    }
    for (float& e : expected) e = std::max(e, kLeastReadEmission);
    FindEmissions(terms, n, emission.data());
    EXPECT_EQ(emission, expected);
  }
}

TEST_P(ReadKernels, AJoinIsAPlainLoop) {
  RandomStream random(2);
  for (const size_t n : kStates) {
    ReadValues values(n, random);
    const std::array<std::vector<float>, 2> before = values.state;
    float* const state[2] = {values.state[0].data(), values.state[1].data()};
    const float* const ahead[2] = {values.ahead[0].data(), values.ahead[1].data()};
    const std::array<float, 2> keep{0.9f, 0.7f};
    const ReadJoin join = JoinRead(keep, 0.01f, values.prior.data(), values.inverse_prior.data(),
                                   values.emission.data(), n, state, ahead);
    for (size_t c = 0; c < 2; ++c) {
      for (size_t d = 0; d < 2; ++d) {
        double all = 0, read = 0;
        for (size_t s = 0; s < n; ++s) {
          const double moved = before[c][s] * keep[c] + 0.01 * values.prior[s];
          ASSERT_NEAR(state[c][s], moved, 1e-6);
          all += moved * ahead[d][s] * values.inverse_prior[s];
          read += moved * ahead[d][s] * values.inverse_prior[s] * values.emission[s];
        }
        ASSERT_NEAR(join.all[c][d], all, 1e-4 * all);
        ASSERT_NEAR(join.read[c][d], read, 1e-4 * read);
      }
    }
  }
}

TEST_P(ReadKernels, AReadIsPassedInPlace) {
  RandomStream random(3);
  for (const size_t n : kStates) {
    ReadValues values(n, random);
    const ReadValues before = values;
    std::array<std::vector<float>, 2> weight{std::vector<float>(n), std::vector<float>(n)};
    float* const state[2] = {values.state[0].data(), values.state[1].data()};
    float* const weights[2] = {weight[0].data(), weight[1].data()};
    float* const stored[2] = {values.ahead[0].data(), values.ahead[1].data()};
    const float* const ahead[2] = {stored[1], stored[0]};  // exchanged
    const ReadFactors factors{.by_read = {1, 0}, .constant = {0.25f, 1}};
    const std::array<float, 2> sums =
        PassRead(factors, values.inverse_prior.data(), values.emission.data(), n, state, ahead, stored, weights);
    for (size_t c = 0; c < 2; ++c) {
      double sum = 0;
      for (size_t s = 0; s < n; ++s) {
        const float factor = c == 0 ? values.emission[s] + 0.25f : 1;
        const float after = before.state[c][s] * factor;
        ASSERT_NEAR(values.state[c][s], after, 1e-6);
        ASSERT_NEAR(weight[c][s], after * before.ahead[1 - c][s] * values.inverse_prior[s], 1e-5);
        ASSERT_EQ(stored[c][s], before.state[c][s]);
        sum += after;
      }
      ASSERT_NEAR(sums[c], sum, 1e-4 * sum);
    }
  }
}

}  // namespace
}  // namespace haplospin
