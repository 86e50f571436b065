#include "genotypes/variant_io/reading/pseudo_haploid.h"

#include <gmock/gmock.h>
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
    return FindPseudoHaploids(study, {}, PloidyRegions::ForBuild("GRCh38"), of.empty() ? panel : of, {}).is_whole_study;
  };
  EXPECT_TRUE(is_pseudo_haploid(Write("a.vcf", "20", "1/1")));
  EXPECT_TRUE(is_pseudo_haploid(Write("b.vcf", "20", "./.")));
  EXPECT_FALSE(is_pseudo_haploid(Write("c.vcf", "20", "0/1")));
  EXPECT_FALSE(is_pseudo_haploid(Write("d.vcf", "20", "1/1"), lines));       // nobody in the panel either
  EXPECT_FALSE(is_pseudo_haploid(Write("e.vcf", "X", "1/1")));               // perhaps men
  EXPECT_FALSE(is_pseudo_haploid(Write("f.vcf", "20", "1/1", 100), panel));  // too few
}

// Ten people, of whom the first `without` have no heterozygote.
std::string Mixed(const std::string& path, size_t without, int markers, int64_t distance) {
  VcfText vcf(SampleNames(10), {"20"});
  for (int m = 0; m < markers; ++m) {
    std::string genotypes;
    for (size_t s = 0; s < 10; ++s) {
      const bool is_first = (static_cast<size_t>(m) + s) % 2 == 0;
      genotypes += (s == 0 ? "" : " ") + std::string(s < without ? is_first ? "0/0" : "1/1" : is_first ? "0/1" : "0/0");
    }
    vcf.Add("20", distance * (m + 1), "A", "C", genotypes);
  }
  WriteVariants(path, vcf, FileForm::kVcf);
  return path;
}

TEST_F(PseudoHaploidTest, SomeOfTheSamples) {
  const std::string panel = Write("panel.vcf", "20", "0|1"), lines = Write("lines.vcf", "20", "1|1");
  const auto samples = [&](size_t without, int markers, int64_t distance, const std::string& of) {
    const PseudoHaploids found =
        FindPseudoHaploids(Mixed(folder_ / "mixed.vcf", without, markers, distance), {}, {}, of, {});
    EXPECT_FALSE(found.is_whole_study);
    return found.samples;
  };
  using testing::ElementsAre;
  using testing::IsEmpty;
  EXPECT_THAT(samples(2, 300, 100, panel), ElementsAre(SampleName(0), SampleName(1)));
  EXPECT_THAT(samples(1, 300, 100'000, panel), ElementsAre(SampleName(0)));
  EXPECT_THAT(samples(0, 300, 100, panel), IsEmpty());
  EXPECT_THAT(samples(2, 50, 100, panel), IsEmpty()) << "by chance";
  EXPECT_THAT(samples(2, 300, 100, lines), IsEmpty()) << "inbred, as the panel";
}

// A child of relatives has no heterozygotes over a stretch of a contig.
TEST_F(PseudoHaploidTest, OneOfManyWithoutHeterozygotesOverAShortStretch) {
  const std::string panel = Write("panel.vcf", "20", "0|1");
  for (const int64_t distance : {1000, 100'000}) {
    VcfText vcf(SampleNames(30), {"20"});
    for (int m = 0; m < 300; ++m) {
      std::string genotypes = m % 2 == 0 ? "0/0" : "1/1";
      for (int s = 1; s < 30; ++s) genotypes += (s + m) % 2 == 0 ? " 0/1" : " 1/1";
      vcf.Add("20", distance * (m + 1), "A", "C", genotypes);
    }
    WriteVariants(folder_ / "one.vcf", vcf, FileForm::kVcf);
    EXPECT_EQ(FindPseudoHaploids(folder_ / "one.vcf", {}, {}, panel, {}).samples.size(), distance == 1000 ? 0u : 1u);
  }
}

}  // namespace
}  // namespace haplospin
