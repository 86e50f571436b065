#include "genotypes/imputation/models/phasing/gap_kernels.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/each_instruction_set.h"
#include "core/random.h"

namespace haplospin {
namespace {

using GapKernels = EachInstructionSet;
HAPLOSPIN_TEST_EACH_INSTRUCTION_SET(GapKernels);

// Random weights of n states, and their rows of `markers` bytes.
struct GapValues {
  GapValues(size_t n, size_t markers) : values(kGapTerms), bytes(n) {
    RandomStream random(n, {markers});
    for (std::vector<float>& term : values) {
      for (size_t s = 0; s < n; ++s) term.push_back(0.5f + static_cast<float>(random.Uniform()));
    }
    for (std::vector<uint8_t>& row : bytes) {
      for (size_t m = 0; m < markers + kGapPadding; ++m) row.push_back(static_cast<uint8_t>(random()));
      rows.push_back(row.data());
    }
    for (size_t t = 0; t < kGapTerms; ++t) weights[t] = values[t].data();
  }

  std::vector<std::vector<float>> values;   // [terms][states]
  std::vector<std::vector<uint8_t>> bytes;  // [states][markers]
  std::vector<const uint8_t*> rows;
  GapWeights weights;
};

TEST_P(GapKernels, JoinsStates) {
  for (const size_t n : {1, 7, 16, 33, 250}) {
    const GapValues gap(n, 1);
    std::vector<float> first(n), second(n);
    const float* const behind[2] = {gap.weights[0], gap.weights[1]};
    const float* const ahead[2] = {gap.weights[2], gap.weights[3]};
    float* const joined[2] = {first.data(), second.data()};
    JoinStates(gap.weights[4], n, behind, ahead, joined);
    for (size_t s = 0; s < n; ++s) {
      EXPECT_FLOAT_EQ(first[s], gap.values[0][s] * gap.values[2][s] * gap.values[4][s]);
      EXPECT_FLOAT_EQ(second[s], gap.values[1][s] * gap.values[3][s] * gap.values[4][s]);
    }
  }
}

TEST_P(GapKernels, SumsOverTheStates) {
  for (const size_t n : {1, 7, 16, 33, 250}) {
    for (const size_t markers : {1, 4, 8, 15, 16, 40}) {
      const GapValues gap(n, markers);
      std::vector<GapSums> sums(markers);
      SumAlts(gap.weights, gap.rows, sums);
      const GapSums totals = SumWeights(gap.weights, n);
      for (size_t t = 0; t < kGapTerms; ++t) {
        double total = 0;
        for (size_t s = 0; s < n; ++s) total += gap.values[t][s];
        EXPECT_NEAR(totals[t] / total, 1, 1e-5) << n;
        for (size_t m = 0; m < markers; ++m) {
          double expected = 0;
          for (size_t s = 0; s < n; ++s) expected += gap.values[t][s] * gap.bytes[s][m];
          EXPECT_NEAR(sums[m][t], expected, 1e-5 * (1 + expected)) << n << " " << markers << " " << m << " " << t;
        }
      }
    }
  }
}

}  // namespace
}  // namespace haplospin
