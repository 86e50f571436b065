#include "genotypes/imputation/stages/phasing/study_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/random.h"
#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Samples that are mosaics of the founders of the panel, so that they can be phased.
class StudyPhaseTest : public testing::Test {
 protected:
  StudyPhaseTest()
      : mosaic_(SimulateMosaic({.haplotypes = 220, .markers = 300, .founders = 12, .switches_per_cm = 1})),
        panel_(MakePanel(mosaic_, DiploidSamples("R", 100))),
        study_(DiploidSamples("S", 10), CommonMarkers(panel_, 1), std::span(mosaic_.alleles).subspan(200)),
        window_(panel_, map_, study_.typed, {}) {
    // REF before ALT in every heterozygote that is not phased.
    given_ = Alleles(study_);
    for (GenotypeRow& row : study_.rows) row.unphased.assign(10, 0);
  }

  void Unphase(size_t j, size_t sample) {
    uint8_t* alleles = &study_.rows[j].alleles[2 * sample];
    study_.rows[j].unphased[sample] = alleles[0] != alleles[1] ? 1 : 0;
    if (alleles[0] > alleles[1]) std::swap(alleles[0], alleles[1]);
  }

  std::vector<SampleTargets> Find(size_t begin = 0, size_t end = 10) const {
    const WindowStudy view = study_.View();
    return StudyPhaser(window_, EstimatePanel(window_), view, options_, 1).FindTargets(begin, end);
  }

  // Returns the number of neighboring heterozygotes with a wrong phase, and of all neighboring heterozygotes.
  std::pair<size_t, size_t> SwitchErrors(const std::vector<SampleTargets>& found) const {
    size_t errors = 0, neighbors = 0;
    for (size_t s = 0; s < found.size(); ++s) {
      int last = -1;
      for (size_t j = 0; j < given_.size(); ++j) {
        if (given_[j][2 * s] == given_[j][2 * s + 1]) continue;
        const int agrees = found[s].most_probable()[0].alleles[j] == given_[j][2 * s] ? 1 : 0;
        errors += last >= 0 && agrees != last;
        neighbors += last >= 0;
        last = agrees;
      }
    }
    return {errors, neighbors};
  }

  size_t ErrorsOfOthers(const std::vector<SampleTargets>& found) const;

  const GeneticMap map_ = GeneticMap::Uniform();
  const Mosaic mosaic_;
  const HaplotypePanel panel_;
  SimulatedStudy study_;
  PhasingOptions options_;
  const PanelWindow window_;
  std::vector<std::vector<uint8_t>> given_;  // [typed][haplotypes]
};

TEST_F(StudyPhaseTest, FindsThePhase) {
  for (size_t j = 0; j < study_.typed.size(); ++j) {
    for (size_t s = 0; s < 10; ++s) Unphase(j, s);
  }
  const auto [errors, neighbors] = SwitchErrors(Find());
  ASSERT_GT(neighbors, 200u);
  EXPECT_LT(errors, neighbors / 20);
}

// Alleles that the panel lacks are phased by the samples that share them.
TEST_F(StudyPhaseTest, SequencedSamplesCopyEachOther) {
  Mosaic mosaic = SimulateMosaic({.haplotypes = 280, .markers = 300, .founders = 12, .switches_per_cm = 1});
  for (size_t h = 0; h < 200; ++h) {
    for (size_t j = 0; j < 300; j += 10) mosaic.alleles[h][j] = 0;
  }
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", 100));
  std::vector<uint32_t> all(300);
  std::iota(all.begin(), all.end(), 0);
  study_ = SimulatedStudy(DiploidSamples("S", 40), all, std::span(mosaic.alleles).subspan(200));
  given_ = Alleles(study_);
  for (GenotypeRow& row : study_.rows) row.unphased.assign(40, 0);
  for (size_t j = 0; j < 300; ++j) {
    for (size_t s = 0; s < 40; ++s) Unphase(j, s);
  }
  const PanelWindow window(panel, map_, study_.typed, {});
  const WindowStudy view = study_.View();
  const auto errors = [&](PhasingPlanMaker plan) {
    StudyPhaser phaser(window, EstimatePanel(window), view, {.plan = plan}, 1);
    return SwitchErrors(phaser.FindTargets(0, 40)).first;
  };
  const size_t of_sequences = errors([](const CopyingFacts& facts) {
    return PlanOfPhase({facts.study_haplotypes, facts.panel_haplotypes, /*gap=*/0});
  });
  EXPECT_LT(3 * of_sequences, errors(PlanOfPhase));
}

// A study that is phased without a panel, from its own samples.
class StudyWithoutPanelTest : public StudyPhaseTest {
 protected:
  void Simulate(size_t samples, size_t markers) {
    const Mosaic mosaic =
        SimulateMosaic({.haplotypes = 2 * samples, .markers = markers, .founders = 8, .switches_per_cm = 1});
    const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("S", samples));
    study_ = SimulatedStudy(DiploidSamples("S", samples), CommonMarkers(panel, 1), mosaic.alleles);
    for (size_t m = 0; m < panel.num_markers(); ++m) sites_.Append(panel.marker(m), nullptr);
    given_ = Alleles(study_);
    for (GenotypeRow& row : study_.rows) row.unphased.assign(samples, 0);
    for (size_t j = 0; j < study_.typed.size(); ++j) {
      for (size_t s = 0; s < samples; ++s) Unphase(j, s);
    }
  }

  StudyPhaser Phaser() {
    view_.emplace(study_.View());
    without_panel_.emplace(sites_, map_, study_.typed, MarkerRange());
    options_.plan = PlanFromStudy;
    return StudyPhaser(*without_panel_, std::nullopt, *view_, options_, 1);
  }

  std::optional<WindowStudy> view_;

 private:
  MutablePanel sites_{"20", SampleTable::Diploid({})};
  std::optional<PanelWindow> without_panel_;
};

TEST_F(StudyWithoutPanelTest, FindsThePhase) {
  Simulate(100, 200);
  StudyPhaser phaser = Phaser();
  const auto [errors, neighbors] = SwitchErrors(phaser.FindTargets(0, 100));
  ASSERT_GT(neighbors, 2000u);
  EXPECT_LT(errors, neighbors / 20);
  EXPECT_EQ(phaser.reference().num_haplotypes(), 200u);
  EXPECT_EQ(phaser.reference().Own(*view_, 3).haplotypes[1], 7u);
}

// Phased samples, unphased ones and a haploid one.
TEST_F(StudyWithoutPanelTest, ImputesMissingAlleles) {
  Simulate(100, 200);
  for (size_t s = 0; s < 30; ++s) {
    for (size_t j = 0; j < study_.typed.size(); ++j) {
      study_.rows[j].unphased[s] = 0;
      for (size_t c = 0; c < 2; ++c) study_.rows[j].alleles[2 * s + c] = given_[j][2 * s + c];
    }
  }
  RandomStream random(5);
  std::vector<std::vector<uint8_t>> is_missing(given_.size(), std::vector<uint8_t>(100));
  for (size_t j = 0; j < given_.size(); ++j) {
    for (size_t s = 0; s < 100; ++s) {
      is_missing[j][s] = random.Bernoulli(0.3);
      if (is_missing[j][s]) study_.rows[j].alleles[2 * s] = study_.rows[j].alleles[2 * s + 1] = kMissingAllele;
    }
  }
  const std::vector<SampleTargets> found = Phaser().FindTargets(0, 100);
  double wrong = 0, missing = 0;
  for (size_t s = 0; s < 100; ++s) {
    ASSERT_EQ(found[s].alt_probability.size(), 2u);
    for (size_t j = 0; j < given_.size(); ++j) {
      const float dosage = found[s].alt_probability[0][j] + found[s].alt_probability[1][j];
      const int given = given_[j][2 * s] + given_[j][2 * s + 1];
      if (is_missing[j][s] != 0) {
        missing += 1;
        wrong += std::abs(dosage - static_cast<float>(given)) > 0.5f;
      } else {
        EXPECT_EQ(dosage, static_cast<float>(given));
      }
      if (s >= 30 || is_missing[j][s] != 0) continue;
      for (size_t c = 0; c < 2; ++c) EXPECT_EQ(found[s].alt_probability[c][j], given_[j][2 * s + c]);
    }
  }
  EXPECT_LT(wrong, 0.03 * missing);
}

TEST_F(StudyWithoutPanelTest, ImputesHaploidSamples) {
  const std::vector<int> ploidies(100, 1);
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 100, .markers = 200, .founders = 6, .switches_per_cm = 1});
  const SampleTable samples = MakeSamples("S", ploidies);
  const HaplotypePanel panel = MakePanel(mosaic, samples);
  Simulate(2, 200);
  study_ = SimulatedStudy(samples, CommonMarkers(panel, 1), mosaic.alleles);
  given_ = Alleles(study_);
  size_t k = 0;
  for (GenotypeRow& row : study_.rows) {
    for (uint8_t& allele : row.alleles) allele = ++k % 7 == 0 ? kMissingAllele : allele;
  }
  const std::vector<SampleTargets> found = Phaser().FindTargets(0, 100);
  double wrong = 0, missing = 0;
  for (size_t s = 0; s < 100; ++s) {
    ASSERT_EQ(found[s].ploidy(), 1u);
    if (found[s].alt_probability.empty()) continue;
    for (size_t j = 0; j < given_.size(); ++j) {
      if (study_.rows[j].alleles[s] != kMissingAllele) continue;
      missing += 1;
      wrong += (found[s].alt_probability[0][j] > 0.5f) != (given_[j][s] == 1);
    }
  }
  ASSERT_GT(missing, 1000);
  EXPECT_LT(wrong, 0.03 * missing);
}

// 300 samples in groups of 256 and 44.
TEST_F(StudyWithoutPanelTest, PhasesGroups) {
  options_.max_group = 256;
  Simulate(300, 60);
  StudyPhaser phaser = Phaser();
  std::vector<SampleTargets> found = phaser.FindTargets(0, 256);
  EXPECT_EQ(phaser.reference().num_haplotypes(), 512u);
  EXPECT_EQ(phaser.reference().Own(*view_, 3).haplotypes[1], 7u);
  for (SampleTargets& targets : phaser.FindTargets(256, 300)) found.push_back(std::move(targets));
  EXPECT_EQ(phaser.reference().num_haplotypes(), 88u);
  EXPECT_EQ(phaser.reference().Own(*view_, 259).haplotypes[1], 7u);
  const auto [errors, neighbors] = SwitchErrors(found);
  ASSERT_GT(neighbors, 2000u);
  EXPECT_LT(errors, neighbors / 10);
}

// The groups of 513 samples have 256 and 257, so that none is small.
TEST_F(StudyWithoutPanelTest, GroupsAreOfAboutTheSameSize) {
  options_.max_group = 512;
  Simulate(2 * kSamplesAtATime + 1, 10);
  StudyPhaser phaser = Phaser();
  phaser.FindTargets(0, kSamplesAtATime);
  EXPECT_EQ(phaser.reference().num_haplotypes(), 2 * kSamplesAtATime);
  phaser.FindTargets(kSamplesAtATime, 2 * kSamplesAtATime);
  EXPECT_EQ(phaser.reference().num_haplotypes(), 2 * kSamplesAtATime + 2);
  phaser.FindTargets(2 * kSamplesAtATime, 2 * kSamplesAtATime + 1);
  EXPECT_EQ(phaser.reference().num_haplotypes(), 2 * kSamplesAtATime + 2);
}

TEST_F(StudyPhaseTest, PhasedSamplesAreAsGiven) {
  for (size_t j = 0; j < study_.typed.size(); ++j) Unphase(j, 3);
  const std::vector<SampleTargets> found = Find();
  for (size_t s = 0; s < 10; ++s) {
    if (s == 3) continue;
    ASSERT_EQ(found[s].versions.size(), 1u);
    for (size_t j = 0; j < given_.size(); ++j) {
      EXPECT_EQ(found[s].most_probable()[0].alleles[j], given_[j][2 * s]);
      EXPECT_EQ(found[s].versions[0].haplotypes[1].alleles[j], given_[j][2 * s + 1]);
    }
  }
}

// Returns the switch errors among the heterozygotes whose phase is not given. Given ones must be as given.
size_t StudyPhaseTest::ErrorsOfOthers(const std::vector<SampleTargets>& found) const {
  size_t errors = 0;
  for (size_t s = 0; s < found.size(); ++s) {
    int last = -1, given = -1;
    for (size_t j = 0; j < given_.size(); ++j) {
      if (given_[j][2 * s] == given_[j][2 * s + 1]) continue;
      const int agrees = found[s].most_probable()[0].alleles[j] == given_[j][2 * s] ? 1 : 0;
      int& before = study_.rows[j].unphased[s] != 0 ? last : given;
      if (before >= 0 && agrees != before) {
        EXPECT_NE(study_.rows[j].unphased[s], 0) << s << " " << j;
        ++errors;
      }
      before = agrees;
    }
  }
  return errors;
}

// With a given phase of a few heterozygotes, whichever they are, the phase of the others is not worse than without.
TEST_F(StudyPhaseTest, WhatIsGivenDoesNotHarmTheOthers) {
  const auto errors_with = [&](double share, uint64_t seed) {
    RandomStream random(seed);
    std::vector<GenotypeRow> before = study_.rows;
    for (size_t j = 0; j < study_.typed.size(); ++j) {
      std::ranges::fill(study_.rows[j].unphased, uint8_t{0});
      for (size_t s = 0; s < 10; ++s) {
        if (!random.Bernoulli(share)) Unphase(j, s);
      }
    }
    const size_t errors = ErrorsOfOthers(Find());
    study_.rows = std::move(before);
    return errors;
  };
  const size_t without = errors_with(0, 1);
  for (const double share : {0.02, 0.1, 0.5}) {
    for (uint64_t seed = 1; seed <= 3; ++seed) EXPECT_LE(errors_with(share, seed), without) << share << " " << seed;
  }
}

TEST_F(StudyPhaseTest, GivenPhaseIsKept) {
  for (size_t j = 0; j < study_.typed.size(); ++j) {
    for (size_t s = 0; s < 10 && j % 4 != 0; ++s) Unphase(j, s);
  }
  const std::vector<SampleTargets> found = Find();
  for (size_t s = 0; s < 10; ++s) {
    for (size_t j = 0; j < given_.size(); j += 4) {
      EXPECT_EQ(found[s].most_probable()[0].alleles[j], given_[j][2 * s]) << s << " " << j;
    }
  }
}

TEST_F(StudyPhaseTest, DoesNotDependOnOtherSamples) {
  for (size_t j = 0; j < study_.typed.size(); ++j) {
    for (size_t s = 0; s < 10; ++s) Unphase(j, s);
  }
  const std::vector<SampleTargets> all = Find(), some = Find(4, 7);
  for (size_t s = 4; s < 7; ++s) {
    EXPECT_EQ(all[s].most_probable()[0].alleles, some[s - 4].most_probable()[0].alleles);
    ASSERT_EQ(all[s].versions.size(), some[s - 4].versions.size());
    for (size_t v = 0; v < all[s].versions.size(); ++v) {
      EXPECT_EQ(all[s].versions[v].haplotypes[1].alleles, some[s - 4].versions[v].haplotypes[1].alleles);
      EXPECT_EQ(all[s].versions[v].weight, some[s - 4].versions[v].weight);
    }
  }
}

TEST_F(StudyPhaseTest, VersionsHaveTheGenotypes) {
  for (size_t j = 0; j < study_.typed.size(); ++j) {
    for (size_t s = 0; s < 10; ++s) Unphase(j, s);
  }
  for (const SampleTargets& sample : Find()) {
    for (const PhaseVersion& version : sample.versions) {
      for (size_t j = 0; j < given_.size(); ++j) {
        EXPECT_EQ(version.haplotypes[0].alleles[j] + version.haplotypes[1].alleles[j],
                  sample.most_probable()[0].alleles[j] + sample.most_probable()[1].alleles[j]);
      }
    }
  }
}

}  // namespace

}  // namespace haplospin
