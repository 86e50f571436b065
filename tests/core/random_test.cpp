#include "core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace haplospin {
namespace {

// Figures computed once with an independent implementation (Python, unbounded integers). They must never change:
// otherwise seeds in old command lines would give other results.
TEST(RandomStream, FirstNumbersAreFixed) {
  RandomStream stream(42, {7, 3});
  EXPECT_EQ(stream(), 0x365603d4436aaa9bu);
  EXPECT_EQ(stream(), 0x4388cbc48c02f265u);
  EXPECT_EQ(stream(), 0x96fb7ad135463150u);
}

TEST(RandomStream, SameSeedAndKeySameNumbers) {
  RandomStream a(5, {1, 2});
  RandomStream b(5, {1, 2});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a(), b());
}

TEST(RandomStream, EverySeedAndKeyStartsElsewhere) {
  std::set<uint64_t> first;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    first.insert(RandomStream(seed)());
    for (uint64_t i = 0; i < 20; ++i) {
      first.insert(RandomStream(seed, {i})());
      for (uint64_t j = 0; j < 20; ++j) first.insert(RandomStream(seed, {i, j})());
    }
  }
  EXPECT_EQ(first.size(), 20u * (1 + 20 + 400));
}

TEST(RandomStream, NeighboringStreamsAreUncorrelated) {
  RandomStream a(1, {0});
  RandomStream b(1, {1});
  constexpr int kDraws = 100000;
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) sum += (a.Uniform() - 0.5) * (b.Uniform() - 0.5);
  EXPECT_LT(std::abs(sum / kDraws), 5.0 / 12 / std::sqrt(kDraws));
}

TEST(RandomStream, UniformHasItsMomentsAndRange) {
  RandomStream stream(2);
  constexpr int kDraws = 200000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = stream.Uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kDraws));
}

TEST(RandomStream, UniformIntIsUnbiased) {
  RandomStream stream(3);
  for (const uint64_t n : {1u, 2u, 3u, 7u, 10u}) {
    std::vector<int> counts(n);
    constexpr int kDraws = 50000;
    for (int i = 0; i < kDraws; ++i) {
      const uint64_t x = stream.UniformInt(n);
      ASSERT_LT(x, n);
      ++counts[x];
    }
    for (const int count : counts) {
      EXPECT_NEAR(count, kDraws / static_cast<double>(n), 5 * std::sqrt(kDraws / static_cast<double>(n)));
    }
  }
}

// With n = 3/4 of 2^64, taking the remainder would give the lower third twice as often.
TEST(RandomStream, UniformIntIsUnbiasedNearTheEnd) {
  RandomStream stream(4);
  constexpr uint64_t kN = uint64_t{3} << 62;
  constexpr int kDraws = 30000;
  std::array<int, 3> counts{};
  for (int i = 0; i < kDraws; ++i) ++counts[stream.UniformInt(kN) >> 62];
  for (const int count : counts) EXPECT_NEAR(count, kDraws / 3, 5 * std::sqrt(kDraws / 3));
}

TEST(RandomStream, NormalHasItsMoments) {
  RandomStream stream(6);
  constexpr int kDraws = 400000;
  std::array<double, 5> moments{};
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = stream.Normal();
    for (size_t k = 0; k < moments.size(); ++k) moments[k] += std::pow(x, k) / kDraws;
    beyond_two += std::abs(x) > 2;
  }
  EXPECT_NEAR(moments[1], 0, 5 / std::sqrt(kDraws));
  EXPECT_NEAR(moments[2], 1, 5 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(moments[3], 0, 5 * std::sqrt(15.0 / kDraws));
  EXPECT_NEAR(moments[4], 3, 5 * std::sqrt(96.0 / kDraws));
  EXPECT_NEAR(beyond_two / static_cast<double>(kDraws), 0.0455003, 5 * std::sqrt(0.0455 / kDraws));
}

TEST(RandomStream, ShuffleGivesEveryOrderEquallyOften) {
  RandomStream stream(8);
  std::map<std::array<int, 4>, int> counts;
  constexpr int kDraws = 48000;
  for (int i = 0; i < kDraws; ++i) {
    std::array<int, 4> order{0, 1, 2, 3};
    stream.Shuffle(std::span<int>(order));
    ++counts[order];
  }
  EXPECT_EQ(counts.size(), 24u);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, kDraws / 24, 5 * std::sqrt(kDraws / 24));
}

TEST(RandomStream, RandomOrderHasEveryNumberOnce) {
  RandomStream stream(3);
  std::vector<int64_t> order = RandomOrder<int64_t>(50, stream);
  EXPECT_NE(order, RandomOrder<int64_t>(50, stream));
  std::ranges::sort(order);
  for (int64_t i = 0; i < 50; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
  EXPECT_TRUE(RandomOrder<float>(0, stream).empty());
}

TEST(RandomStream, DrawIndexIsInProportionToTheWeights) {
  constexpr int kDraws = 100'000;
  const std::vector<float> weights{1, 0, 3, 6, 0};
  std::vector<int> counts(weights.size());
  RandomStream stream(4);
  for (int i = 0; i < kDraws; ++i) ++counts[DrawIndex(std::span<const float>(weights), stream)];
  for (size_t k = 0; k < weights.size(); ++k) {
    const double expected = kDraws * weights[k] / 10;
    EXPECT_NEAR(counts[k], expected, 5 * std::sqrt(expected)) << k;
  }
  const std::vector<double> one{0, 0, 1e-300, 0};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(DrawIndex(std::span<const double>(one), stream), 2u);
}

TEST(RandomStream, WorksAsAStandardGenerator) {
  static_assert(std::uniform_random_bit_generator<RandomStream>);
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  auto shuffled = values;
  std::shuffle(shuffled.begin(), shuffled.end(), RandomStream(9));
  EXPECT_NE(shuffled, values);
  EXPECT_TRUE(std::is_permutation(shuffled.begin(), shuffled.end(), values.begin()));
}

}  // namespace
}  // namespace haplospin
