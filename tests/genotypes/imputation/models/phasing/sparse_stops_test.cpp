#include "genotypes/imputation/models/phasing/sparse_stops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/phasing/pair_sampler.h"
#include "genotypes/imputation/models/phasing/phasing_states.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kStates = 60, kMarkers = 80;

// States that change now and then, most markers with few of one allele, and genotypes of which most have likelihoods.
struct Problem {
  explicit Problem(uint64_t seed) {
    RandomStream random(seed);
    for (size_t j = 0; j < kMarkers; ++j) {
      const bool is_common = random.Bernoulli(0.2), is_inverted = random.Bernoulli(0.3);
      uint64_t& row = bits.emplace_back();
      for (size_t s = 0; s < kStates; ++s) {
        row |= uint64_t{random.Bernoulli(is_common ? 0.4 : 0.03) != is_inverted} << s;
      }
      AddGenotype(static_cast<uint32_t>(j), is_inverted, random);
      if (j > 0) model.switch_probability.push_back(0.1f * static_cast<float>(random.Uniform()));
    }
    for (uint32_t s = 0; s < kStates; ++s) {
      states.haplotype.push_back(s);
      states.prior.push_back(0.2f + 2 * static_cast<float>(random.Uniform()));
      const auto marker = static_cast<uint32_t>(random.Uniform() * kMarkers);
      if (marker > 0)
        states.changes.push_back(
            {marker, s, static_cast<uint32_t>(kStates) + s, 0.2f + static_cast<float>(random.Uniform())});
    }
    std::ranges::sort(states.changes, {}, [](const StateChange& c) { return std::pair(c.marker, c.state); });
    states.bits = bits.data();
    states.words = 1;
    states.imputed = &imputed;
    model.mismatch_probability = 1e-3f;
  }

  void AddGenotype(uint32_t j, bool major, RandomStream& random) {
    const double kind = random.Uniform();
    const auto allele = static_cast<uint8_t>(major);
    std::array<uint8_t, 2> alleles{allele, allele};
    if (kind < 0.1) {
      alleles = {0, 1};
      sample.hets.push_back(j);
    } else if (kind < 0.8) {
      alleles = {kMissingAllele, kMissingAllele};
      sample.missing.push_back(j);
      const auto one = static_cast<uint8_t>(3 + 4 * random.Uniform()),
                 two = static_cast<uint8_t>(9 + 30 * random.Uniform());
      const bool favors_major = random.Bernoulli(0.8);
      sample.likelihoods.push_back(favors_major != major ? GenotypeLikelihoods{{0, one, two}}
                                                         : GenotypeLikelihoods{{two, one, 0}});
    }
    for (size_t c = 0; c < 2; ++c) sample.alleles[c].push_back(alleles[c]);
  }

  std::vector<uint64_t> bits;
  ImputedAlts imputed;
  PhasingStates states;
  CopyingModel model;
  SampleGenotypes sample;
};

// The same draws and probabilities as where all states are visited at all stops.
TEST(SparseStopsTest, ChangesNothing) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Problem all(seed), sparse(seed);
    sparse.sample.is_passive.assign(sparse.sample.missing.size(), false);
    PairStops stops;
    stops.Find(sparse.sample, sparse.model.switch_probability, sparse.states);
    ASSERT_GE(std::ranges::count(stops.stops, true, &PairStop::is_sparse), 20) << seed;
    PairSampler expected, sampler;
    RandomStream random_of_expected(seed), random(seed);
    const auto first = seed % 2 == 0 ? PairSampler::First::kPresentPhase : PairSampler::First::kHomozygotes;
    expected.Start(all.states, all.model, all.sample, first);
    sampler.Start(sparse.states, sparse.model, sparse.sample, first);
    for (int k = 0; k < 8; ++k) {
      expected.Sweep(Choice::kDraw, random_of_expected);
      sampler.Sweep(Choice::kDraw, random);
      ASSERT_EQ(CisPhase(all.sample), CisPhase(sparse.sample)) << seed << " " << k;
      for (size_t i = 0; i < all.sample.missing.size(); ++i) {
        for (size_t c = 0; c < 2; ++c) {
          ASSERT_NEAR(sampler.alt_probability(c)[i], expected.alt_probability(c)[i], 1e-4)
              << seed << " " << k << " " << i;
        }
        ASSERT_NEAR(sampler.both_probability()[i], expected.both_probability()[i], 1e-4)
            << seed << " " << k << " " << i;
      }
      for (size_t h = 1; h < all.sample.hets.size(); ++h) {
        ASSERT_NEAR(sampler.cis_probability()[h], expected.cis_probability()[h], 1e-4) << seed << " " << k << " " << h;
      }
    }
  }
}

}  // namespace
}  // namespace haplospin
