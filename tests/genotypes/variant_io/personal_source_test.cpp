#include "genotypes/variant_io/reading/personal_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class PersonalSourceTest : public testing::Test {
 protected:
  PersonalSourceTest() {
    VcfText panel({"P"}, {"1", "X", "MT"});
    panel.Add("1", 100, "A", "G", "0|1").Add("1", 200, "C", "CAT", "0|1").Add("1", 300, "CAT", "C", "0|1");
    panel.Add("1", 400, "A", "T", "0|1").Add("1", 500, "A", "C", "0|1").Add("1", 500, "A", "G", "0|0");
    panel.Add("1", 600, "CA", "C", "0|1").Add("1", 600, "C", "CA", "0|1");
    for (int64_t i = 0; i < kMore; ++i) panel.Add("1", 1000 + 10 * i, "A", "C", "0|1");
    panel.Add("X", 50, "A", "C", "0|1").Add("MT", 70, "A", "G", "1").Add("MT", 80, "A", "G", "1");
    WriteFile(folder_ / "panel.vcf", panel.text());
  }

  // Has a deletion whose record begins before those of two SNVs, and the deletion after them.
  void WritePaddedPanel() const {
    VcfText panel({"P"}, {"1"});
    panel.Add("1", 100, "ACGTAA", "ACGTA", "0|1").Add("1", 101, "C", "T", "0|1").Add("1", 102, "G", "A", "0|1");
    WriteFile(folder_ / "panel.vcf", panel.text());
  }

  // A line for each record: contig, position, alleles and genotypes.
  std::string Records(const std::vector<std::string>& texts) const {
    auto study = std::make_shared<PersonalStudy>();
    for (size_t p = 0; p < texts.size(); ++p) {
      WriteFile(folder_ / "p.txt", texts[p]);
      study->people.push_back(ReadPersonalFile(folder_ / "p.txt", fmt::format("p{}", p)));
    }
    const auto source = PersonalRecords("p.txt", study, folder_ / "panel.vcf")({});
    std::string text;
    while (const size_t count = source->Read()) {
      for (size_t i = 0; i < count; ++i) {
        source->Parse(i, {});
        const ParsedRecord& record = source->record(i);
        EXPECT_EQ(record.error, "");
        if (record.position >= 1000) continue;
        text += fmt::format("{}:{} {} {}", record.contig, record.position, record.ref, fmt::join(record.alts, ","));
        for (size_t s = 0; s < texts.size(); ++s) text += ' ' + GenotypeText(record.calls, s, '/');
        text += '\n';
      }
    }
    return text;
  }

  std::string ErrorFor(const std::string& text) const {
    return ErrorOf([&] { Records({text}); });
  }

  // Genotypes that tell the strand: A and C where it is the panel's, else T and G.
  static std::string More(const std::string& even, const std::string& odd, int64_t shift = 0) {
    std::string text;
    for (int64_t i = 0; i < kMore; ++i) {
      text += fmt::format("rs{} 1 {} {}\n", i, 1000 + 10 * i + shift, i % 2 == 0 ? even : odd);
    }
    return text;
  }
  static std::string More(const std::string& all) { return More(all, all); }

  static constexpr int64_t kMore = 40;
  const TemporaryFolder folder_;
};

TEST_F(PersonalSourceTest, LettersAndCodesAreThePanelsAlleles) {
  EXPECT_EQ(
      Records({"rs1 1 100 AG\nrs2 1 200 ID\nrs3 1 300 DD\nrs4 1 400 TT\nrs5 1 500 AG\nrs6 1 150 AC\nrs7 X 50 C\n" +
               More("AC")}),
      "1:100 A G 0/1\n1:200 C CAT 0/1\n1:300 CAT C 1/1\n1:400 A T 1/1\n1:500 A C,G 0/2\nX:50 A C 1\n");
}

// AncestryDNA has the allele of the mitochondrion twice.
TEST_F(PersonalSourceTest, MitochondriaHaveOneAllele) {
  EXPECT_EQ(Records({"rs1 26 70 GG\nrs2 26 80 AG\n" + More("AC")}), "MT:70 A G 1\n");
}

// A panel of few sites is not one of another build: chance gives alleles of either strand.
TEST_F(PersonalSourceTest, FewSitesOfThePanelAreEnough) {
  std::string between;
  for (int64_t i = 0; i < kMore - 1; ++i) {
    for (int64_t k = 1; k < 10; ++k) between += fmt::format("rs{} 1 {} AC\n", i, 1000 + 10 * i + k);
  }
  EXPECT_EQ(Records({"rs1 1 100 AG\n" + between + More("AC")}), "1:100 A G 0/1\n");
}

TEST_F(PersonalSourceTest, DeletionsMayBeAtTheirFirstBase) {
  EXPECT_EQ(Records({"rs2 1 201 ID\nrs3 1 301 ID\n" + More("AC")}), "1:300 CAT C 0/1\n");
}

TEST_F(PersonalSourceTest, SitesMayBeWithinTheRecordOfAnIndel) {
  WritePaddedPanel();
  EXPECT_EQ(Records({"rs1 1 101 CT\nrs2 1 102 AA\nrs3 1 104 ID\n"}),
            "1:100 ACGTAA ACGTA 0/1\n1:101 C T 0/1\n1:102 G A 1/1\n");
}

// A code may be of a deletion that begins there, or of an indel after it.
TEST_F(PersonalSourceTest, CodesThatTwoIndelsMayHaveAreLeftOut) {
  VcfText panel({"P"}, {"1"});
  panel.Add("1", 100, "CA", "C", "0|1").Add("1", 101, "A", "AT", "0|1").Add("1", 200, "CA", "C", "0|1");
  WriteFile(folder_ / "panel.vcf", panel.text());
  EXPECT_EQ(Records({"i1 1 101 ID\ni2 1 201 ID\n"}), "1:200 CA C 0/1\n");
  EXPECT_EQ(Records({"i1 1 100 ID\n"}), "1:100 CA C 0/1\n");
}

TEST_F(PersonalSourceTest, LettersAreFlippedToThePanelsStrand) {
  EXPECT_EQ(Records({"rs1 1 100 TC\nrs4 1 400 TT\n" + More("AC")}), "1:100 A G 0/1\n1:400 A T 1/1\n");
  EXPECT_EQ(Records({"rs1 1 100 TT\nrs4 1 400 TT\n" + More("GT")}), "1:100 A G 0/0\n1:400 A T 0/0\n");
  // Half on either strand: that of A/T is not known.
  EXPECT_EQ(Records({"rs1 1 100 AG\nrs4 1 400 TT\n" + More("AC", "GT")}), "1:100 A G 0/1\n");
}

TEST_F(PersonalSourceTest, GenotypesThatAreNotThePanelsAreLeftOut) {
  EXPECT_EQ(Records({"rs1 1 100 AC\nrs2 1 200 AC\nrs3 1 100 II\nrs4 1 600 ID\nrs5 1 601 ID\n" + More("AC")}), "");
}

TEST_F(PersonalSourceTest, PeopleAreSamples) {
  EXPECT_EQ(Records({"rs1 1 100 AG\n" + More("AA"), "rs4 1 400 AT\nrs1 1 100 GG\n" + More("CC")}),
            "1:100 A G 0/1 1/1\n1:400 A T ./. 0/1\n");
  EXPECT_THAT(ErrorOf([&] {
                auto study = std::make_shared<PersonalStudy>();
                WriteFile(folder_ / "p.txt", "rs1 1 100 AG\n");
                study->people.assign(2, ReadPersonalFile(folder_ / "p.txt", ""));
                PersonalRecords("p", study, folder_ / "panel.vcf")({});
              }),
              HasSubstr("--target-list"));
}

TEST_F(PersonalSourceTest, GenotypesOutsideThePanelAreSaid) {
  EXPECT_THAT(ErrorFor("rs1 1 5 AA\nrs2 2 100 AG\n"),
              HasSubstr("p.txt: none of its 2 genotypes, on 1, 2, lies between the first and last site of a contig of "
                        "the panel "));
}

TEST_F(PersonalSourceTest, AnotherGenomeBuildIsFound) {
  EXPECT_THAT(
      ErrorFor("rs3094315 1 742429 AG\n" + More("AC", "AC", 3)),
      testing::AllOf(HasSubstr("only 0 of 39 genotypes are at SNVs of the panel"), HasSubstr("they are of GRCh36, ")));
  EXPECT_THAT(ErrorFor(More("AG")), HasSubstr("40 of 40 genotypes have other alleles than the panel"));
}

}  // namespace
}  // namespace haplospin
