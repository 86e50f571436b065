#include "genotypes/imputation/models/copying/study_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

using testing::ElementsAre;

// A panel of the first 200 haplotypes, and a study of 60 others, typed at every other common marker.
class StudyFitTest : public testing::Test {
 protected:
  StudyFitTest()
      : mosaic_(SimulateMosaic({.haplotypes = 260, .markers = 1200, .founders = 20, .rare_share = 0})),
        panel_(MakePanel(mosaic_, DiploidSamples("R", 100))),
        typed_(CommonMarkers(panel_, 2)),
        typed_panel_(panel_, typed_, GeneticMap::Uniform()),
        copying_(EstimatePanelCopying(typed_panel_, {})) {
    for (size_t h = 200; h < 260; ++h) study_.push_back(AllelesAt(mosaic_.alleles[h], typed_));
  }

  // Haplotypes of a population that parted from the panel's long ago: short pieces of the panel's, and other mutations.
  void TakeAnotherPopulation() {
    std::mt19937 random(2);
    std::uniform_int_distribution<size_t> any_haplotype(0, 199);
    std::bernoulli_distribution is_switch(0.1);
    for (auto& haplotype : study_) {
      size_t source = any_haplotype(random);
      for (size_t j = 0; j < typed_.size(); ++j) {
        if (is_switch(random)) source = any_haplotype(random);
        haplotype[j] = mosaic_.alleles[source][typed_[j]];
      }
    }
    ExchangeAlleles(0.03);
  }

  void ExchangeAlleles(double share) {
    std::mt19937 random(1);
    std::bernoulli_distribution is_wrong(share);
    for (auto& haplotype : study_) {
      for (uint8_t& allele : haplotype) allele ^= is_wrong(random) ? 1 : 0;
    }
  }

  void SwitchPhase(double share) {
    std::mt19937 random(1);
    std::bernoulli_distribution is_switch(share);
    for (size_t h = 0; h < study_.size(); h += 2) {
      for (size_t j = 0; j < typed_.size(); ++j) {
        if (is_switch(random)) {
          std::swap_ranges(study_[h].begin() + static_cast<std::ptrdiff_t>(j), study_[h].end(),
                           study_[h + 1].begin() + static_cast<std::ptrdiff_t>(j));
        }
      }
    }
  }

  struct Result {
    StudyFit fit;
    float mismatch;
  };

  Result Fit() const {
    std::vector<TargetHaplotype> haplotypes(study_.begin(), study_.end());
    const std::vector<const TargetHaplotype*> pointers = PointersTo(haplotypes);
    const StateSelection selection(typed_panel_, pointers, {});
    std::vector<size_t> selected(haplotypes.size());
    for (size_t k = 0; k < selected.size(); ++k) selected[k] = k;
    CopyingSample sample(typed_panel_, pointers, selection, selected);
    const StudyFit fit = FitStudy(copying_, sample);
    return {fit, MismatchProbabilityOfStudy(copying_, fit, CopyingOptions().min_mismatch_gain, sample)};
  }

  const Mosaic mosaic_;
  const HaplotypePanel panel_;
  const std::vector<uint32_t> typed_;
  const TypedPanel typed_panel_;
  const PanelCopying copying_;
  std::vector<std::vector<uint8_t>> study_;
};

TEST_F(StudyFitTest, HaplotypesLikeThePanelsFit) {
  const Result result = Fit();
  EXPECT_NEAR(result.fit.SwitchRatio(), 1, 0.25);
  EXPECT_NEAR(result.fit.MismatchRatio(), 1, 0.5);
  EXPECT_NEAR(result.fit.unmatched / result.fit.typed, result.fit.panel_unmatched / result.fit.typed, 0.02);
  EXPECT_FALSE(result.fit.IsOfAnotherPopulation());
  EXPECT_EQ(result.mismatch, copying_.model.mismatch_probability);
}

TEST_F(StudyFitTest, FewWrongAllelesAreAsProbableAsTheyAreFrequent) {
  ExchangeAlleles(0.0015);
  const auto [fit, mismatch] = Fit();
  const double share = (fit.mismatches - fit.panel_mismatches) / (60.0 * static_cast<double>(typed_.size()));
  EXPECT_NEAR(share, 0.0015, 0.0005);
  EXPECT_NEAR(mismatch, copying_.model.mismatch_probability + share, 1e-7);
}

TEST_F(StudyFitTest, WrongAllelesMakeMismatchesProbable) {
  ExchangeAlleles(0.005);
  const Result some = Fit();
  EXPECT_GT(some.mismatch, copying_.model.mismatch_probability);
  ExchangeAlleles(0.02);
  const Result many = Fit();
  EXPECT_GT(many.fit.MismatchRatio(), some.fit.MismatchRatio());
  EXPECT_GE(many.mismatch, 0.01f);
  EXPECT_GT(many.mismatch, some.mismatch);
  EXPECT_FALSE(many.fit.IsOfAnotherPopulation()) << many.fit.SwitchRatio();
}

TEST_F(StudyFitTest, ErrorsOfPhaseAreNotAnotherPopulation) {
  SwitchPhase(0.02);
  const Result result = Fit();
  EXPECT_GT(result.fit.SwitchRatio(), 1.5);
  EXPECT_FALSE(result.fit.IsOfAnotherPopulation()) << result.fit.MismatchRatio();
}

TEST_F(StudyFitTest, AnotherPopulationHasMoreOfBoth) {
  TakeAnotherPopulation();
  const Result result = Fit();
  EXPECT_TRUE(result.fit.IsOfAnotherPopulation()) << Describe(result.fit);
}

TEST_F(StudyFitTest, HaplotypesOfNothingInThePanelMatchNone) {
  const Mosaic other = SimulateMosaic({.haplotypes = 60, .markers = 1200, .founders = 20, .rare_share = 0, .seed = 2});
  for (size_t h = 0; h < 60; ++h) study_[h] = AllelesAt(other.alleles[h], typed_);
  const Result result = Fit();
  EXPECT_TRUE(result.fit.MatchesNone()) << Describe(result.fit);
  EXPECT_TRUE(result.fit.IsOfAnotherPopulation());
  EXPECT_THAT(Describe(result.fit), testing::HasSubstr("match no panel haplotype at 9"));
}

TEST_F(StudyFitTest, MissingAllelesAreNotCounted) {
  const StudyFit whole = Fit().fit;
  for (auto& haplotype : study_) {
    for (size_t j = 0; j < haplotype.size(); j += 2) haplotype[j] = kMissingAllele;
  }
  const Result result = Fit();
  EXPECT_NEAR(result.fit.panel_mismatches, whole.panel_mismatches / 2, 0.01 * whole.panel_mismatches);
  for (auto& haplotype : study_) std::ranges::fill(haplotype, kMissingAllele);
  EXPECT_FALSE(Fit().fit.IsOfAnotherPopulation());
  EXPECT_EQ(Fit().mismatch, copying_.model.mismatch_probability);
}

TEST_F(StudyFitTest, OneMarkerTellsNothing) {
  const TypedPanel typed_panel(panel_, {7}, GeneticMap::Uniform());
  const PanelCopying copying = EstimatePanelCopying(typed_panel, {});
  const TargetHaplotype haplotype(std::vector<uint8_t>{1});
  const TargetHaplotype* pointer = &haplotype;
  EXPECT_FALSE(FitHaplotypes(typed_panel, copying, {&pointer, 1}, {}).IsOfAnotherPopulation());
}

TEST(HaplotypesToFit, AreSpreadEvenlyOverPeopleWithGenotypes) {
  const TargetHaplotype known(std::vector<uint8_t>{1, kMissingAllele}),
      missing(std::vector<uint8_t>(2, kMissingAllele));
  std::vector<const TargetHaplotype*> haplotypes(3, &known);
  EXPECT_THAT(HaplotypesToFit(haplotypes), ElementsAre(0, 1, 2));
  haplotypes.assign(512, &known);
  EXPECT_EQ(HaplotypesToFit(haplotypes).size(), 32u);
  EXPECT_EQ(HaplotypesToFit(haplotypes).back(), 496u);
  std::fill_n(haplotypes.begin(), 256, &missing);
  EXPECT_EQ(HaplotypesToFit(haplotypes).size(), 32u);
  EXPECT_EQ(HaplotypesToFit(haplotypes).front(), 256u);
  haplotypes.assign(512, &missing);
  EXPECT_TRUE(HaplotypesToFit(haplotypes).empty());
}

}  // namespace
}  // namespace haplospin
