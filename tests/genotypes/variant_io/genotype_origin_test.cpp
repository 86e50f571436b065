#include "genotypes/variant_io/reading/genotype_origin.h"

#include <gtest/gtest.h>

#include <string>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

class GenotypeOriginTest : public testing::Test {
 protected:
  // Markers of three samples in turn: those of `odd` and of `even` markers.
  std::string Write(const std::string& name, const std::string& odd, const std::string& even, int markers = 300) const {
    VcfText vcf;
    for (int m = 0; m < markers; ++m) vcf.Add("20", 100 * (m + 1), "A", "C", m % 2 == 0 ? odd : even);
    WriteVariants(folder_ / name, vcf, FileForm::kVcf);
    return folder_ / name;
  }

  GenotypeOrigin Find(const std::string& odd, const std::string& even, int markers = 300) const {
    return FindStudyOrigin(Write("study.vcf", odd, even, markers), {}, PloidyRegions::ForBuild("GRCh38"));
  }

  TemporaryFolder folder_;
};

TEST_F(GenotypeOriginTest, NoGenotypeOfRefBesideMissingOnes) {
  EXPECT_TRUE(Find("0/1 ./. ./.", "./. 1/1 0/1").lacks_ref);
  EXPECT_FALSE(Find("0/1 ./. 0/0", "./. 1/1 0/1").lacks_ref);
  EXPECT_FALSE(Find("0/1 0/1 1/1", "0/1 1/1 0/1").lacks_ref);      // none is missing, as in a cross
  EXPECT_FALSE(Find("1/1 ./. ./.", "./. 1/1 1/1").lacks_ref);      // inbred lines
  EXPECT_FALSE(Find("0/1 ./. ./.", "./. 1/1 0/1", 20).lacks_ref);  // too few
}

TEST_F(GenotypeOriginTest, OneSampleThatListsWhereItDiffers) {
  VcfText vcf({"one"});
  for (int m = 0; m < 600; ++m) vcf.Add("20", 100 * (m + 1), "A", "C", m % 2 == 0 ? "0/1" : "1/1");
  WriteVariants(folder_ / "one.vcf", vcf, FileForm::kVcf);
  EXPECT_TRUE(FindStudyOrigin(folder_ / "one.vcf", {}, std::nullopt).lacks_ref);
}

TEST_F(GenotypeOriginTest, PhasedInNameAlone) {
  EXPECT_TRUE(Find("0|1 0|0 1|1", "0|0 0|1 0|1").is_sorted);
  EXPECT_TRUE(Find("1|0 0|0 1|1", "0|0 1|0 1|0").is_sorted);
  EXPECT_FALSE(Find("0|1 0|0 1|1", "0|0 0|1 1|0").is_sorted);
  EXPECT_FALSE(Find("0/1 0/0 1/1", "0/0 0/1 0/1").is_sorted);
  EXPECT_FALSE(Find("0|1 0|0 1|1", "0|0 0|1 0|1", 20).is_sorted);
}

// A block of reads whose PS was lost, or a pedigree.
TEST_F(GenotypeOriginTest, PhasedBesideUnphasedWithoutSet) {
  EXPECT_NEAR(Find("0|1 0/1 0|0", "0/1 0/1 0|1").phased_beside_unphased, 0.5, 0.01);  // the first sample
  EXPECT_EQ(Find("0|1 0/1 0|0", "1|0 0/1 0|1").phased_beside_unphased, 0);            // no sample has both
  EXPECT_EQ(Find("0|1 0/1 0|0", "0/1 0/1 0|1", 20).phased_beside_unphased, 0);        // too few
}

TEST_F(GenotypeOriginTest, PhaseSetsTellWhatIsPhasedTogether) {
  VcfText vcf({"one"});
  for (int m = 0; m < 600; ++m) vcf.Add("20", 100 * (m + 1), "A", "C", m % 2 == 0 ? "0|1:100" : "0/1:.", "GT:PS");
  WriteVariants(folder_ / "sets.vcf", vcf, FileForm::kVcf);
  EXPECT_EQ(FindStudyOrigin(folder_ / "sets.vcf", {}, std::nullopt).phased_beside_unphased, 0);
}

TEST_F(GenotypeOriginTest, PanelPhasedInNameAlone) {
  EXPECT_TRUE(FindPanelOrigin(Write("sorted.vcf", "0|1 0|0 1|1", "0|0 0|1 0|1"), {}).is_sorted);
  EXPECT_FALSE(FindPanelOrigin(Write("panel.vcf", "0|1 0|0 1|1", "0|0 0|1 1|0"), {}).is_sorted);
}

}  // namespace
}  // namespace haplospin
