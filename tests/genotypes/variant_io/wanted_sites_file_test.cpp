#include "genotypes/variant_io/reading/wanted_sites_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class WantedSitesFileTest : public testing::Test {
 protected:
  // A line for each site.
  std::string Load(const std::string& name, const std::string& text) const {
    WriteFile(folder_ / name, text);
    std::string sites;
    for (const WantedSite& site : LoadWantedSites(folder_ / name)) {
      sites += fmt::format("{} {} {}-{} {} {} {}\n", site.id, site.contig, site.span.first, site.span.last, site.allele,
                           site.other, site.weight.value_or(-1));
    }
    return sites;
  }

  std::string ErrorFor(const std::string& name, const std::string& text) const {
    return ErrorOf([&] { Load(name, text); });
  }

  const TemporaryFolder folder_;
};

// Each ALT has its own length.
TEST_F(WantedSitesFileTest, LengthsOfSymbolicAlleles) {
  WriteFile(folder_ / "a.vcf",
            "##fileformat=VCFv4.2\n##contig=<ID=1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
            "1\t10\t.\tA\t<DEL>,<DUP>\t.\t.\tSVLEN=-20,30;END=40\n1\t50\t.\tA\t<DEL>\t.\t.\t.\n");
  const std::vector<WantedSite> sites = LoadWantedSites(folder_ / "a.vcf");
  ASSERT_EQ(sites.size(), 3);
  EXPECT_EQ(sites[0].info, "SVLEN=-20;END=40");
  EXPECT_EQ(sites[1].info, "SVLEN=30;END=40");
  EXPECT_FALSE(sites[1].IsOfAnyLength());
  EXPECT_TRUE(sites[2].IsOfAnyLength());
}

TEST_F(WantedSitesFileTest, ScoringFiles) {
  const std::string comments = "###PGS CATALOG SCORING FILE\n#pgs_id=PGS1\n";
  EXPECT_EQ(Load("a.txt", comments + "rsID\tchr_name\tchr_position\teffect_allele\tother_allele\teffect_weight\n"
                                     "rs1\t1\t100\tA\tG\t0.5\nrs2\t\t\tC\tT\t-1e-3\n"),
            "rs1 1 100-100 A G 0.5\nrs2  0-0 C T -0.001\n");
  // A position of the other build is not taken in place of one that is missing.
  EXPECT_EQ(
      Load("b.txt", comments + "chr_name\tchr_position\teffect_allele\teffect_weight\thm_rsID\thm_chr\thm_pos\t"
                               "hm_inferOtherAllele\n"
                               "1\t90\tA\t0.5\trs1\t1\t100\tG\n1\t95\tA\t0.25\t\t\t\t\n1\t97\tA\t0.25\t\t1\t99\tC/G\n"),
      "rs1 1 100-100 A G 0.5\n.  0-0 A  0.25\n. 1 99-99 A  0.25\n");
  EXPECT_THAT(ErrorFor("c.txt", "chr_name\tchr_position\teffect_allele\n1\t5\tA\n"),
              HasSubstr("no column effect_weight"));
  EXPECT_THAT(ErrorFor("c.txt", "chr_name\tchr_position\teffect_allele\teffect_weight\n1\t5\tA\tx\n"),
              HasSubstr("c.txt: line 2: \"x\" is not a weight"));
  EXPECT_THAT(ErrorFor("c.txt", "chr_name\tchr_position\teffect_allele\teffect_weight\n1\tx\tA\t1\n"),
              HasSubstr("line 2"));
  EXPECT_THAT(ErrorFor("c.txt", "chr_name\tchr_position\teffect_allele\teffect_weight\n"), HasSubstr("has no sites"));
  for (const std::string text :
       {"SNP A1 BETA\nrs1 A 0.5\n", "SNP\tA1\tOR\n", "chr_name,chr_position,effect_allele\n"}) {
    EXPECT_THAT(ErrorFor("c.txt", text), HasSubstr("c.txt: a score, but not as the PGS Catalog has it; name its"));
  }
}

// Dosages of alleles are all that is summed.
TEST_F(WantedSitesFileTest, OtherModelsAreWarnedOf) {
  testing::internal::CaptureStderr();
  Load("a.txt",
       "chr_name\tchr_position\teffect_allele\teffect_weight\tis_dominant\n1\t5\tA\t1\tTrue\n1\t6\tA\t1\tFalse\n");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("a.txt: 1 weight of dominant or recessive alleles"));
  const std::string place = "chr_name\tchr_position\teffect_allele\t",
                    copies = "dosage_0_weight\tdosage_1_weight\tdosage_2_weight\n";
  testing::internal::CaptureStderr();
  Load("a.txt", place + "effect_weight\t" + copies + "1\t5\tA\t1\t0\t0\t1\n1\t6\tA\t1\t\t\t\n");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("a.txt: 1 weight of dominant or recessive alleles, of"));
  EXPECT_THAT(ErrorFor("a.txt", place + copies + "1\t5\tA\t0\t0\t1\n"),
              HasSubstr("a.txt: has weights of no, one and two copies of the allele in place of effect_weight"));
}

TEST_F(WantedSitesFileTest, VariantsAndLists) {
  const std::string head = "##fileformat=VCFv4.2\n##contig=<ID=1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n";
  EXPECT_EQ(Load("a.vcf", head + "1\t100\trs1\tA\tG,T\t.\t.\t.\n1\t200\t.\tA\t.\t.\t.\t.\n"),
            "rs1 1 100-100 G A -1\nrs1 1 100-100 T A -1\n. 1 200-200   -1\n");
  EXPECT_EQ(Load("a.bed", "chr1\t99\t110\n"), ". chr1 100-110   -1\n");
  EXPECT_EQ(Load("a.txt", "rs1\n1 100\n"), "rs1  0-0   -1\n. 1 100-100   -1\n");
  EXPECT_THAT(ErrorFor("a.vcf", head), HasSubstr("has no sites"));
  EXPECT_THAT(ErrorOf([] { LoadWantedSites("/dev/null"); }), HasSubstr("cannot be standard input or a pipe"));
}

}  // namespace
}  // namespace haplospin
