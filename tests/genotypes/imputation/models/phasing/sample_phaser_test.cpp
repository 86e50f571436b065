#include "genotypes/imputation/models/phasing/sample_phaser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// A sample among the haplotypes that it may copy, as in a study that is phased from itself.
class SamplePhaserTest : public testing::Test {
 protected:
  SamplePhaserTest()
      : mosaic_(
            SimulateMosaic({.haplotypes = 42, .markers = 600, .founders = 6, .switches_per_cm = 1, .rare_share = 0})),
        truth_(mosaic_.alleles[0]),
        start_(Start()) {
    mosaic_.alleles[0] = start_.alleles[0];
    mosaic_.alleles[1] = start_.alleles[1];
  }

  // The first two haplotypes, exchanged at every second heterozygote.
  SampleGenotypes Start() const {
    SampleGenotypes sample{.alleles = {mosaic_.alleles[0], mosaic_.alleles[1]}};
    for (uint32_t j = 0; j < truth_.size(); ++j) {
      if (sample.alleles[0][j] == sample.alleles[1][j]) continue;
      if (sample.hets.size() % 2 == 1) std::swap(sample.alleles[0][j], sample.alleles[1][j]);
      sample.hets.push_back(j);
    }
    return sample;
  }

  // Counts the switch errors of the first phase that is found.
  size_t SwitchErrors(const ExcludedHaplotypes& own) const {
    const HaplotypePanel panel = MakePanel(mosaic_, DiploidSamples("S", 21));
    const GeneticMap map = GeneticMap::Uniform();
    std::vector<uint32_t> all(panel.num_markers());
    std::iota(all.begin(), all.end(), 0);
    const TypedPanel typed_panel(panel, all, map);
    const CopyingModel model = EstimatePanelCopying(typed_panel, copying_).model;
    SampleGenotypes sample = start_;
    const ImputedAlts none;
    constexpr size_t kStates = 512;
    SamplePhaser(nullptr).FindFirstPhase(sample, {typed_panel.rows(), {}, own, model, kStates, none}, 2,
                                         RandomStream(1, {}));
    size_t errors = 0;
    for (size_t h = 1; h < sample.hets.size(); ++h) errors += IsTrue(sample, h) != IsTrue(sample, h - 1);
    return errors;
  }

  bool IsTrue(const SampleGenotypes& sample, size_t h) const {
    return sample.alleles[0][sample.hets[h]] == truth_[sample.hets[h]];
  }

  Mosaic mosaic_;
  const std::vector<uint8_t> truth_;
  const SampleGenotypes start_;
  const CopyingOptions copying_;
};

TEST_F(SamplePhaserTest, ASampleDoesNotCopyItself) {
  ASSERT_GT(start_.hets.size(), 40u);
  EXPECT_LT(SwitchErrors({.haplotypes = {0, 1}, .count = 2}), start_.hets.size() / 10);
  EXPECT_GT(SwitchErrors({}), start_.hets.size() / 2);  // a sample that may copy itself keeps its phase
}

}  // namespace
}  // namespace haplospin
