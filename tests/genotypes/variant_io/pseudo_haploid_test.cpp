#include "genotypes/variant_io/reading/pseudo_haploid.h"

#include <gtest/gtest.h>

#include <string>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

class PseudoHaploidTest : public testing::Test {
 protected:
  // Markers of three samples in turn: two homozygotes and `third`, which is a genotype of REF and ALT or not.
  std::string Write(const std::string& name, const std::string& contig, const std::string& third,
                    int markers = 1200) const {
    VcfText vcf;
    for (int m = 0; m < markers; ++m) {
      vcf.Add(contig, 100 * (m + 1), "A", "C", m % 2 == 0 ? "0|0 1|1 " + third : "1|1 0|0 " + third);
    }
    WriteVariants(folder_ / name, vcf, FileForm::kVcf);
    return folder_ / name;
  }

  TemporaryFolder folder_;
};

TEST_F(PseudoHaploidTest, NoHeterozygoteWhereThePanelHasSome) {
  const std::string panel = Write("panel.vcf", "20", "0|1"), lines = Write("lines.vcf", "20", "1|1");
  const auto is_pseudo_haploid = [&](const std::string& study, const std::string& of = "") {
    return IsPseudoHaploid(study, {}, PloidyRegions::ForBuild("GRCh38"), of.empty() ? panel : of, {});
  };
  EXPECT_TRUE(is_pseudo_haploid(Write("a.vcf", "20", "1/1")));
  EXPECT_TRUE(is_pseudo_haploid(Write("b.vcf", "20", "./.")));
  EXPECT_FALSE(is_pseudo_haploid(Write("c.vcf", "20", "0/1")));
  EXPECT_FALSE(is_pseudo_haploid(Write("d.vcf", "20", "1/1"), lines));       // nobody in the panel either
  EXPECT_FALSE(is_pseudo_haploid(Write("e.vcf", "X", "1/1")));               // perhaps men
  EXPECT_FALSE(is_pseudo_haploid(Write("f.vcf", "20", "1/1", 100), panel));  // too few
}

}  // namespace
}  // namespace haplospin
