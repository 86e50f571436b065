#include "genotypes/imputation/models/copying/ancestry.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// Eight centimorgans of a panel of diploid samples.
struct AncestryFixture {
  explicit AncestryFixture(int64_t spacing_bp = 100'000)
      : panel(MakePanel(SimulateMosaic({.haplotypes = 40, .markers = 81, .spacing_bp = spacing_bp}),
                        DiploidSamples("R", 20))),
        typed_panel(panel, Every(2), GeneticMap::Uniform()),
        populations(panel),
        ancestry(typed_panel, populations) {}

  static std::vector<uint32_t> Every(uint32_t step) {
    std::vector<uint32_t> typed;
    for (uint32_t m = 0; m < 81; m += step) typed.push_back(m);
    return typed;
  }

  // Returns the share of each sample in an interval, relative to equal shares.
  std::vector<double> Shares(size_t interval) const {
    std::vector<double> shares;
    for (uint32_t s = 0; s < 20; ++s)
      shares.push_back(std::exp(double{ancestry.LogShares(interval)[ancestry.person(2 * s)]}));
    return shares;
  }

  std::vector<double> PopulationShares() const {
    std::vector<double> shares;
    for (uint32_t s = 0; s < 20; ++s)
      shares.push_back(std::exp(double{ancestry.PopulationLogShares()[ancestry.person(2 * s)]}));
    return shares;
  }

  void Estimate(const std::vector<CopyCandidates>& haplotypes) { ancestry.Estimate(haplotypes); }

  HaplotypePanel panel;
  TypedPanel typed_panel;
  PanelPopulations populations;
  Ancestry ancestry;
};

// Every interval copies the same candidates with the same weights. All other samples are candidates of next to no
// weight.
CopyCandidates Everywhere(size_t intervals, std::vector<std::pair<uint32_t, float>> copied) {
  for (uint32_t s = 0; s < 20; ++s) copied.emplace_back(2 * s, 1e-8f);
  CopyCandidates candidates;
  candidates.Reset(intervals);
  for (size_t i = 0; i < intervals; ++i) {
    const size_t first = candidates.AddSlots(i, copied.size());
    for (size_t k = 0; k < copied.size(); ++k) {
      candidates.haplotype[first + k] = copied[k].first;
      candidates.forward[first + k] = copied[k].second;
      candidates.backward[first + k] = 1;
    }
  }
  return candidates;
}

CopyCandidates Random(size_t intervals, RandomStream random) {
  CopyCandidates candidates = Everywhere(intervals, {{0, 1}, {0, 1}, {0, 1}});
  for (uint32_t& h : candidates.haplotype) h = static_cast<uint32_t>(random.UniformInt(40));
  for (float& f : candidates.forward) f = static_cast<float>(random.Uniform() + 0.01);
  for (float& b : candidates.backward) b = static_cast<float>(random.Uniform() + 0.01);
  return candidates;
}

TEST(Ancestry, EvenCopyingIsZero) {
  AncestryFixture f;
  std::vector<std::pair<uint32_t, float>> all;
  for (uint32_t h = 0; h < 40; ++h) all.emplace_back(h, 0.3f);
  f.Estimate({Everywhere(f.typed_panel.num_intervals(), all)});
  for (size_t i = 0; i < f.typed_panel.num_intervals(); ++i) {
    for (size_t s = 0; s < 20; ++s) ASSERT_NEAR(f.ancestry.LogShares(i)[s], 0, 1e-4);
  }
}

// The window is so short that nothing lies outside an interval's surroundings.
TEST(Ancestry, NothingOutsideIsZero) {
  AncestryFixture f(10'000);
  f.Estimate({Everywhere(f.typed_panel.num_intervals(), {{3, 1}})});
  for (size_t i = 0; i < f.typed_panel.num_intervals(); ++i) {
    for (size_t s = 0; s < 20; ++s) ASSERT_NEAR(f.ancestry.LogShares(i)[s], 0, 1e-4);
  }
}

TEST(Ancestry, SharesAverageToOne) {
  AncestryFixture f;
  f.Estimate(
      {Random(f.typed_panel.num_intervals(), RandomStream(1)), Random(f.typed_panel.num_intervals(), RandomStream(2))});
  for (size_t i = 0; i < f.typed_panel.num_intervals(); ++i) {
    double sum = 0;
    for (const double share : f.Shares(i)) sum += share;
    ASSERT_NEAR(sum / 20, 1, 1e-4);
  }
}

// The two haplotypes of sample 4 are copied, and count as one person.
TEST(Ancestry, TheOnePersonCopiedHasNearlyAll) {
  AncestryFixture f;
  f.Estimate(
      {Everywhere(f.typed_panel.num_intervals(), {{8, 1}}), Everywhere(f.typed_panel.num_intervals(), {{9, 1}})});
  for (size_t i = 0; i < f.typed_panel.num_intervals(); ++i) {
    const std::vector<double> shares = f.Shares(i);
    ASSERT_GT(shares[4], 15);  // 20 would be all
    for (size_t s = 0; s < 20; ++s) ASSERT_NEAR(shares[s], s == 4 ? shares[4] : shares[0], 1e-4);
    ASSERT_LT(shares[0], 0.3);
  }
}

// Candidates weigh as their probabilities do, whatever these add up to.
TEST(Ancestry, SharesFollowTheProbabilities) {
  AncestryFixture f;
  f.Estimate({Everywhere(f.typed_panel.num_intervals(), {{0, 0.06f}, {2, 0.02f}})});
  const std::vector<double> shares = f.Shares(20);
  const double none = shares[5];
  EXPECT_NEAR((shares[0] - none) / (shares[1] - none), 3, 1e-3);
}

// Copying in an interval and its neighborhood must not affect their own shares.
TEST(Ancestry, LeavesOutTheNeighborhood) {
  const size_t at = 20;  // 4 cM along
  const CopyCandidates candidates = Random(41 + 1, RandomStream(3));
  CopyCandidates changed = candidates;
  AncestryFixture f;
  for (size_t i = 0; i < f.typed_panel.num_intervals(); ++i) {
    if (std::abs(f.typed_panel.middle(i) - f.typed_panel.middle(at)) < 0.99f)
      changed.haplotype[changed.first_slot[i]] = 39;
  }
  const auto shares = [&](const CopyCandidates& any, size_t interval) {
    f.Estimate({any});
    return f.Shares(interval);
  };
  const std::vector<double> before = shares(candidates, at), after = shares(changed, at);
  for (size_t s = 0; s < 20; ++s) EXPECT_NEAR(after[s], before[s], 1e-4) << s;
  // Copying far away does.
  EXPECT_GT(shares(changed, 40)[19], shares(candidates, 40)[19] + 0.1);
}

TEST(Ancestry, TheSampleBeforeDoesNotMatter) {
  AncestryFixture f;
  const CopyCandidates second = Random(f.typed_panel.num_intervals(), RandomStream(5));
  f.Estimate({second});
  const std::vector<double> alone = f.Shares(11), populations = f.PopulationShares();
  f.Estimate({Random(f.typed_panel.num_intervals(), RandomStream(4))});
  EXPECT_NE(f.Shares(11), alone);
  f.Estimate({second});
  EXPECT_EQ(f.Shares(11), alone);
  EXPECT_EQ(f.PopulationShares(), populations);
}

// Two populations that differ in their rare alleles. A sample that copies from one population, and elsewhere is
// ambiguous between members of both, belongs to that population.
TEST(Ancestry, PopulationsSettleWhatIsUndecided) {
  const MosaicOptions options{.haplotypes = 40, .markers = 400, .founders = 8, .spacing_bp = 20'000};
  const Mosaic even = SimulateMosaic(options);
  MosaicOptions others = options;
  others.seed = 2;
  const Mosaic odd = SimulateMosaic(others);
  Mosaic mosaic{even.markers, {}};
  for (size_t h = 0; h < 40; ++h) mosaic.alleles.push_back((h < 20 ? even : odd).alleles[h]);
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", 20));  // samples 0-9 and 10-19
  const TypedPanel typed_panel(panel, CommonMarkers(panel, 4), GeneticMap::Uniform());
  const PanelPopulations populations(panel);
  Ancestry ancestry(typed_panel, populations);

  CopyCandidates candidates = Everywhere(typed_panel.num_intervals(), {{4, 1}, {30, 1}});
  for (size_t i = 0; i < typed_panel.num_intervals(); i += 4) candidates.count[i] = 1;  // not sample 15
  ancestry.Estimate({&candidates, 1});
  double own = 0, other = 0;
  for (uint32_t s = 0; s < 20; ++s) {
    (s < 10 ? own : other) += std::exp(double{ancestry.PopulationLogShares()[ancestry.person(2 * s)]});
  }
  EXPECT_GT(own, 4 * other);  // the shares of what is copied are 5 to 3
}

}  // namespace
}  // namespace haplospin
