#include "imputation/phasing/study_phase.h"

#include <gtest/gtest.h>

#include <algorithm>

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
        array_(panel_, study_.typed, GeneticMap::Uniform()),
        model_(EstimateCopyingModel(array_, copying_)),
        sample_of_(panel_.samples().SampleOfHaplotype()),
        populations_(panel_, sample_of_) {
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
    const GeneticMap map = GeneticMap::Uniform();
    const PhasingContext context{panel_, map, &array_, &model_, &populations_, sample_of_, copying_, options_};
    return StudyPhaser(context, view).FindTargets(begin, end);
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

  const Mosaic mosaic_;
  const HaplotypePanel panel_;
  SimulatedStudy study_;
  const PhasingOptions options_;
  const CopyingOptions copying_;
  const TypedPanel array_;
  const CopyingModel model_;
  const std::vector<uint32_t> sample_of_;
  const PanelPopulations populations_;
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

// 100 samples, which phase each other.
TEST_F(StudyPhaseTest, NeedsNoPanel) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 200, .markers = 200, .founders = 8, .switches_per_cm = 1});
  const HaplotypePanel panel = PanelOf(mosaic, DiploidSamples("S", 100));
  study_ = SimulatedStudy(DiploidSamples("S", 100), CommonMarkers(panel, 1), mosaic.alleles);
  HaplotypePanel sites("20", SampleTable::Diploid({}));
  for (size_t m = 0; m < panel.num_markers(); ++m) sites.Append(panel.marker(m), nullptr);
  given_ = study_.alleles;
  unphased_.assign(study_.typed.size(), std::vector<uint8_t>(100));
  for (size_t j = 0; j < study_.typed.size(); ++j) {
    for (size_t s = 0; s < 100; ++s) Unphase(j, s);
  }
  WindowStudy view = study_.View();
  for (const std::vector<uint8_t>& row : unphased_) view.unphased.push_back(&row);
  const GeneticMap map = GeneticMap::Uniform();
  const std::vector<uint32_t> nobody;
  const PhasingContext context{sites, map, nullptr, nullptr, nullptr, nobody, copying_, options_};
  StudyPhaser phaser(context, view);
  EXPECT_EQ(phaser.reference().num_haplotypes(), 200u);
  EXPECT_EQ(phaser.reference().Own(view, 3).haplotypes[1], 7u);
  const auto [errors, neighbors] = SwitchErrors(phaser.FindTargets(0, 100));
  ASSERT_GT(neighbors, 2000u);
  EXPECT_LT(errors, neighbors / 20);
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
