#include "imputation/phasing/study_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "genomics/mutable_panel.h"
#include "haplospin/study_genotypes.h"
#include "imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// Samples that are mosaics of the founders of the panel, so that they can be phased.
class StudyPhaseTest : public testing::Test {
 protected:
  StudyPhaseTest()
      : mosaic_(SimulateMosaic({.haplotypes = 220, .markers = 300, .founders = 12, .switches_per_cm = 1})),
        panel_(PanelOf(mosaic_, DiploidSamples("R", 100))),
        study_(DiploidSamples("S", 10), CommonMarkers(panel_, 1), std::span(mosaic_.alleles).subspan(200)),
        window_(panel_, map_, study_.typed, {}) {
    // REF before ALT in every heterozygote that is not phased.
    given_ = study_.alleles;
    unphased_.assign(study_.typed.size(), std::vector<uint8_t>(10));
  }

  void Unphase(size_t j, size_t sample) {
    uint8_t* alleles = &study_.alleles[j][2 * sample];
    unphased_[j][sample] = alleles[0] != alleles[1] ? 1 : 0;
    if (alleles[0] > alleles[1]) std::swap(alleles[0], alleles[1]);
  }

  std::vector<SampleTargets> Find(size_t begin = 0, size_t end = 10) const {
    WindowStudy view = study_.View();
    for (const std::vector<uint8_t>& row : unphased_) view.unphased.push_back(&row);
    return StudyPhaser(window_, view, options_, 1).FindTargets(begin, end);
  }

  // Neighboring heterozygotes whose phase differs from the truth, and all.
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

  const GeneticMap map_ = GeneticMap::Uniform();
  const Mosaic mosaic_;
  const HaplotypePanel panel_;
  SimulatedStudy study_;
  PhasingOptions options_;
  const PanelWindow window_;
  std::vector<std::vector<uint8_t>> given_;     // [typed][haplotypes]
  std::vector<std::vector<uint8_t>> unphased_;  // [typed][samples]
};

TEST_F(StudyPhaseTest, FindsThePhase) {
  for (size_t j = 0; j < study_.typed.size(); ++j) {
    for (size_t s = 0; s < 10; ++s) Unphase(j, s);
  }
  const auto [errors, neighbors] = SwitchErrors(Find());
  ASSERT_GT(neighbors, 200u);
  EXPECT_LT(errors, neighbors / 20);
}

// Samples that phase each other.
class StudyWithoutPanelTest : public StudyPhaseTest {
 protected:
  void Simulate(size_t samples, size_t markers) {
    const Mosaic mosaic =
        SimulateMosaic({.haplotypes = 2 * samples, .markers = markers, .founders = 8, .switches_per_cm = 1});
    const HaplotypePanel panel = PanelOf(mosaic, DiploidSamples("S", samples));
    study_ = SimulatedStudy(DiploidSamples("S", samples), CommonMarkers(panel, 1), mosaic.alleles);
    for (size_t m = 0; m < panel.num_markers(); ++m) sites_.Append(panel.marker(m), nullptr);
    given_ = study_.alleles;
    unphased_.assign(study_.typed.size(), std::vector<uint8_t>(samples));
    for (size_t j = 0; j < study_.typed.size(); ++j) {
      for (size_t s = 0; s < samples; ++s) Unphase(j, s);
    }
    view_ = study_.View();
    for (const std::vector<uint8_t>& row : unphased_) view_.unphased.push_back(&row);
  }

  StudyPhaser Phaser() {
    without_panel_.emplace(sites_, map_, view_.typed, MarkerRange());
    return StudyPhaser(*without_panel_, view_, options_, 1);
  }

  WindowStudy view_;

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
  EXPECT_EQ(phaser.reference().Own(view_, 3).haplotypes[1], 7u);
}

// 300 samples in groups of 256 and 44.
TEST_F(StudyWithoutPanelTest, PhasesGroups) {
  options_.max_group = 256;
  Simulate(300, 60);
  StudyPhaser phaser = Phaser();
  std::vector<SampleTargets> found = phaser.FindTargets(0, 256);
  EXPECT_EQ(phaser.reference().num_haplotypes(), 512u);
  EXPECT_EQ(phaser.reference().Own(view_, 3).haplotypes[1], 7u);
  for (SampleTargets& targets : phaser.FindTargets(256, 300)) found.push_back(std::move(targets));
  EXPECT_EQ(phaser.reference().num_haplotypes(), 88u);
  EXPECT_EQ(phaser.reference().Own(view_, 259).haplotypes[1], 7u);
  const auto [errors, neighbors] = SwitchErrors(found);
  ASSERT_GT(neighbors, 2000u);
  EXPECT_LT(errors, neighbors / 10);
}

// No group is left with few samples: 513 are groups of 256 and 257.
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
