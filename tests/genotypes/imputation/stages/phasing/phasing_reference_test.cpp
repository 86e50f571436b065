#include "genotypes/imputation/stages/phasing/phasing_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr size_t kPanelSamples = 5, kMarkers = 40;

std::vector<uint32_t> Markers() {
  std::vector<uint32_t> markers(kMarkers);
  std::iota(markers.begin(), markers.end(), 0);
  return markers;
}

// A panel of 5 people, and a study of 4, of whom the third is haploid and the last is phased.
class PhasingReferenceTest : public testing::Test {
 protected:
  PhasingReferenceTest()
      : mosaic_(SimulateMosaic({.haplotypes = 17, .markers = kMarkers})),
        panel_(MakePanel(mosaic_, DiploidSamples("R", kPanelSamples))),
        study_(MakeSamples("S", std::vector<int>{2, 2, 1, 2}), Markers(),
               std::span(mosaic_.alleles).subspan(2 * kPanelSamples, 7)),
        view_(study_.View()),
        present_(ReadGenotypes(view_, index_, /*imputes_missing=*/false)) {
    present_[1].missing = {3};
    for (size_t c = 0; c < 2; ++c) present_[1].imputed[c] = {static_cast<uint8_t>(100 + c)};
  }

  PhasingReference Make(const std::vector<bool>& is_left_out) const {
    return {panel_, GeneticMap::Uniform(), view_, {0, 4}, present_, index_, is_left_out};
  }

  std::vector<uint32_t> Own(const PhasingReference& reference, size_t sample) const {
    const ExcludedHaplotypes own = reference.Own(view_, sample);
    return {own.span().begin(), own.span().end()};
  }

  // Whether a haplotype of the reference has the alleles of one of the study.
  bool IsSame(const PhasingReference& reference, uint32_t haplotype, size_t study_haplotype) const {
    for (size_t j = 0; j < kMarkers; ++j) {
      const bool allele = (reference.rows().row(haplotype)[j / 64] >> (j % 64) & 1) != 0;
      if (allele != (mosaic_.alleles[2 * kPanelSamples + study_haplotype][j] == 1)) return false;
    }
    return true;
  }

  const std::vector<size_t> index_ = {0, 1, 2};
  Mosaic mosaic_;
  HaplotypePanel panel_;
  SimulatedStudy study_;
  WindowStudy view_;
  std::vector<SampleGenotypes> present_;
};

TEST_F(PhasingReferenceTest, SamplesFollowThePanel) {
  const PhasingReference reference = Make({});
  EXPECT_EQ(reference.num_haplotypes(), 17);
  EXPECT_THAT(Own(reference, 1), ElementsAre(12, 13));
  EXPECT_THAT(Own(reference, 2), ElementsAre(14));
  EXPECT_THAT(Own(reference, 3), ElementsAre(15, 16));
  EXPECT_TRUE(IsSame(reference, 16, 6));
  ASSERT_TRUE(reference.imputed().Has(3));
  EXPECT_EQ(reference.imputed().row(13)[reference.imputed().place(3)], 101);
}

TEST_F(PhasingReferenceTest, OthersTakeThePlaceOfThoseLeftOut) {
  const PhasingReference reference = Make({false, true, false});
  EXPECT_EQ(reference.num_haplotypes(), 15);
  EXPECT_THAT(Own(reference, 0), ElementsAre(10, 11));
  EXPECT_THAT(Own(reference, 1), IsEmpty());
  EXPECT_THAT(Own(reference, 2), ElementsAre(12));
  EXPECT_THAT(Own(reference, 3), ElementsAre(13, 14));
  EXPECT_TRUE(IsSame(reference, 12, 4));
  EXPECT_TRUE(IsSame(reference, 14, 6));
  EXPECT_FALSE(reference.imputed().Has(3));
}

TEST_F(PhasingReferenceTest, APanelAloneHasNoSamples) {
  const TypedPanel typed(panel_, Markers(), GeneticMap::Uniform());
  const PhasingReference reference(typed);
  EXPECT_EQ(reference.num_haplotypes(), 2 * kPanelSamples);
  EXPECT_THAT(Own(reference, 0), IsEmpty());
}

}  // namespace
}  // namespace haplospin
