// Studies that leave little or nothing to phase, and those that should not be as they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/genotypes/phasing/phase_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class UnusualStudiesTest : public PhaseFiles {
 protected:
  // Every marker with the same genotypes, but marker 3 with `other`.
  Genotypes Same(const std::vector<std::string>& genotypes, const std::vector<std::string>& other) const {
    Genotypes all(typed_.size(), genotypes);
    all[3] = other;
    return all;
  }
};

TEST_F(UnusualStudiesTest, NoHeterozygote) {
  const std::string study = WriteStudy(Same({"0/0", "1/1", "0/0"}, {"1/1", "0/0", "1/1"}));
  const Genotypes expected = Same({"0|0", "1|1", "0|0"}, {"1|1", "0|0", "1|1"});
  EXPECT_EQ(Phase(study).genotypes, expected);
  EXPECT_EQ(Phase(study, {"--rephase"}).genotypes, expected);
  EXPECT_EQ(VcfLines(ImputedText({"--target", study, "--format", "PPH"})).records.size(), mosaic_.markers.size());
}

TEST_F(UnusualStudiesTest, OneHeterozygoteAndAPersonAllMissing) {
  const std::string study = WriteStudy(Same({"0/0", "1/1", "./."}, {"0/1", "1/1", "./."}));
  const Genotypes phased = Phase(study, {"--window", "0.3", "--overlap", "0.1"}).genotypes;
  EXPECT_EQ(Sorted(phased[3][0]), "0/1");
  for (const auto& record : phased) {
    EXPECT_THAT(record[2], testing::MatchesRegex("[01]\\|[01]"));
    EXPECT_EQ(record[1], "1|1");
  }
  const VcfLines imputed(ImputedText({"--target", study, "--format", "PPH"}));
  for (const auto& record : imputed.records) {
    for (size_t s = 0; s < 3; ++s) EXPECT_THAT(Field(record, s, "GT"), testing::MatchesRegex("[01]\\|[01]"));
  }
}

TEST_F(UnusualStudiesTest, HeterozygousHaploidCalls) {
  Genotypes given = Same({"0", "0/1", "1/1"}, {"0/1", "0/1", "0/1"});
  ExpectPhaseError(WriteStudy(given), {},
                   "sample S0 has two alleles here, but one at position " +
                       std::to_string(mosaic_.markers[typed_[0]].position) + " of the contig");
  ExpectPhaseError(WriteStudy(given), {}, "or, if the sample is haploid here, set its heterozygous calls missing");
  given[3][0] = ".";
  const Genotypes phased = Phase(WriteStudy(given)).genotypes;
  EXPECT_EQ(phased[0][0], "0");
  EXPECT_THAT(phased[3][0], testing::MatchesRegex("[01]"));
}

TEST_F(UnusualStudiesTest, PeopleOfThePanel) {
  std::string text = StudyVcf().text();
  text.replace(text.find("\tS1\t"), 4, "\tR7\t");
  EXPECT_THAT(Phase(Write("shared.vcf", text)).messages,
              HasSubstr("shared.vcf: 1 of 3 study samples are also in the panel (R7)"));
}

}  // namespace
}  // namespace haplospin
