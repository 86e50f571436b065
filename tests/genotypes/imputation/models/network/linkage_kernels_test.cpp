#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "core/each_instruction_set.h"
#include "core/random.h"
#include "genotypes/imputation/models/network/marker_regression.h"

namespace haplospin {
namespace {

using LinkageKernels = EachInstructionSet;
HAPLOSPIN_TEST_EACH_INSTRUCTION_SET(LinkageKernels);

TEST_P(LinkageKernels, CommonBitsAreCountedAsAWordAtATime) {
  for (const size_t words : {1, 2, 3, 7, 8, 9, 31, 80}) {
    constexpr size_t kRows = 5;
    RandomStream random(words);
    std::vector<uint64_t> bits(words), rows(kRows * words);
    for (uint64_t& word : bits) word = random.UniformInt(UINT64_MAX);
    for (uint64_t& word : rows) word = random.UniformInt(UINT64_MAX);
    std::vector<uint32_t> counts(kRows);
    CountCommonBits(bits.data(), rows.data(), words, kRows, counts.data());
    for (size_t r = 0; r < kRows; ++r) {
      uint32_t expected = 0;
      for (size_t w = 0; w < words; ++w) {
        expected += static_cast<uint32_t>(std::popcount(bits[w] & rows[r * words + w]));
      }
      EXPECT_EQ(counts[r], expected) << words << " words, row " << r;
    }
  }
}

TEST_P(LinkageKernels, DotIsOneProductAtATime) {
  for (const size_t n : {0, 1, 5, 16, 63, 64}) {
    RandomStream random(n);
    std::vector<float> a(n), b(n);
    double expected = 0;
    for (size_t k = 0; k < n; ++k) {
      a[k] = static_cast<float>(random.Uniform() - 0.5);
      b[k] = static_cast<float>(random.Uniform() - 0.5);
      expected += double{a[k]} * double{b[k]};
    }
    EXPECT_NEAR(Dot(a.data(), b.data(), n), expected, 1e-5);
  }
}

}  // namespace
}  // namespace haplospin
