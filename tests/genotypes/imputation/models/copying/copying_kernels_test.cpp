#include "genotypes/imputation/models/copying/copying_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/each_instruction_set.h"
#include "core/random.h"

namespace haplospin {
namespace {

using CopyingKernels = EachInstructionSet;
HAPLOSPIN_TEST_EACH_INSTRUCTION_SET(CopyingKernels);

// Sizes around every length of a vector.
constexpr size_t kSizes[] = {1, 3, 4, 5, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 1000};

std::vector<float> RandomValues(size_t n, RandomStream& random) {
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(random.Uniform());
  return values;
}

TEST_P(CopyingKernels, StepsArePlainLoops) {
  RandomStream random(1);
  const CopyStep step{.keep = 0.9f, .jump = 0.003f, .match = 0.99f, .mismatch = 0.01f};
  for (const size_t n : kSizes) {
    std::vector<uint64_t> bits((n + 63) / 64);
    for (uint64_t& word : bits) word = random();
    const std::vector<float> in = RandomValues(n, random);
    for (const bool allele : {false, true}) {
      std::vector<float> out(n + 1, -1);
      double sum = 0, sum_without = 0;
      const float total = RunCopyStep(step, bits.data(), allele, n, in.data(), out.data());
      for (size_t h = 0; h < n; ++h) {
        const bool bit = bits[h / 64] >> (h % 64) & 1;
        const float expected = (in[h] * step.keep + step.jump) * (bit == allele ? step.match : step.mismatch);
        ASSERT_FLOAT_EQ(out[h], expected);
        sum += expected;
        sum_without += in[h] * step.keep + step.jump;
      }
      ASSERT_NEAR(total, sum, 1e-5 * sum);
      ASSERT_EQ(out[n], -1);  // A write beyond the end would change it.
      std::vector<float> without(n + 1, -1);
      ASSERT_NEAR(RunCopyStepWithoutAllele(step.keep, step.jump, n, in.data(), without.data()), sum_without,
                  1e-5 * sum_without);
      for (size_t h = 0; h < n; ++h) ASSERT_FLOAT_EQ(without[h], in[h] * step.keep + step.jump);
      ASSERT_EQ(without[n], -1);

      std::vector<float> in_place = in;
      ASSERT_EQ(RunCopyStep(step, bits.data(), allele, n, in_place.data(), in_place.data()), total);
      ASSERT_TRUE(std::equal(in_place.begin(), in_place.end(), out.begin()));
    }
  }
}

TEST_P(CopyingKernels, SumsByAlleleArePlainLoops) {
  RandomStream random(4);
  for (const size_t n : kSizes) {
    std::vector<uint64_t> bits((n + 63) / 64);
    for (uint64_t& word : bits) word = random();
    const std::vector<float> forward = RandomValues(n, random), backward = RandomValues(n, random);
    double expected[2] = {0, 0};
    for (size_t h = 0; h < n; ++h) expected[bits[h / 64] >> (h % 64) & 1] += forward[h] * backward[h];
    const AlleleSums sums = SumPairsByAllele(bits.data(), n, forward.data(), backward.data());
    ASSERT_NEAR(sums.zero, expected[0], 1e-5 * expected[0]) << n;
    ASSERT_NEAR(sums.one, expected[1], 1e-5 * expected[1]) << n;
  }
}

TEST_P(CopyingKernels, ProductsAndSumsArePlainLoops) {
  RandomStream random(2);
  for (const size_t n : kSizes) {
    const std::vector<float> forward = RandomValues(n, random), backward = RandomValues(n, random);
    const Transition f{0.8f, 0.01f}, b{0.7f, 0.02f};
    std::vector<float> products(n + 1, -1);
    const float largest = MultiplyTransitions(forward.data(), f, backward.data(), b, n, products.data());
    ASSERT_EQ(largest, *std::max_element(products.begin(), products.end()));
    double joint = 0, sum = 0;
    for (size_t h = 0; h < n; ++h) {
      ASSERT_FLOAT_EQ(products[h], (forward[h] * f.keep + f.jump) * (backward[h] * b.keep + b.jump));
      joint += double{forward[h]} * backward[h];
      sum += double{backward[h]};
    }
    ASSERT_EQ(products[n], -1);
    const PairSums sums = SumPairs(forward.data(), backward.data(), n);
    ASSERT_NEAR(sums.joint, joint, 1e-5 * joint);
    ASSERT_NEAR(sums.backward, sum, 1e-5 * sum);
  }
}

TEST_P(CopyingKernels, WhatIsAboveAThreshold) {
  RandomStream random(3);
  for (const size_t n : kSizes) {
    std::vector<float> values = RandomValues(n, random);
    values[random.UniformInt(n)] = 0.5f;  // equal to a threshold
    for (const float threshold : {-1.0f, 0.0f, 0.2f, 0.5f, 0.97f, 2.0f}) {
      std::vector<uint32_t> expected;
      for (uint32_t h = 0; h < n; ++h) {
        if (values[h] > threshold) expected.push_back(h);
      }
      std::vector<uint32_t> indices(n + 64);
      std::vector<float> found(n + 64);
      ASSERT_EQ(CollectAbove(values.data(), threshold, n, indices.data(), found.data()), expected.size());
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), indices.begin()));
      for (size_t k = 0; k < expected.size(); ++k) ASSERT_EQ(found[k], values[expected[k]]);
    }
  }
}

}  // namespace
}  // namespace haplospin
