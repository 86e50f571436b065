#include "genotypes/imputation/models/phasing/read_sampler.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr float kError = 0.1f;

// A few states, markers and reads, so that all haplotypes of the reads can be enumerated. All genotypes are missing.
struct ReadProblem {
  explicit ReadProblem(uint64_t seed, size_t markers = 6, size_t num_states = 7) : m(markers), random(seed) {
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
    float sum = 0;
    for (const float p : states.prior) sum += p;
    for (float& p : states.prior) p *= static_cast<float>(num_states) / sum;
    states.bits = bits.data();
    states.words = 1;
    states.imputed = &imputed;
    model.mismatch_probability = 0.02f;
    for (size_t j = 0; j + 1 < m; ++j) {
      model.switch_probability.push_back(0.05f + 0.2f * static_cast<float>(random.Uniform()));
    }
    for (uint32_t j = 0; j < m; ++j) {
      for (std::vector<uint8_t>& haplotype : sample.alleles) haplotype.push_back(kMissingAllele);
      sample.missing.push_back(j);
      sample.likelihoods.emplace_back();
    }
    sample.is_passive.assign(m, false);
  }

  // Adds a read of the markers from `first` on, with random alleles, and gives the genotypes its likelihoods.
  void AddRead(uint32_t first, uint32_t count) {
    const auto begin = static_cast<uint32_t>(sample.reads.alleles.size());
    for (uint32_t j = first; j < first + count; ++j) {
      const bool is_alt = random.Bernoulli(0.5);
      sample.reads.alleles.push_back({j, is_alt, kError});
    }
    sample.reads.pieces.push_back({.begin = begin, .end = begin + count, .marker = first + count / 2});
  }

  // The likelihood of a piece, given the alleles of a state.
  double Emission(const ReadPiece& piece, size_t s) const {
    const double e = kError, mismatch = model.mismatch_probability;
    double product = 1;
    for (uint32_t a = piece.begin; a < piece.end; ++a) {
      const ShownRead& shown = sample.reads.alleles[a];
      const double other = mismatch * (1 - e) + (1 - mismatch) * e;
      product *= (alleles[s][shown.marker] == 1) == shown.is_alt ? 1 - other : other;
    }
    return product;
  }

  // The likelihood of the reads of one haplotype by the plain forward recursion: [reads] whether each is of it.
  double Probability(const std::vector<bool>& is_of_it) const {
    const size_t n = states.size();
    std::vector<double> forward(n);
    double total = 0;
    for (size_t j = 0; j < m; ++j) {
      const double t = j == 0 ? 1 : model.switch_probability[j - 1], sum = j == 0 ? 1 : total;
      total = 0;
      for (size_t s = 0; s < n; ++s) {
        forward[s] = (1 - t) * forward[s] + t * sum * states.prior[s] / static_cast<double>(n);
        for (size_t r = 0; r < is_of_it.size(); ++r) {
          if (is_of_it[r] && sample.reads.pieces[r].marker == j) forward[s] *= Emission(sample.reads.pieces[r], s);
        }
        total += forward[s];
      }
    }
    return total;
  }

  // The probability that reads a and b are of one haplotype: [reads, reads].
  std::vector<std::vector<double>> Together(double broken = 1) const {
    const size_t n = sample.reads.pieces.size();
    std::vector<std::vector<double>> together(n, std::vector<double>(n));
    double total = 0;
    for (size_t labels = 0; labels < size_t{1} << n; ++labels) {
      std::vector<bool> first(n), second(n);
      double p = 1;
      for (size_t r = 0; r < n; ++r) {
        first[r] = (labels >> r & 1) == 0;
        second[r] = !first[r];
      }
      for (size_t r = 0; r < n; ++r) {
        const uint32_t after = sample.reads.pieces[r].after;
        if (after != ReadPiece::kNone && first[r] != first[after]) p *= broken;
      }
      p *= Probability(first) * Probability(second);
      total += p;
      for (size_t a = 0; a < n; ++a) {
        for (size_t b = 0; b < n; ++b) together[a][b] += first[a] == first[b] ? p : 0;
      }
    }
    for (std::vector<double>& row : together) {
      for (double& p : row) p /= total;
    }
    return together;
  }

  size_t m;
  RandomStream random;
  std::vector<std::vector<uint8_t>> alleles;  // [states][markers]
  std::vector<uint64_t> bits;
  ImputedAlts imputed;  // nothing
  PhasingStates states;
  CopyingModel model;
  SampleGenotypes sample;
};

void ExpectTogether(ReadProblem& problem, const std::vector<std::vector<double>>& expected, uint64_t seed) {
  ReadSampler sampler;
  RandomStream random(seed, {3});
  sampler.Start(problem.states, problem.model, problem.sample);
  constexpr int kSweeps = 40000;
  const std::vector<ReadPiece>& pieces = problem.sample.reads.pieces;
  std::vector<std::vector<double>> together(pieces.size(), std::vector<double>(pieces.size()));
  for (int k = 0; k < kSweeps; ++k) {
    sampler.Sweep(Choice::kDraw, random);
    for (size_t a = 0; a < pieces.size(); ++a) {
      for (size_t b = 0; b < pieces.size(); ++b) {
        together[a][b] += pieces[a].haplotype == pieces[b].haplotype ? 1.0 / kSweeps : 0;
      }
    }
  }
  for (size_t a = 0; a < pieces.size(); ++a) {
    for (size_t b = 0; b < a; ++b) EXPECT_NEAR(together[a][b], expected[a][b], 0.015) << seed << " " << a << " " << b;
  }
}

TEST(ReadSamplerTest, DrawsHaplotypesOfReadsFromThePosterior) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    ReadProblem problem(seed);
    for (const auto& [first, count] :
         {std::pair(0, 2), std::pair(0, 3), std::pair(1, 3), std::pair(3, 1), std::pair(2, 4), std::pair(4, 2)}) {
      problem.AddRead(first, count);
    }
    ExpectTogether(problem, problem.Together(), seed);
  }
}

// The first and the last piece are of one read.
TEST(ReadSamplerTest, PiecesOfAReadStayTogether) {
  for (uint64_t seed = 5; seed <= 8; ++seed) {
    ReadProblem problem(seed);
    for (const auto& [first, count] : {std::pair(0, 2), std::pair(1, 2), std::pair(2, 2), std::pair(4, 2)}) {
      problem.AddRead(first, count);
    }
    problem.sample.reads.pieces[0].after = 3;
    problem.sample.reads.pieces[3].before = 0;
    ExpectTogether(problem, problem.Together(0.01), seed);
  }
}

// The probability of a haplotype with the alleles that are bits of `haplotype`.
double HaplotypeProbability(const ReadProblem& problem, size_t haplotype) {
  const size_t n = problem.states.size();
  const double mismatch = problem.model.mismatch_probability;
  std::vector<double> forward(n);
  double total = 1;
  for (size_t j = 0; j < problem.m; ++j) {
    const double t = j == 0 ? 1 : problem.model.switch_probability[j - 1], sum = total;
    total = 0;
    for (size_t s = 0; s < n; ++s) {
      forward[s] = (1 - t) * forward[s] + t * sum * problem.states.prior[s] / static_cast<double>(n);
      forward[s] *= problem.alleles[s][j] == (haplotype >> j & 1) ? 1 - mismatch : mismatch;
      total += forward[s];
    }
  }
  return total;
}

// The dosage of each marker, and the probability of two ALT alleles, by the likelihoods of genotypes.
std::array<std::vector<double>, 2> ByLikelihoods(const ReadProblem& problem) {
  std::vector<std::array<double, 3>> likelihood(problem.m, {1, 1, 1});
  for (const ShownRead& shown : problem.sample.reads.alleles) {
    const double alt = shown.is_alt ? 1 - kError : kError;
    const std::array<double, 3> of_read{1 - alt, 0.5, alt};
    for (size_t g = 0; g < 3; ++g) likelihood[shown.marker][g] *= of_read[g];
  }
  std::vector<double> haplotypes(size_t{1} << problem.m);
  for (size_t h = 0; h < haplotypes.size(); ++h) haplotypes[h] = HaplotypeProbability(problem, h);
  std::array<std::vector<double>, 2> sums{std::vector<double>(problem.m), std::vector<double>(problem.m)};
  double total = 0;
  for (size_t a = 0; a < haplotypes.size(); ++a) {
    for (size_t b = 0; b < haplotypes.size(); ++b) {
      double p = haplotypes[a] * haplotypes[b];
      for (size_t j = 0; j < problem.m; ++j) p *= likelihood[j][(a >> j & 1) + (b >> j & 1)];
      total += p;
      for (size_t j = 0; j < problem.m; ++j) {
        sums[0][j] += p * static_cast<double>((a >> j & 1) + (b >> j & 1));
        sums[1][j] += p * static_cast<double>(a >> j & b >> j & 1);
      }
    }
  }
  for (std::vector<double>& row : sums) {
    for (double& sum : row) sum /= total;
  }
  return sums;
}

// With one marker in each read, reads are what the likelihoods of genotypes say.
TEST(ReadSamplerTest, ReadsOfOneMarkerAreIndependentLikelihoods) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    ReadProblem problem(seed);
    problem.model.mismatch_probability = 1e-3f;  // each read of a haplotype has its own mismatch
    const std::vector<uint32_t> markers{0, 1, 1, 3, 4, 4, 4};
    for (const uint32_t j : markers) problem.AddRead(j, 1);
    const auto [dosage, both] = ByLikelihoods(problem);
    constexpr int kSweeps = 20000;
    std::vector<double> found_dosage(problem.m), found_both(problem.m);
    ReadSampler sampler;
    RandomStream random(seed, {4});
    sampler.Start(problem.states, problem.model, problem.sample);
    for (int k = 0; k < kSweeps; ++k) {
      sampler.Sweep(Choice::kDraw, random);
      for (size_t j = 0; j < problem.m; ++j) {
        found_dosage[j] += (sampler.alt_probability(0)[j] + sampler.alt_probability(1)[j]) / kSweeps;
        found_both[j] += sampler.both_probability()[j] / kSweeps;
      }
    }
    for (const uint32_t j : markers) {  // others have the states of the nearest read
      EXPECT_NEAR(found_dosage[j], dosage[j], 0.015) << seed << " " << j;
      EXPECT_NEAR(found_both[j], both[j], 0.015) << seed << " " << j;
    }
  }
}

// A heterozygote is phased by the reads that cover it and a neighbor.
TEST(ReadSamplerTest, ReadsPhaseHeterozygotes) {
  ReadProblem problem(3, 4, 8);
  problem.model.switch_probability = {0.5f, 0.5f, 0.5f};
  problem.model.mismatch_probability = 1e-5f;
  for (const size_t j : {1, 2}) {  // states with all combinations of alleles
    problem.bits[j] = j == 1 ? 0x0f : 0x33;
  }
  SampleGenotypes& sample = problem.sample;
  sample.missing.clear();
  sample.likelihoods.clear();
  sample.is_passive.clear();
  for (uint32_t j = 0; j < 4; ++j) {
    sample.hets.push_back(j);
    sample.alleles[0][j] = 0;
    sample.alleles[1][j] = 1;
  }
  for (const bool is_alt : {false, true}) {
    const auto begin = static_cast<uint32_t>(sample.reads.alleles.size());
    sample.reads.alleles.push_back({1, is_alt, 1e-4f});
    sample.reads.alleles.push_back({2, !is_alt, 1e-4f});
    sample.reads.pieces.push_back({.begin = begin, .end = begin + 2, .marker = 2});
  }
  ReadSampler sampler;
  RandomStream random(1);
  sampler.Start(problem.states, problem.model, sample);
  for (int k = 0; k < 10; ++k) {
    sampler.Sweep(Choice::kDraw, random);
    EXPECT_NE(sample.alleles[0][1], sample.alleles[0][2]);
    for (const uint32_t j : sample.hets) EXPECT_NE(sample.alleles[0][j], sample.alleles[1][j]);
    EXPECT_LT(sampler.cis_probability()[2], 0.1f);
  }
}

}  // namespace
}  // namespace haplospin
