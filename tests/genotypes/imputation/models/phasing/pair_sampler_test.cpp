#include "genotypes/imputation/models/phasing/pair_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// A few states and markers, so that every phase can be enumerated.
struct SmallProblem {
  explicit SmallProblem(uint64_t seed, size_t markers = 7, size_t num_states = 9) : m(markers) {
    RandomStream random(seed);
    alleles.resize(num_states, std::vector<uint8_t>(m));
    bits.resize(m);
    for (size_t s = 0; s < num_states; ++s) {
      for (size_t j = 0; j < m; ++j) {
        alleles[s][j] = random.Bernoulli(0.5) ? 1 : 0;
        bits[j] |= uint64_t{alleles[s][j]} << s;
      }
      states.haplotype.push_back(static_cast<uint32_t>(s));
      states.prior.push_back(0.5f + static_cast<float>(random.Uniform()));
    }
    states.bits = bits.data();
    states.words = 1;
    states.imputed = &imputed;
    model.mismatch_probability = 0.05f;
    for (size_t j = 0; j + 1 < m; ++j) {
      model.switch_probability.push_back(0.05f + 0.3f * static_cast<float>(random.Uniform()));
    }
    for (uint32_t j = 0; j < m; ++j) {
      const bool is_het = j != 2;
      sample.alleles[0].push_back(1);
      sample.alleles[1].push_back(is_het ? 0 : 1);
      if (is_het) sample.hets.push_back(j);
    }
  }

  // P(alleles of a haplotype) by the plain forward recursion, the prior of state s at marker j being prior(s, j).
  double Probability(const std::vector<uint8_t>& haplotype) const {
    const size_t n = states.size();
    std::vector<double> forward(n);
    double total = 0;
    for (size_t j = 0; j < m; ++j) {
      const double t = j == 0 ? 1 : model.switch_probability[j - 1];
      const double sum = j == 0 ? 1 : total;
      total = 0;
      for (size_t s = 0; s < n; ++s) {
        const double moved = (1 - t) * forward[s] + t * sum * states.prior[s] / static_cast<double>(n);
        const double e = model.mismatch_probability;
        forward[s] = moved * (haplotype[j] == kMissingAllele ? 1 : haplotype[j] == alleles[s][j] ? 1 - e : e);
        total += forward[s];
      }
    }
    return total;
  }

  // The probability that a state with allele 1 is copied where two haplotypes differ, without the mismatches that the
  // recursion adds.
  double CopiesOne(const std::vector<uint8_t>& zero, const std::vector<uint8_t>& one) const {
    const double e = model.mismatch_probability, p0 = Probability(zero), p1 = Probability(one);
    return ((1 - e) * p1 - e * p0) / ((1 - 2 * e) * (p0 + p1));
  }

  // The probability of each phase, given as the cis relations of CisPhase().
  std::map<std::vector<bool>, double> Posterior() const {
    std::map<std::vector<bool>, double> posterior;
    const size_t pairs = sample.hets.size() - 1;
    double total = 0;
    for (size_t phase = 0; phase < size_t{1} << pairs; ++phase) {
      SampleGenotypes other = sample;
      std::vector<bool> cis(sample.hets.size());
      for (size_t h = 0; h < pairs; ++h) cis[h + 1] = phase >> h & 1;
      SetCis(cis, other);
      posterior[cis] = Probability(other.alleles[0]) * Probability(other.alleles[1]);
      if (!sample.given.empty() && other.IsExchanged(1) != other.IsExchanged(3)) posterior[cis] *= kContradiction;
      total += posterior[cis];
    }
    for (auto& [cis, p] : posterior) p /= total;
    return posterior;
  }

  size_t m;
  std::vector<std::vector<uint8_t>> alleles;  // [states][markers]
  std::vector<uint64_t> bits;
  ImputedAlts imputed;  // nothing
  PhasingStates states;
  CopyingModel model;
  SampleGenotypes sample;
};

// The study gives the phase of heterozygotes 1 and 3, but not that of 2 in between.
void GiveOneAndThree(SampleGenotypes& sample) {
  sample.given.assign(sample.hets.size(), kMissingAllele);
  sample.given[1] = 0;
  sample.given[3] = 1;
  sample.continues_set.assign(sample.hets.size(), false);
  sample.continues_set[1] = sample.continues_set[2] = true;
}

void ExpectDrawsFromPosterior(SmallProblem& problem, uint64_t seed) {
  const auto posterior = problem.Posterior();
  PairSampler sampler;
  RandomStream random(seed, {7});
  sampler.Start(problem.states, problem.model, problem.sample, PairSampler::First::kHomozygotes);
  constexpr int kSweeps = 40000;
  std::map<std::vector<bool>, double> drawn;
  std::vector<double> cis(problem.sample.hets.size());
  for (int k = 0; k < kSweeps; ++k) {
    sampler.Sweep(Choice::kDraw, random);
    drawn[CisPhase(problem.sample)] += 1.0 / kSweeps;
    for (size_t h = 1; h < cis.size(); ++h) cis[h] += sampler.cis_probability()[h] / kSweeps;
  }
  std::vector<double> expected_cis(cis.size());
  for (const auto& [phase, p] : posterior) {
    EXPECT_NEAR(drawn[phase], p, 0.02) << seed;
    for (size_t h = 1; h < cis.size(); ++h) expected_cis[h] += phase[h] ? p : 0;
  }
  for (size_t h = 1; h < cis.size(); ++h) EXPECT_NEAR(cis[h], expected_cis[h], 0.01) << seed << " " << h;
}

TEST(PairSamplerTest, DrawsFromThePosteriorOfAllPhases) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SmallProblem problem(seed);
    ExpectDrawsFromPosterior(problem, seed);
  }
}

TEST(PairSamplerTest, DrawsFromThePosteriorWithAGivenPhase) {
  for (uint64_t seed = 4; seed <= 6; ++seed) {
    SmallProblem problem(seed);
    GiveOneAndThree(problem.sample);
    ExpectDrawsFromPosterior(problem, seed);
  }
}

// After the only heterozygote, the probabilities can be computed exactly.
TEST(PairSamplerTest, FindsTheProbabilitiesOfMissingAlleles) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SmallProblem problem(seed);
    SampleGenotypes& sample = problem.sample;
    sample.hets = {1};
    sample.missing = {3, 4, 6};
    for (uint32_t j = 0; j < problem.m; ++j) {
      const bool is_missing = std::ranges::count(sample.missing, j) > 0;
      sample.alleles[0][j] = is_missing ? kMissingAllele : 1;
      sample.alleles[1][j] = is_missing ? kMissingAllele : j != 1;
    }
    PairSampler sampler;
    RandomStream random(seed);
    sampler.Start(problem.states, problem.model, sample, PairSampler::First::kPresentPhase);
    for (int k = 0; k < 6; ++k) {
      sampler.Sweep(Choice::kDraw, random);
      const bool is_forward = k % 2 == 0;
      for (size_t c = 0; c < 2 && is_forward; ++c) {
        for (size_t i = 0; i < sample.missing.size(); ++i) {
          std::vector<uint8_t> zero = sample.alleles[c], one = zero;
          zero[sample.missing[i]] = 0;
          one[sample.missing[i]] = 1;
          EXPECT_NEAR(sampler.alt_probability(c)[i], problem.CopiesOne(zero, one), 1e-4)
              << seed << " " << k << " " << c << " " << i;
        }
      }
    }
  }
}

// Returns the probabilities imputed_of(state) of ALT at a marker.
template <typename Of>
ImputedAlts ImputedOfStates(const SmallProblem& problem, uint32_t marker, const Of& imputed_of) {
  std::vector<uint64_t> rows;
  std::vector<SampleGenotypes> haploid;
  for (uint32_t s = 0; s < problem.states.size(); ++s) {
    rows.push_back(0);
    for (size_t j = 0; j < problem.m; ++j) rows.back() |= uint64_t{problem.alleles[s][j]} << j;
    haploid.push_back({.ploidy = 1, .missing = {marker}, .imputed = {{{imputed_of(s)}}}});
  }
  return {{.bits = rows.data(), .num_haplotypes = rows.size(), .num_markers = problem.m},
          haploid,
          problem.states.haplotype};
}

// Each state has ALT with a probability, which counts as much as the state is copied.
TEST(PairSamplerTest, CopiesTheProbabilitiesOfImputedAlleles) {
  SmallProblem problem(6);
  SampleGenotypes& sample = problem.sample;
  constexpr uint32_t kMarker = 4;
  sample.hets = {1};
  sample.missing = {kMarker};
  for (uint32_t j = 0; j < problem.m; ++j) {
    sample.alleles[0][j] = j == kMarker ? kMissingAllele : 1;
    sample.alleles[1][j] = j == kMarker ? kMissingAllele : j != 1;
  }
  const auto imputed_of = [](size_t s) { return static_cast<uint8_t>(25 * s); };
  problem.imputed = ImputedOfStates(problem, kMarker, imputed_of);
  PairSampler sampler;
  RandomStream random(6);
  sampler.Start(problem.states, problem.model, sample, PairSampler::First::kPresentPhase);
  sampler.Sweep(Choice::kDraw, random);
  for (size_t c = 0; c < 2; ++c) {
    std::vector<uint8_t> zero = sample.alleles[c], one = zero;
    zero[kMarker] = 0;
    one[kMarker] = 1;
    double expected = 0;
    for (size_t s = 0; s < problem.states.size(); ++s) {
      for (size_t other = 0; other < problem.states.size(); ++other) problem.alleles[other][kMarker] = other == s;
      expected += problem.CopiesOne(zero, one) * imputed_of(s) / kCertainAlt;
    }
    EXPECT_NEAR(sampler.alt_probability(c)[0], expected, 1e-4) << c;
  }
}

// A problem with a gap from marker 3 to 7, whose alleles are certain in the reference. Its haplotypes 0 and 1 are
// exchanged from marker `exchanged` on, where the states change, so that these have the alleles of the problem.
struct GapProblem : SmallProblem {
  GapProblem(uint64_t seed, uint32_t exchanged) : SmallProblem(seed, 10) {
    const float sum = std::accumulate(states.prior.begin(), states.prior.end(), 0.0f);
    for (float& prior : states.prior) prior *= static_cast<float>(states.size()) / sum;
    states.prior[1] = states.prior[0] = 0.5f * (states.prior[0] + states.prior[1]);
    sample.hets = {1};
    sample.missing = {3, 4, 5, 6, 7};
    for (uint32_t j = 0; j < m; ++j) {
      const bool is_missing = j >= 3 && j <= 7;
      sample.alleles[0][j] = is_missing ? kMissingAllele : 1;
      sample.alleles[1][j] = is_missing ? kMissingAllele : j != 1;
    }
    if (exchanged < m) states.changes = {{exchanged, 0, 1, states.prior[1]}, {exchanged, 1, 0, states.prior[0]}};
    std::vector<uint64_t> rows(states.size());
    std::vector<SampleGenotypes> haploid;
    for (uint32_t h = 0; h < rows.size(); ++h) {
      for (size_t j = 0; j < m; ++j) rows[h] |= uint64_t{alleles[h < 2 && j >= exchanged ? 1 - h : h][j]} << j;
      haploid.push_back({.ploidy = 1, .missing = sample.missing});
      for (const uint32_t j : sample.missing) {
        haploid.back().imputed[0].push_back(rows[h] >> j & 1 ? kCertainAlt : 0);
      }
    }
    imputed = {{.bits = rows.data(), .num_haplotypes = rows.size(), .num_markers = m}, haploid, states.haplotype};
  }
};

// Its probabilities are those of steps from marker to marker, also where states change within it.
TEST(PairSamplerTest, FindsTheProbabilitiesInAGap) {
  for (const uint32_t exchanged : {3, 5, 7, 10}) {
    GapProblem problem(exchanged, exchanged);
    SampleGenotypes& sample = problem.sample;
    PairSampler sampler;
    RandomStream random(1);
    sampler.Start(problem.states, problem.model, sample, PairSampler::First::kPresentPhase);
    for (int k = 0; k < 5; ++k) {
      sampler.Sweep(Choice::kDraw, random);
      const bool is_forward = k % 2 == 0;
      for (size_t i = 0; i < sample.missing.size() && is_forward; ++i) {
        for (size_t c = 0; c < 2; ++c) {
          std::vector<uint8_t> zero = sample.alleles[c], one = zero;
          zero[sample.missing[i]] = 0;
          one[sample.missing[i]] = 1;
          EXPECT_NEAR(sampler.alt_probability(c)[i], problem.CopiesOne(zero, one), 1e-4)
              << exchanged << " " << k << " " << c << " " << i;
        }
        EXPECT_FLOAT_EQ(sampler.both_probability()[i], sampler.alt_probability(0)[i] * sampler.alt_probability(1)[i]);
      }
    }
  }
}

// Where all other genotypes are known, the probabilities of a genotype can be computed exactly.
TEST(PairSamplerTest, FindsTheProbabilitiesOfAGenotypeWithLikelihoods) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SmallProblem problem(seed);
    SampleGenotypes& sample = problem.sample;
    sample.hets = {1};
    sample.missing = {4};
    sample.likelihoods = {{{static_cast<uint8_t>(3 * seed), static_cast<uint8_t>(20 - 4 * seed), 7}}};
    for (uint32_t j = 0; j < problem.m; ++j) {
      sample.alleles[0][j] = j == 4 ? kMissingAllele : 1;
      sample.alleles[1][j] = j == 4 ? kMissingAllele : j != 1;
    }
    PairSampler sampler;
    RandomStream random(seed);
    sampler.Start(problem.states, problem.model, sample, PairSampler::First::kHomozygotes);
    for (int k = 0; k < 6; ++k) {
      sampler.Sweep(Choice::kDraw, random);
      const bool is_forward = k % 2 == 0;
      if (!is_forward) continue;
      double weight[2][2], total = 0;
      for (const uint8_t first : {0, 1}) {
        for (const uint8_t second : {0, 1}) {
          std::array<std::vector<uint8_t>, 2> alleles = sample.alleles;
          alleles[0][4] = first;
          alleles[1][4] = second;
          total += weight[first][second] = problem.Probability(alleles[0]) * problem.Probability(alleles[1]) *
                                           Likelihood(sample.likelihoods[0], first + size_t{second});
        }
      }
      EXPECT_NEAR(sampler.alt_probability(0)[0], (weight[1][0] + weight[1][1]) / total, 1e-4) << seed << " " << k;
      EXPECT_NEAR(sampler.alt_probability(1)[0], (weight[0][1] + weight[1][1]) / total, 1e-4) << seed << " " << k;
      EXPECT_NEAR(sampler.both_probability()[0], weight[1][1] / total, 1e-4) << seed << " " << k;
    }
  }
}

// Where hardly any switch is between them, a passive genotype has the probabilities that it has as a part of the
// recursions. Only the first sweep is compared, as later draws differ.
TEST(PairSamplerTest, FillsGenotypesFromTheNearestStop) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    std::array<std::vector<float>, 2> alt[2];
    for (const bool fills : {false, true}) {
      SmallProblem problem(seed);
      std::ranges::fill(problem.model.switch_probability, 1e-7f);
      SampleGenotypes& sample = problem.sample;
      sample.hets = {1};
      sample.missing = {3, 4, 6};
      sample.likelihoods.resize(3);  // nothing is known
      if (fills) sample.is_passive.assign(3, true);
      for (uint32_t j = 0; j < problem.m; ++j) {
        const bool is_missing = std::ranges::count(sample.missing, j) > 0;
        sample.alleles[0][j] = is_missing ? kMissingAllele : 1;
        sample.alleles[1][j] = is_missing ? kMissingAllele : j != 1;
      }
      PairSampler sampler;
      RandomStream random(seed);
      sampler.Start(problem.states, problem.model, sample, PairSampler::First::kPresentPhase);
      sampler.Sweep(Choice::kDraw, random);
      for (size_t c = 0; c < 2; ++c) {
        alt[fills][c].assign(sampler.alt_probability(c).begin(), sampler.alt_probability(c).end());
      }
    }
    for (size_t c = 0; c < 2; ++c) {
      for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(alt[0][c][k], alt[1][c][k], 1e-4) << seed << " " << c << " " << k;
    }
  }
}

// Sweeps of both directions find the probabilities of passive genotypes, which those of the states around them change
// little where hardly any switch is between them.
TEST(PairSamplerTest, FillsGenotypesInBothDirections) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SmallProblem problem(seed);
    std::ranges::fill(problem.model.switch_probability, 1e-7f);
    SampleGenotypes& sample = problem.sample;
    sample.hets = {1};
    sample.missing = {3, 4, 6};
    sample.likelihoods.resize(3);
    sample.is_passive.assign(3, true);
    for (uint32_t j = 0; j < problem.m; ++j) {
      const bool is_missing = std::ranges::count(sample.missing, j) > 0;
      sample.alleles[0][j] = is_missing ? kMissingAllele : 1;
      sample.alleles[1][j] = is_missing ? kMissingAllele : j != 1;
    }
    PairSampler sampler;
    RandomStream random(seed);
    sampler.Start(problem.states, problem.model, sample, PairSampler::First::kPresentPhase);
    for (int k = 0; k < 6; ++k) {
      sampler.Sweep(Choice::kDraw, random);
      EXPECT_TRUE(sampler.found_probabilities());
      for (size_t c = 0; c < 2; ++c) {
        for (size_t i = 0; i < 3; ++i) {
          std::vector<uint8_t> zero = sample.alleles[c], one = zero;
          zero[sample.missing[i]] = 0;
          one[sample.missing[i]] = 1;
          EXPECT_NEAR(sampler.alt_probability(c)[i], problem.CopiesOne(zero, one), 1e-4) << seed << " " << k;
        }
      }
    }
  }
}

// Likelihoods of a passive genotype are part of its probabilities.
TEST(PairSamplerTest, PassiveGenotypesHaveTheirLikelihoods) {
  SmallProblem problem(3);
  SampleGenotypes& sample = problem.sample;
  sample.hets = {1};
  sample.missing = {3, 4};
  sample.likelihoods = {{}, {{0, 10, 40}}};
  sample.is_passive = {true, true};
  for (uint32_t j = 0; j < problem.m; ++j) {
    sample.alleles[0][j] = j == 3 || j == 4 ? kMissingAllele : 1;
    sample.alleles[1][j] = j == 3 || j == 4 ? kMissingAllele : j != 1;
  }
  PairSampler sampler;
  const auto find = [&] {
    RandomStream random(3);
    sample.alleles[0][1] = 1;
    sample.alleles[1][1] = 0;
    sampler.Start(problem.states, problem.model, sample, PairSampler::First::kPresentPhase);
    sampler.Sweep(Choice::kDraw, random);
    return std::array<float, 2>{sampler.alt_probability(0)[1], sampler.alt_probability(1)[1]};
  };
  const std::array<float, 2> with = find();
  sample.likelihoods[1] = {};
  const std::array<float, 2> without = find();
  const auto one = [&](size_t c) { return 0.95 * without[c] + 0.05 * (1 - without[c]); };  // with mismatches
  double weight[4], total = 0;
  for (size_t i = 0; i < 4; ++i) {
    const double l[3] = {1, 0.1, 1e-4};
    total += weight[i] = (i / 2 ? one(0) : 1 - one(0)) * (i % 2 ? one(1) : 1 - one(1)) * l[i / 2 + i % 2];
  }
  EXPECT_NEAR(with[0], (weight[2] + weight[3]) / total, 1e-4);
  EXPECT_NEAR(with[1], (weight[1] + weight[3]) / total, 1e-4);
}

TEST(PairSamplerTest, KeepsTheGenotypes) {
  SmallProblem problem(4);
  const SampleGenotypes before = problem.sample;
  PairSampler sampler;
  RandomStream random(4);
  sampler.Start(problem.states, problem.model, problem.sample, PairSampler::First::kHomozygotes);
  for (int k = 0; k < 10; ++k) sampler.Sweep(Choice::kDraw, random);
  for (size_t j = 0; j < problem.m; ++j) {
    EXPECT_EQ(problem.sample.alleles[0][j] + problem.sample.alleles[1][j], before.alleles[0][j] + before.alleles[1][j]);
  }
}

// A composite state is the same as its parts: where every state changes to a state of the same alleles and prior,
// nothing changes.
TEST(PairSamplerTest, ChangesOfStatesGoBothWays) {
  SmallProblem plain(6), changing(6);
  // The same problem with states 0 and 1 exchanged from marker 3 on.
  const auto exchange = [](uint64_t row) { return (row & ~uint64_t{3}) | (row >> 1 & 1) | (row & 1) << 1; };
  for (size_t j = 3; j < changing.m; ++j) changing.bits[j] = exchange(changing.bits[j]);
  const std::vector<float> prior = changing.states.prior;
  changing.states.changes = {{3, 0, 1, prior[1]}, {3, 1, 0, prior[0]}};
  // A certain switch just before makes both models the same.
  plain.model.switch_probability[2] = changing.model.switch_probability[2] = 1;
  PairSampler a, b;
  RandomStream random_a(1), random_b(1);
  a.Start(plain.states, plain.model, plain.sample, PairSampler::First::kHomozygotes);
  b.Start(changing.states, changing.model, changing.sample, PairSampler::First::kHomozygotes);
  std::vector<float> copied_a(9), copied_b(9);
  a.CountCopied(copied_a.data());
  b.CountCopied(copied_b.data());
  for (int k = 0; k < 6; ++k) {
    a.Sweep(Choice::kDraw, random_a);
    b.Sweep(Choice::kDraw, random_b);
    ASSERT_EQ(CisPhase(plain.sample), CisPhase(changing.sample));
    for (size_t h = 1; h < plain.sample.hets.size(); ++h) {
      ASSERT_NEAR(a.cis_probability()[h], b.cis_probability()[h], 1e-5);
    }
  }
  for (size_t h = 0; h < copied_a.size(); ++h) EXPECT_NEAR(copied_a[h], copied_b[h], 1e-3);
}

}  // namespace
}  // namespace haplospin
