#include "genotypes/imputation/models/network/network_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "core/each_instruction_set.h"
#include "core/random.h"
#include "genotypes/imputation/models/network/network_fixtures.h"

namespace haplospin {
namespace {

using NetworkKernels = EachInstructionSet;
HAPLOSPIN_TEST_EACH_INSTRUCTION_SET(NetworkKernels);

constexpr size_t kCounts[] = {1, 2, 7, 16, 17, 50, kMaxCandidates - 1, kMaxCandidates};

double HardSwish(double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }

std::vector<double> Layer(const std::vector<float>& weights, const std::vector<float>& bias,
                          const std::vector<double>& in) {
  std::vector<double> out(bias.begin(), bias.end());
  for (size_t h = 0; h < out.size(); ++h) {
    for (size_t i = 0; i < in.size(); ++i) out[h] += double{weights[h * in.size() + i]} * in[i];
    out[h] = HardSwish(out[h]);
  }
  return out;
}

double NaiveMlp(const MlpWeights& mlp, const std::vector<double>& in) {
  const std::vector<double> last = Layer(mlp.weight2, mlp.bias2, Layer(mlp.weight1, mlp.bias1, in));
  double out = double{mlp.bias3};
  for (size_t h = 0; h < last.size(); ++h) out += double{mlp.weight3[h]} * last[h];
  return out;
}

void ExpectNaiveMlp(const MlpWeights& mlp, double scale) {
  SCOPED_TRACE(testing::Message() << mlp.inputs << " inputs, " << mlp.hidden << " hidden units");
  RandomStream random(mlp.hidden);
  std::vector<std::array<float, kMlpWidth>> rows(mlp.inputs);
  alignas(64) static float inputs[64][kMlpWidth];
  ASSERT_LE(mlp.inputs, 64u);
  for (size_t i = 0; i < mlp.inputs; ++i) {
    for (float& value : inputs[i]) value = static_cast<float>(scale * random.Normal());
  }
  const auto scratch = std::make_unique<MlpScratch>();
  alignas(64) float out[kMlpWidth];
  for (const size_t count : kCounts) {
    std::fill(std::begin(out), std::end(out), -1.0f);
    RunMlp(PackedMlp(mlp), inputs, count, *scratch, out);
    for (size_t k = 0; k < count; ++k) {
      std::vector<double> column(mlp.inputs);
      for (size_t i = 0; i < mlp.inputs; ++i) column[i] = double{inputs[i][k]};
      const double expected = NaiveMlp(mlp, column);
      ASSERT_NEAR(out[k], expected, 1e-4 * (1 + std::abs(expected))) << "column " << k << " of " << count;
    }
    for (size_t k = PaddedCount(count); k < kMlpWidth; ++k) ASSERT_EQ(out[k], -1);
  }
}

TEST_P(NetworkKernels, RunMlpIsThePlainLoop) {
  for (const size_t hidden : {size_t{4}, size_t{8}, size_t{12}, size_t{32}, kMaxHidden}) {
    const ImputerWeights weights = RandomWeights(hidden, hidden, hidden);
    for (const double scale : {1.0, 10.0}) {  // inside and outside the bend of the activation
      ExpectNaiveMlp(weights.copy, scale);
      ExpectNaiveMlp(weights.allele, scale);
    }
  }
}

TEST_P(NetworkKernels, RunMlpOfZerosIsTheLastBias) {
  MlpWeights mlp = LiStephensWeights().copy;
  mlp.bias3 = 0.25f;
  alignas(64) static float inputs[64][kMlpWidth] = {{1, 2, 3}};
  const auto scratch = std::make_unique<MlpScratch>();
  alignas(64) float out[kMlpWidth];
  RunMlp(PackedMlp(mlp), inputs, kMlpWidth, *scratch, out);
  for (const float value : out) ASSERT_EQ(value, 0.25f);
}

CopyFeatures RandomFeatures(RandomStream& random) {
  CopyFeatures features;
  for (auto& row : features.values) {
    for (float& value : row) value = static_cast<float>(random.Normal());
  }
  for (float& value : features.at_left) value = static_cast<float>(2 * random.Uniform());
  for (float& value : features.at_right) value = static_cast<float>(2 * random.Uniform());
  return features;
}

CopyAttention RandomAttention(size_t count, RandomStream& random) {
  const CopyFeatures features = RandomFeatures(random);
  CopyAttention attention;
  for (float& logit : attention.logit) logit = static_cast<float>(random.Normal());
  FinishAttention(features, 1, 1, count, attention);
  return attention;
}

// The weights at both ends of the interval are those of the middle times the candidates' factors, normalized.
TEST_P(NetworkKernels, AttentionIsTheSoftmaxOfTheLogits) {
  RandomStream random(1);
  for (const size_t count : kCounts) {
    for (const float scale : {0.1f, 1.0f, 30.0f}) {
      const CopyFeatures features = RandomFeatures(random);
      CopyAttention attention;
      std::vector<double> logits;
      for (size_t k = 0; k < kMaxCandidates; ++k) {
        attention.logit[k] = scale * static_cast<float>(random.Normal());
        logits.push_back(double{kCopyScale} * attention.logit[k] + 5 * 0.8 * features.values[12][k] +
                         5 * 1.2 * features.values[13][k]);
      }
      logits.resize(count);
      FinishAttention(features, 0.8f, 1.2f, count, attention);
      const double largest = *std::ranges::max_element(logits);
      double sum = 0, squares = 0, left_sum = 0, right_sum = 0;
      for (const double logit : logits) sum += std::exp(logit - largest);
      for (size_t k = 0; k < count; ++k) {
        left_sum += std::exp(logits[k] - largest) / sum * features.at_left[k];
        right_sum += std::exp(logits[k] - largest) / sum * features.at_right[k];
      }
      for (size_t k = 0; k < count; ++k) {
        const double weight = std::exp(logits[k] - largest) / sum;
        squares += weight * weight;
        ASSERT_NEAR(attention.logit[k], logits[k], 1e-5 * (1 + std::abs(logits[k])));
        ASSERT_NEAR(attention.left[k], weight * features.at_left[k] / left_sum, 1e-4);
        ASSERT_NEAR(attention.right[k], weight * features.at_right[k] / right_sum, 1e-4);
      }
      for (size_t k = count; k < PaddedCount(count); ++k) ASSERT_EQ(attention.left[k] + attention.right[k], 0);
      ASSERT_NEAR(attention.log_sum, largest + std::log(sum), 1e-4 * (1 + std::abs(largest)));
      ASSERT_NEAR(attention.log_squares, std::log(squares), 1e-3);
    }
  }
}

CandidateMask RandomMask(size_t count, double share, RandomStream& random) {
  CandidateMask mask;
  for (size_t k = 0; k < count; ++k) {
    if (random.Bernoulli(share)) mask.Set(k);
  }
  return mask;
}

TEST_P(NetworkKernels, SplitIsThePlainLoop) {
  RandomStream random(2);
  for (const size_t count : kCounts) {
    for (const float place : {0.0f, 0.3f, 1.0f}) {
      const double share = std::array{0.05, 0.5, 0.95}[random.UniformInt(3)];
      const CopyAttention attention = RandomAttention(count, random);
      const CandidateMask mask = RandomMask(count, share, random);
      double weight[2] = {0, 0};
      float best[2] = {-std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
      for (size_t k = 0; k < count; ++k) {
        weight[mask.Has(k)] += (1 - place) * double{attention.left[k]} + place * double{attention.right[k]};
        best[mask.Has(k)] = std::max(best[mask.Has(k)], attention.logit[k]);
      }
      SplitAttention split;
      Split(attention, place, mask, split);
      for (const int side : {0, 1}) {
        ASSERT_NEAR(split.weight[side], weight[side], 1e-5);
        if (std::isinf(best[side])) continue;  // nobody there
        ASSERT_LT(split.best[side], count);
        ASSERT_EQ(attention.logit[split.best[side]], best[side]);
      }
    }
  }
}

TEST_P(NetworkKernels, SigmoidOfTheSum) {
  RandomStream random(3);
  alignas(64) float logit[kMlpWidth], correction[kMlpWidth], p[kMlpWidth];
  for (size_t k = 0; k < kMlpWidth; ++k) {
    logit[k] = static_cast<float>(20 * random.Normal());
    correction[k] = static_cast<float>(random.Normal());
  }
  logit[3] = 1e4f;
  logit[4] = -1e4f;
  Sigmoid(logit, correction, p);
  for (size_t k = 0; k < kMlpWidth; ++k) {
    ASSERT_NEAR(p[k], 1 / (1 + std::exp(-(double{logit[k]} + correction[k]))), 1e-6) << k;
  }
}

}  // namespace
}  // namespace haplospin
