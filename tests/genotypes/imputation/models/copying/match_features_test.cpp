#include "genotypes/imputation/models/copying/match_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/each_instruction_set.h"
#include "core/random.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

struct MatchFixture {
  explicit MatchFixture(const MosaicOptions& options, double missing_rate = 0, size_t typed_step = 2)
      : mosaic(SimulateMosaic(options)),
        panel(MakePanel(mosaic, DiploidSamples("R", (options.haplotypes - 1) / 2))),
        typed_panel(panel, CommonMarkers(panel, typed_step), GeneticMap::Uniform()),
        model(EstimatePanelCopying(typed_panel, {}).model),
        populations(panel),
        ancestry(typed_panel, populations),
        target([&] {
          std::vector<uint8_t> alleles = AllelesAt(mosaic.alleles.back(), typed_panel.typed());
          RandomStream random(7);
          for (uint8_t& allele : alleles) {
            if (random.Bernoulli(missing_rate)) allele = kMissingAllele;
          }
          return TargetHaplotype(alleles);
        }()) {
    CandidateFinder().Find(typed_panel, model, target, AllStates(typed_panel), candidates);
    ancestry.Estimate({&candidates, 1});
  }

  bool Differ(uint32_t haplotype, size_t j) const {
    const uint8_t allele = target.alleles[j];
    return allele != kMissingAllele && (typed_panel.haplotype_bits(haplotype)[j / 64] >> (j % 64) & 1) != allele;
  }

  // Returns the information of the target's allele.
  double Information(size_t j) const {
    return target.alleles[j] == kMissingAllele ? 0 : double{typed_panel.information(j, target.alleles[j])};
  }

  Mosaic mosaic;
  HaplotypePanel panel;
  TypedPanel typed_panel;
  CopyingModel model;
  PanelPopulations populations;
  Ancestry ancestry;
  TargetHaplotype target;
  CopyCandidates candidates;
};

// The way from the middle of an interval to one of the mismatches on a side.
struct Way {
  double centimorgans;  // distance to the mismatch, or to the sentinel beyond the last typed marker
  double information;   // information matched between it and the mismatch before, or the interval
};

std::vector<Way> Ways(const MatchFixture& f, uint32_t haplotype, size_t interval, int direction) {
  const auto m = static_cast<ptrdiff_t>(f.typed_panel.num_typed());
  std::vector<Way> ways;
  ptrdiff_t at = static_cast<ptrdiff_t>(interval) - (direction < 0 ? 1 : 0);
  while (ways.size() < kMismatches) {
    double information = 0;
    while (at >= 0 && at < m && !f.Differ(haplotype, static_cast<size_t>(at))) {
      information += f.Information(static_cast<size_t>(at));
      at += direction;
    }
    at = std::clamp<ptrdiff_t>(at, -1, m);
    ways.push_back({std::abs(f.typed_panel.centimorgans()[at + 1] - f.typed_panel.middle(interval)), information});
    if (at >= 0 && at < m) at += direction;
  }
  return ways;
}

// Pairs of a quantity and the feature that is made of it. The scale of a feature may be any, but its value must be an
// increasing function of the quantity, the same for all candidates and intervals.
class IncreasingFunction {
 public:
  void Add(double of, float value) { pairs_.emplace_back(of, value); }

  void Expect(double same, const std::string& name) {
    std::ranges::sort(pairs_);
    ASSERT_GT(pairs_.back().first - pairs_.front().first, 10 * same) << name << ": nothing is tested";
    size_t first = 0;  // first pair whose quantity is equal up to rounding
    float highest = pairs_[0].second;
    for (const auto& [of, value] : pairs_) {
      ASSERT_TRUE(std::isfinite(value)) << name;
      while (of - pairs_[first].first > same) highest = std::max(highest, pairs_[first++].second);
      // The value is not below that of a clearly smaller quantity.
      if (first > 0) {
        ASSERT_GE(value, highest - 1e-4f) << name << " of " << of;
      }
      // The value is near that of about the same quantity.
      ASSERT_NEAR(value, pairs_[first].second, 0.02) << name << " of " << of << " and " << pairs_[first].first;
    }
    ASSERT_GT(pairs_.back().second, pairs_.front().second + 0.1f) << name;
  }

 private:
  std::vector<std::pair<double, float>> pairs_;
};

void ExpectNaiveFeatures(const MatchFixture& f, size_t first_interval, size_t step) {
  MatchFeatures features(f.typed_panel, f.ancestry);
  features.StartTarget(f.target, f.candidates);
  IncreasingFunction distance, information, probability, share;
  CopyFeatures values;
  for (size_t i = first_interval; i < f.typed_panel.num_intervals(); i += step) {
    if (!f.typed_panel.is_anchor(i)) continue;
    features.Fill(i, values);
    const size_t count = f.candidates.count[i];
    const float best_forward = *std::max_element(values.values[12], values.values[12] + count);
    const float best_backward = *std::max_element(values.values[13], values.values[13] + count);
    for (size_t k = 0; k < PaddedCount(count); ++k) {
      if (k >= count) {  // unused slots are as the first candidate
        for (const auto& row : values.values) ASSERT_EQ(row[k], row[0]);
        continue;
      }
      const uint32_t h = f.candidates.haplotypes(i)[k];
      for (const int direction : {-1, 1}) {
        const std::vector<Way> ways = Ways(f, h, i, direction);
        for (size_t u = 0; u < kMismatches; ++u) {
          const size_t row = 2 * u + (direction < 0 ? 0 : 2 * kMismatches);
          distance.Add(ways[u].centimorgans, values.values[row][k]);
          information.Add(ways[u].information, values.values[row + 1][k]);
        }
      }
      probability.Add(std::log(double{f.candidates.forward[f.candidates.first_slot[i] + k]}), values.values[12][k]);
      probability.Add(std::log(double{f.candidates.backward[f.candidates.first_slot[i] + k]}), values.values[13][k]);
      ASSERT_NEAR(values.values[14][k], values.values[12][k] - best_forward, 1e-5);
      ASSERT_NEAR(values.values[15][k], values.values[13][k] - best_backward, 1e-5);
      share.Add(double{f.ancestry.LogShares(i)[f.populations.sample_of()[h]]}, values.values[16][k]);
      share.Add(double{f.ancestry.PopulationLogShares()[f.populations.sample_of()[h]]}, values.values[17][k]);
    }
  }
  distance.Expect(1e-5, "distance");
  information.Expect(1e-3, "information");
  probability.Expect(1e-3, "probability");
  share.Expect(1e-3, "share");
}

const MosaicOptions kPanel{
    .haplotypes = 301, .markers = 500, .spacing_bp = 12000, .rare_share = 0.2, .mutation_rate = 0.03};

using FeatureKernels = EachInstructionSet;
HAPLOSPIN_TEST_EACH_INSTRUCTION_SET(FeatureKernels);
TEST_P(FeatureKernels, AgreeWithANaiveSearch) { ExpectNaiveFeatures(MatchFixture(kPanel), 0, 1); }

TEST(MatchFeatures, AreFoundByANaiveSearch) { ExpectNaiveFeatures(MatchFixture(kPanel), 0, 1); }

TEST(MatchFeatures, PassOverMissingAlleles) { ExpectNaiveFeatures(MatchFixture(kPanel, 0.2), 0, 1); }

// Steps over more intervals than are searched one by one.
TEST(MatchFeatures, OfIntervalsFarApart) {
  const MatchFixture f(kPanel);
  for (const size_t step : {7, 47, 60}) ExpectNaiveFeatures(f, 5, step);
}

TEST(MatchFeatures, OfFewerHaplotypesThanCandidates) {
  MosaicOptions options = kPanel;
  options.haplotypes = 21;
  ExpectNaiveFeatures(MatchFixture(options), 0, 1);
}

// A haplotype that agrees everywhere has no mismatch to find.
TEST(MatchFeatures, OfAHaplotypeThatAgreesEverywhere) {
  MatchFixture f(kPanel);
  f.target = TargetHaplotype(AllelesAt(f.mosaic.alleles[8], f.typed_panel.typed()));
  CandidateFinder().Find(f.typed_panel, f.model, f.target, AllStates(f.typed_panel), f.candidates);
  ExpectNaiveFeatures(f, 0, 1);
}

// Results for one target are not reused for the next.
TEST(MatchFeatures, ASecondTargetStartsAfresh) {
  MatchFixture f(kPanel);
  MatchFeatures used(f.typed_panel, f.ancestry), fresh(f.typed_panel, f.ancestry);
  CopyFeatures expected, found;
  used.StartTarget(f.target, f.candidates);
  for (const uint32_t anchor : f.typed_panel.anchors()) used.Fill(anchor, found);
  f.target = TargetHaplotype(AllelesAt(f.mosaic.alleles[3], f.typed_panel.typed()));
  used.StartTarget(f.target, f.candidates);
  fresh.StartTarget(f.target, f.candidates);
  for (const uint32_t anchor : f.typed_panel.anchors()) {
    used.Fill(anchor, found);
    fresh.Fill(anchor, expected);
    for (size_t row = 0; row < kNumCopyFeatures; ++row) {
      ASSERT_TRUE(std::equal(found.values[row], found.values[row] + f.candidates.count[anchor], expected.values[row]));
    }
  }
}

}  // namespace
}  // namespace haplospin
