#include "genotypes/imputation/models/clusters/pair_cluster_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/models/clusters/cluster_fits.h"
#include "genotypes/imputation/models/clusters/cluster_model.h"

namespace haplospin {
namespace {

constexpr size_t kMarkers = 14;

// Likelihoods of the pairs of haplotypes, where a third of the genotypes is unknown and none is certain.
ClusterEvidence MosaicLikelihoods(uint64_t seed) {
  ClusterEvidence evidence = MosaicHaplotypes(seed, kMarkers);
  RandomStream random(seed);
  for (size_t i = 0; i < 30; ++i) {
    for (size_t m = 0; m < kMarkers; ++m) {
      const size_t alts = evidence.alleles[2 * i * kMarkers + m] + evidence.alleles[(2 * i + 1) * kMarkers + m];
      ClusterLikelihoods& l = evidence.likelihoods.emplace_back(ClusterLikelihoods{1, 1, 1});
      if (random.Bernoulli(1.0 / 3)) continue;
      for (float& likelihood : l) likelihood = 0.3f * static_cast<float>(random.Uniform());
      l[alts] = 1;
    }
  }
  evidence.alleles.clear();
  return evidence;
}

ClusterModel FitToLikelihoods(const ClusterEvidence& evidence, uint64_t seed, size_t steps = 3, size_t parts = 1) {
  RandomStream random(seed);
  std::vector<float> alt;
  for (size_t i = 0; i < kMarkers * kFewClusters; ++i)
    alt.push_back(0.1f + 0.8f * static_cast<float>(random.Uniform()));
  return {evidence, {.clusters = kFewClusters, .steps = steps, .parts = parts, .first_rate = 5}, std::move(alt)};
}

using Matrix = std::vector<std::vector<double>>;  // [K, K]

Matrix Zeros(size_t k) { return Matrix(k, std::vector<double>(k)); }

// The model by its definition: every step with the whole matrix of transitions.
class DirectPairs {
 public:
  DirectPairs(const ClusterTables& tables, std::vector<ClusterLikelihoods> likelihoods)
      : tables_(tables), likelihoods_(std::move(likelihoods)) {}

  // The probabilities of the pairs at a marker, given the genotypes at the others and, if `with_own`, at it.
  Matrix Posterior(size_t marker, bool with_own) const {
    Matrix result = Before(marker);
    if (with_own) result = Emitted(std::move(result), marker);
    const Matrix after = After(marker);
    double total = 0;
    for (size_t a = 0; a < K(); ++a) {
      for (size_t b = 0; b < K(); ++b) total += result[a][b] *= after[a][b];
    }
    for (std::vector<double>& row : result) {
      for (double& p : row) p /= total;
    }
    return result;
  }

  // The probability that the first haplotype switches to cluster k at a marker.
  double Switched(size_t marker, size_t k) const {
    const Matrix next = Emitted(After(marker), marker), transition = Transition(marker);
    const Matrix before = marker == 0 ? Zeros(K()) : Emitted(Before(marker - 1), marker - 1);
    double switched = 0, total = 0;
    for (size_t b = 0; b < K(); ++b) {
      double second = tables_.share[b];
      if (marker > 0) {
        second = 0;
        for (size_t from = 0; from < K(); ++from) {
          for (size_t other = 0; other < K(); ++other) second += before[other][from] * transition[from][b];
        }
      }
      switched += tables_.switches[marker] * tables_.share[marker * K() + k] * second * next[k][b];
    }
    const Matrix all = Emitted(Before(marker), marker), after = After(marker);
    for (size_t a = 0; a < K(); ++a) {
      for (size_t b = 0; b < K(); ++b) total += all[a][b] * after[a][b];
    }
    return switched / total;
  }

  double Likelihood() const {
    double likelihood = 0;
    for (const auto& row : Emitted(Before(tables_.markers - 1), tables_.markers - 1)) {
      likelihood = std::accumulate(row.begin(), row.end(), likelihood);
    }
    return likelihood;
  }

  double Alt(size_t m, size_t k) const { return tables_.alt[m * K() + k]; }
  const ClusterLikelihoods& likelihoods(size_t m) const { return likelihoods_[m]; }
  size_t K() const { return tables_.clusters; }

 private:
  // Forward without the genotype at the marker, and backward.
  Matrix Before(size_t marker) const {
    Matrix forward = Zeros(K());
    for (size_t a = 0; a < K(); ++a) {
      for (size_t b = 0; b < K(); ++b) forward[a][b] = double{tables_.share[a]} * tables_.share[b];
    }
    for (size_t m = 0; m < marker; ++m) forward = Product(Transition(m + 1), Emitted(forward, m), true);
    return forward;
  }

  Matrix After(size_t marker) const {
    Matrix backward(K(), std::vector<double>(K(), 1));
    for (size_t m = tables_.markers - 1; m > marker; --m) {
      backward = Product(Transition(m), Emitted(backward, m), false);
    }
    return backward;
  }

  Matrix Transition(size_t m) const {
    Matrix result = Zeros(K());
    for (size_t a = 0; a < K(); ++a) {
      for (size_t b = 0; b < K(); ++b) {
        result[a][b] = (a == b ? 1.0 - tables_.switches[m] : 0.0) + tables_.switches[m] * tables_.share[m * K() + b];
      }
    }
    return result;
  }

  Matrix Emitted(Matrix matrix, size_t m) const {
    const auto [none, one, two] = likelihoods_[m];
    for (size_t a = 0; a < K(); ++a) {
      for (size_t b = 0; b < K(); ++b) {
        const double p = Alt(m, a), q = Alt(m, b);
        matrix[a][b] *= none * (1 - p) * (1 - q) + one * (p * (1 - q) + (1 - p) * q) + two * p * q;
      }
    }
    return matrix;
  }

  // T' M T if forward, T M T' if not.
  Matrix Product(const Matrix& t, const Matrix& matrix, bool is_forward) const {
    Matrix half = Zeros(K()), result = half;
    const auto at = [&](size_t from, size_t to) { return is_forward ? t[from][to] : t[to][from]; };
    for (size_t a = 0; a < K(); ++a) {
      for (size_t b = 0; b < K(); ++b) {
        for (size_t c = 0; c < K(); ++c) half[a][b] += at(c, a) * matrix[c][b];
      }
    }
    for (size_t a = 0; a < K(); ++a) {
      for (size_t b = 0; b < K(); ++b) {
        for (size_t c = 0; c < K(); ++c) result[a][b] += half[a][c] * at(c, b);
      }
    }
    return result;
  }

  const ClusterTables tables_;
  const std::vector<ClusterLikelihoods> likelihoods_;
};

// Leaves out genotypes of an individual that is typed at some markers, and expects what the definition gives.
void ExpectLeftOut(const ClusterModel& model, const std::vector<uint32_t>& typed, RandomStream& random) {
  const ClusterSteps steps(model, typed);
  std::vector<ClusterLikelihoods> likelihoods(kMarkers, {1, 1, 1});
  for (const uint32_t m : typed) {
    for (float& l : likelihoods[m]) l = random.Bernoulli(0.3) ? 0 : 0.01f + static_cast<float>(random.Uniform());
    if (likelihoods[m] == ClusterLikelihoods{}) likelihoods[m] = {1, 0, 0};
  }
  const std::span<const uint32_t> with_ends = steps.steps().typed;
  const size_t k = model.tables().clusters;
  std::vector<float> forward(with_ends.size() * k * k), left_out(kMarkers), both(kMarkers);
  LeaveOutGenotypes(model.tables(), steps.steps(), likelihoods.data(), forward.data(), left_out.data(), both.data());
  const DirectPairs direct(model.tables(), likelihoods);
  for (size_t m = 0; m < kMarkers; ++m) {
    const Matrix p = direct.Posterior(m, false);
    double alts = 0, pairs = 0;
    for (size_t a = 0; a < k; ++a) {
      for (size_t b = 0; b < k; ++b) {
        alts += p[a][b] * (direct.Alt(m, a) + direct.Alt(m, b)) / 2;
        pairs += p[a][b] * direct.Alt(m, a) * direct.Alt(m, b);
      }
    }
    EXPECT_NEAR(left_out[m], alts, 2e-4) << m;
    if (std::ranges::count(with_ends, m) > 0) {
      EXPECT_NEAR(both[m], pairs, 2e-4) << m;
    }
  }
}

TEST(PairClusterKernels, PairsAreThoseOfTheModel) {
  const ClusterModel many = FitToHaplotypes(MosaicHaplotypes(1, kMarkers), 1);
  const ClusterModel few = FitToLikelihoods(MosaicLikelihoods(1), 1);
  RandomStream random(2);
  for (const std::vector<uint32_t>& typed : {std::vector<uint32_t>{2, 3, 6, 12}, {0, 5, 13}, {}}) {
    ExpectLeftOut(many, typed, random);
    ExpectLeftOut(few, typed, random);
  }
}

TEST(PairClusterKernels, CountsAndDrawsOfPairsAreThoseOfTheModel) {
  const ClusterEvidence evidence = MosaicLikelihoods(5);
  const ClusterModel model = FitToLikelihoods(evidence, 5);
  constexpr size_t K = kFewClusters;
  std::vector<uint32_t> markers;
  for (uint32_t m = 0; m < kMarkers; ++m) markers.push_back(m);
  const ClusterSteps steps(model, markers);
  const std::vector<ClusterLikelihoods> likelihoods(evidence.likelihoods.begin(),
                                                    evidence.likelihoods.begin() + kMarkers);
  std::vector<float> forward(kMarkers * K * K), ref(kMarkers * K), alt = ref, switched = ref;
  CountPair(model.tables(), steps.steps(), likelihoods.data(), forward.data(),
            {ref.data(), alt.data(), switched.data()});
  const DirectPairs direct(model.tables(), likelihoods);
  constexpr int kDraws = 4000;
  Matrix drawn(kMarkers, std::vector<double>(K));
  RandomStream random(3);
  for (int draw = 0; draw < kDraws; ++draw) {
    const std::vector<std::array<size_t, 2>> pairs = model.DrawPairs(forward, random);
    for (size_t m = 0; m < kMarkers; ++m) {
      for (const size_t k : pairs[m]) drawn[m][k] += 0.5 / kDraws;
    }
  }
  for (size_t m = 0; m < kMarkers; ++m) {
    const Matrix p = direct.Posterior(m, true), left_out = direct.Posterior(m, false);
    const auto [none, one, two] = direct.likelihoods(m);
    const bool is_known = none != one || one != two;
    double total = 0;
    std::vector<double> alts(K), all(K);
    for (size_t a = 0; a < K; ++a) {
      for (size_t b = 0; b < K; ++b) {
        const double q = direct.Alt(m, a), r = direct.Alt(m, b);
        const double if_alt = left_out[a][b] * q * ((1 - r) * one + r * two);
        alts[a] += if_alt;
        total += if_alt + left_out[a][b] * (1 - q) * ((1 - r) * none + r * one);
        all[a] += p[a][b];
      }
    }
    for (size_t a = 0; a < K; ++a) {
      EXPECT_NEAR(drawn[m][a], all[a], 0.03);
      EXPECT_NEAR(switched[m * K + a], direct.Switched(m, a), 1e-4);
      EXPECT_NEAR(alt[m * K + a], is_known ? alts[a] / total : 0, 1e-4);
      EXPECT_NEAR(ref[m * K + a], is_known ? all[a] - alts[a] / total : 0, 1e-4);
    }
  }
}

// The log likelihood of the evidence, by the model's definition.
double LogLikelihood(const ClusterModel& model, const ClusterEvidence& evidence) {
  double sum = 0;
  for (size_t i = 0; i < evidence.size(); ++i) {
    const auto first = evidence.likelihoods.begin() + static_cast<ptrdiff_t>(i * kMarkers);
    const DirectPairs pairs(model.tables(), {first, first + static_cast<ptrdiff_t>(kMarkers)});
    sum += std::log(pairs.Likelihood());
  }
  return sum;
}

// Neal and Hinton 1998: with the same number of expectations, improvements after each part are worth further steps.
TEST(ClusterModelTest, PartsOfTheEvidenceImproveTheModelSooner) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const ClusterEvidence evidence = MosaicLikelihoods(seed);
    const auto fit = [&](size_t steps, size_t parts) {
      return LogLikelihood(FitToLikelihoods(evidence, seed, steps, parts), evidence);
    };
    EXPECT_GT(fit(6, 3), fit(6, 1)) << seed;
    EXPECT_NEAR(fit(300, 3), fit(300, 1), 0.02 * std::abs(fit(300, 1))) << seed;
  }
}

}  // namespace
}  // namespace haplospin
