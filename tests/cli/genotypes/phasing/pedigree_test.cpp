// Families: haplospin phase and impute --pedigree, as a user runs them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cli/genotypes/phasing/phase_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

// S0 and S1 are the parents of S2.
class PedigreeCommandTest : public PhaseFiles {
 protected:
  PedigreeCommandTest() {
    // As they come out: what is transmitted is first, and of the child what is from the father.
    for (std::vector<std::string>& record : family_) {
      const char paternal = record[0][0], maternal = record[1][2];
      record[1] = Exchanged(record[1]);
      record[2] = {paternal, '|', maternal};
    }
  }

  static Genotypes AllSorted(Genotypes genotypes) {
    for (auto& record : genotypes) {
      for (std::string& genotype : record) genotype = Sorted(genotype);
    }
    return genotypes;
  }

  // Whether the family's genotypes at a marker determine all of its haplotypes.
  static bool IsDecided(const std::vector<std::string>& record) {
    return std::ranges::find_if_not(record, IsHeterozygous) != record.end();
  }

  size_t ExpectTransmitted(const Genotypes& found) const {
    size_t undecided_errors = 0, decided = 0;
    for (size_t r = 0; r < family_.size(); ++r) {
      if (IsDecided(family_[r])) {
        EXPECT_EQ(found[r], family_[r]) << r;
        decided += std::ranges::count_if(family_[r], IsHeterozygous);
      } else {
        undecided_errors += found[r] != family_[r];
      }
    }
    EXPECT_GT(decided, 10u);
    return undecided_errors;
  }

  Genotypes family_ = Truth();
  const std::string pedigree_ = Write("trio.fam", "F S2 S0 S1 1 -9\nF S0 0 0 1 -9\nF S1 0 0 2 -9\n");
};

TEST_F(PedigreeCommandTest, ATrioIsPhasedByTransmission) {
  const std::string study = WriteStudy(AllSorted(family_));
  const Phased phased = Phase(study, {"--pedigree", pedigree_});
  EXPECT_THAT(phased.messages, HasSubstr("trio.fam: 1 trio and 0 duos of the study"));
  EXPECT_LE(ExpectTransmitted(phased.genotypes), 3u);
  ExpectTransmitted(Phase(study, {"--pedigree", pedigree_, "--window", "0.3", "--overlap", "0.1"}).genotypes);
  ExpectTransmitted(Phase(study, {"--pedigree", pedigree_, "--rephase"}).genotypes);
  const VcfLines imputed(ImputedText({"--target", study, "--pedigree", pedigree_}));
  for (size_t r = 0; r < typed_.size(); ++r) {
    const auto& record = imputed.At(std::to_string(mosaic_.markers[typed_[r]].position));
    for (size_t s = 0; s < 3; ++s) EXPECT_EQ(Field(record, s, "GT"), phased.genotypes[r][s]);
  }
}

TEST_F(PedigreeCommandTest, ADuoIsPhasedByTransmission) {
  const std::string study = WriteStudy(AllSorted(family_));
  const Phased phased = Phase(study, {"--pedigree", Write("duo.fam", "F S2 0 S1 1 -9\nF gone 0 0 1 -9\n")});
  EXPECT_THAT(phased.messages, HasSubstr("duo.fam: 0 trios and 1 duo of the study"));
  EXPECT_THAT(phased.messages, HasSubstr("duo.fam: 1 of its people are not in the study: gone"));
  for (size_t r = 0; r < family_.size(); ++r) {
    if (IsHeterozygous(family_[r][1]) && IsHeterozygous(family_[r][2])) continue;
    EXPECT_EQ(phased.genotypes[r][1], family_[r][1]);
    EXPECT_EQ(phased.genotypes[r][2], family_[r][2]);
  }
}

TEST_F(PedigreeCommandTest, APhasedStudyGetsTheOrderOfTransmission) {
  Genotypes given = family_;
  for (auto& record : given) {
    for (std::string& genotype : record) genotype = Exchanged(genotype);
  }
  // What is not decided follows what is, except before the first of these.
  const Genotypes found = Phase(WriteStudy(given), {"--pedigree", pedigree_}).genotypes;
  EXPECT_LE(ExpectTransmitted(found), 1u);
  EXPECT_EQ(Phase(WriteStudy(given)).genotypes, given);
}

TEST_F(PedigreeCommandTest, MendelianErrorsAreSaid) {
  Genotypes given = AllSorted(family_);
  given[4] = {"0/0", "0/1", "1/1"};
  given[9] = {"1/1", "1/1", "0/1"};
  const Phased phased = Phase(WriteStudy(given), {"--pedigree", pedigree_});
  EXPECT_THAT(phased.messages,
              HasSubstr("given.vcf: 2 Mendelian errors, the first of S2 at 20:" +
                        std::to_string(mosaic_.markers[typed_[4]].position) +
                        "; the genotypes of the child and its parents were set missing there, and imputed"));
  for (const size_t r : {4, 9}) {
    for (const std::string& genotype : phased.genotypes[r]) {
      EXPECT_THAT(genotype, testing::MatchesRegex("[01]\\|[01]"));
    }
  }
  EXPECT_THAT(Phase(WriteStudy(AllSorted(family_)), {"--pedigree", pedigree_}).messages,
              testing::Not(HasSubstr("Mendelian")));
}

// What is missing agrees with parents and child, also where that is not the panel's most probable genotype.
TEST_F(PedigreeCommandTest, MissingGenotypesKeepMendelsLaws) {
  Genotypes given = AllSorted(family_);
  for (size_t r = 0; r < given.size(); ++r) given[r][r % 3] = "./.";
  given[4] = {"1/1", "./.", "0/1"};
  given[7] = {"0/0", "0/0", "./."};
  given[8] = {"1/1", "1/1", "./."};
  const std::string study = WriteStudy(given);
  const Genotypes phased = Phase(study, {"--pedigree", pedigree_}).genotypes;
  for (size_t r = 0; r < given.size(); ++r) {
    EXPECT_NE(phased[r][0].find(phased[r][2][0]), std::string::npos) << r << ": the first allele is the father's";
    EXPECT_NE(phased[r][1].find(phased[r][2][2]), std::string::npos) << r << ": the second allele is the mother's";
  }
  EXPECT_NE(phased[4][1].find('0'), std::string::npos);
  EXPECT_EQ(phased[7][2], "0|0");
  EXPECT_EQ(phased[8][2], "1|1");
}

TEST_F(PedigreeCommandTest, WithPhaseSets) {
  // The child's sets of four are given in either orientation; each has what is decided.
  Genotypes given = AllSorted(family_);
  for (size_t r = 0; r < given.size(); ++r) {
    const size_t set = r / 8;
    given[r][0] += ":.";
    given[r][1] += ":.";
    given[r][2] = (set % 2 == 0 ? family_[r][2] : Exchanged(family_[r][2])) + ":" + std::to_string(set);
  }
  const Phased phased = Phase(WriteStudy(given, "GT:PS"), {"--pedigree", pedigree_});
  ExpectTransmitted(phased.genotypes);
  EXPECT_THAT(phased.messages, testing::Not(HasSubstr("phase sets")));
}

// S0 has the first haplotypes of R0 and R1, S1 those of R5 and R6.
class PanelParentsCommandTest : public PhaseFiles {
 protected:
  // Typed at every `step`-th marker of the panel.
  std::string WriteChildren(size_t step) const {
    VcfText vcf({"S0", "S1"}, {"20"});
    for (size_t m = 0; m < mosaic_.markers.size(); m += step) {
      const Marker& marker = mosaic_.markers[m];
      const auto genotype = [&](size_t a, size_t b) {
        return fmt::format("{}/{}", std::min(Allele(a, m), Allele(b, m)), std::max(Allele(a, m), Allele(b, m)));
      };
      vcf.Add("20", marker.position, marker.ref, marker.alt, genotype(0, 2) + " " + genotype(10, 12));
    }
    return Write("children.vcf", vcf.text());
  }

  int Allele(size_t haplotype, size_t m) const { return mosaic_.alleles[haplotype][m]; }
};

TEST_F(PanelParentsCommandTest, TheirHaplotypesAreInherited) {
  const std::string pedigree = Write("herd.txt", "S0 R0 R1\nS1 gone R6\nR1 away 0\ngone R7 R8\n");
  const ProgramResult result = Impute({"--target", WriteChildren(4), "--pedigree", pedigree});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("herd.txt: 0 trios and 0 duos of the study"));
  EXPECT_THAT(result.err,
              HasSubstr("herd.txt: 5 samples of the panel are parents or grandparents of 2 samples of the study"));
  const VcfLines imputed(ReadFile(imputed_path_));
  size_t wrong = 0;
  for (size_t m = 0; m < mosaic_.markers.size(); ++m) {
    const auto& record = imputed.At(std::to_string(mosaic_.markers[m].position));
    wrong += Field(record, 0, "GT") != fmt::format("{}|{}", Allele(0, m), Allele(2, m)) ? 1 : 0;
  }
  EXPECT_LE(wrong, 2u);
}

TEST_F(PanelParentsCommandTest, OthersAreNoParents) {
  const std::string study = WriteChildren(1), pedigree = Write("herd.txt", "S0 R0 R1\nS1 R2 R3\n");
  ExpectUserError({"--target", study, "--pedigree", pedigree},
                  {"herd.txt: S1 is not the child of R2 and R3: their genotypes break Mendel's laws at "});
}

TEST_F(PedigreeCommandTest, InvalidPedigrees) {
  const std::string study = WriteStudy(AllSorted(family_));
  ExpectPhaseError(study, {"--pedigree", Write("others.fam", "F A B C 0 0\n")},
                   "others.fam: none of its people is a sample of the study");
  ExpectPhaseError(study, {"--pedigree", Write("short.fam", "F S2\n")},
                   "short.fam: line 1: expected the columns family, sample, father, mother");
  ExpectPhaseError(study, {"--pedigree", in_ / "none.fam"}, "none.fam: cannot open");
  // People without families are only said to have none.
  const Phased phased = Phase(study, {"--pedigree", Write("alone.fam", "F S0 0 0 0 0\nF S1 0 0 0 0\n")});
  EXPECT_THAT(phased.messages, HasSubstr("alone.fam: 0 trios and 0 duos of the study"));
}

}  // namespace
}  // namespace haplospin
