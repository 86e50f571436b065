#include "genotypes/variant_io/hla/hla_proteins_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// As IPD-IMGT/HLA has it: two blocks and one of an allele with a longer protein, positions below marks, an insertion, a
// stop, and an allele of another gene as the first.
constexpr char kAlignment[] =
    "# file: B_prot.txt\n"
    "# version: 0\n"
    "                   \n"
    " Prot              -30           1\n"
    "                   |             |\n"
    " A*01:01:01:01            MA AV..GSHS MR\n"
    " B*01:01:01               -- -C..---- Y-\n"
    " B*02:01                  ** **PP--*- --\n"
    " B*03:01N                 -- --..-X\n"
    "\n"
    " Prot              7\n"
    "                   |\n"
    " A*01:01:01:01     YF WX\n"
    " B*01:01:01        -. --\n"
    " B*02:01           -L --\n"
    " B*03:01N          \n"
    "\n"
    " Prot              11\n"
    "                   |\n"
    " B*02:01           KX\n"
    " B*03:01N          *\n"
    "\n"
    "Please see the terms of use.\n";

class HlaProteinsFileTest : public testing::Test {
 protected:
  HlaProteins Load(const std::string& text, FileForm form = FileForm::kVcf) {
    return LoadHlaProteins(std::vector{Write("proteins.txt", text, form)});
  }
  std::string Write(const std::string& name, const std::string& text, FileForm form = FileForm::kVcf) {
    WriteText(folder_ / name, text, form);
    return folder_ / name;
  }
  std::string Error(const std::string& text) {
    return ErrorOf([&] { Load(text); });
  }

  TemporaryFolder folder_;
};

// The alignment with one of its parts replaced.
std::string Changed(const std::string& part, const std::string& by) {
  std::string text = kAlignment;
  const size_t begin = text.find(part);
  EXPECT_NE(begin, std::string::npos) << part;
  return text.replace(begin, part.size(), by);
}

std::vector<std::string> Names(const HlaAlignment& alignment) {
  std::vector<std::string> names;
  for (const HlaAllele& allele : alignment.alleles) names.push_back(allele.Name());
  return names;
}

TEST_F(HlaProteinsFileTest, AlignmentOfImgt) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kGzip}) {
    const HlaProteins proteins = Load(kAlignment, form);
    ASSERT_EQ(proteins.size(), 2u);
    EXPECT_THAT(Names(proteins.at("A")), ElementsAre("A*01:01:01:01"));
    EXPECT_THAT(proteins.at("A").sequences, ElementsAre("MAAV..GSHSMRYFWX.."));
    const HlaAlignment& b = proteins.at("B");
    EXPECT_THAT(Names(b), ElementsAre("B*01:01:01", "B*02:01", "B*03:01N"));
    EXPECT_THAT(b.sequences, ElementsAre("MAAC..GSHSYRY.WX..", "****PPGS*SMRYLWXKX", "MAAV..GX........*."));
    EXPECT_THAT(b.positions, ElementsAre("-4", "-3", "-2", "-1", "-1.1", "-1.2", "1", "2", "3", "4", "5", "6", "7", "8",
                                         "9", "10", "11", "12"));
  }
}

TEST_F(HlaProteinsFileTest, PositionsBeginWithOneWhereNothingIsBefore) {
  const HlaProteins proteins = Load(" Prot   1\n         |\n A*01:01 GS\n A*01:02 -T\n");
  EXPECT_THAT(proteins.at("A").positions, ElementsAre("1", "2"));
  EXPECT_THAT(proteins.at("A").sequences, ElementsAre("GS", "GT"));
}

// Beyond the end of the first allele, the longest protein makes the columns.
TEST_F(HlaProteinsFileTest, ProteinsMayEndAfterTheFirst) {
  const HlaProteins proteins = Load(
      " Prot   1\n         |\n A*01:01 GS\n A*01:02 -T\n A*01:03 --\n\n Prot 3\n      |\n A*01:03 K\n A*01:02 PSX\n");
  EXPECT_THAT(proteins.at("A").positions, ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_THAT(proteins.at("A").sequences, ElementsAre("GS...", "GTPSX", "GSK.."));
}

TEST_F(HlaProteinsFileTest, TableOfProteins) {
  const HlaProteins proteins =
      Load("# A comment.\nallele\tprotein\nA*01:01\tGS.H\nHLA-A*01:02\tGxTX\nallele -2\nDRB1*01:01 AVG*\n");
  const HlaAlignment& a = proteins.at("A");
  EXPECT_THAT(Names(a), ElementsAre("A*01:01", "A*01:02"));
  EXPECT_THAT(a.positions, ElementsAre("1", "2", "2.1", "3"));
  EXPECT_THAT(a.sequences, ElementsAre("GS.H", "G*TX"));
  EXPECT_THAT(proteins.at("DRB1").positions, ElementsAre("-2", "-1", "1", "2"));
}

TEST_F(HlaProteinsFileTest, AGeneIsThatOfTheFileWithMostOfItsAlleles) {
  const std::vector<std::string> paths{Write("B_prot.txt", kAlignment), Write("A.tsv", "A*01:01 GS\nA*02:01 GT\n")};
  EXPECT_THAT(Names(LoadHlaProteins(paths).at("A")), ElementsAre("A*01:01", "A*02:01"));
  const std::vector<std::string> exchanged{paths[1], paths[0]};
  EXPECT_THAT(Names(LoadHlaProteins(exchanged).at("A")), ElementsAre("A*01:01", "A*02:01"));
}

TEST_F(HlaProteinsFileTest, WrongTablesAreNamed) {
  EXPECT_THAT(Error(""), AllOf(HasSubstr("proteins.txt: has no alleles; expected an allele"), HasSubstr("A_prot.txt")));
  EXPECT_THAT(Error("A*01:01 GSHS x\n"), HasSubstr("line 1: expected an allele and its protein"));
  EXPECT_THAT(Error("A*01:01 GSHS\nhello GSHS\n"), HasSubstr("line 2: \"hello\" is not an allele"));
  EXPECT_THAT(Error("A*01:01 GS-S\n"), HasSubstr("line 1: \"-\" is no amino acid"));
  EXPECT_THAT(Error("A*01:01 GSHS\nA*01:02 GSH\n"), HasSubstr("line 2: has 3 letters, but A*01:01 has 4; align"));
  EXPECT_THAT(Error("allele 0\nA*01:01 GSHS\n"), HasSubstr("line 1: 0 is not a position of a protein"));
  EXPECT_THAT(Error(" cDNA   -72\n |\n A*01:01 ATG GCC\n"), HasSubstr("line 1: this is an alignment of nucleotides"));
  EXPECT_THAT(ErrorOf([&] { LoadHlaProteins(std::vector<std::string>{folder_ / "absent"}); }),
              HasSubstr("absent: cannot open"));
}

TEST_F(HlaProteinsFileTest, WrongAlignmentsAreNamed) {
  EXPECT_THAT(Error(Changed("-30           1", "-30            ")), HasSubstr("line 4: does not tell the place of"));
  EXPECT_THAT(Error(Changed("|             |", "|              ")), HasSubstr("line 5: expected a mark"));
  EXPECT_THAT(Error(Changed("|             |", "|            | ")), HasSubstr("line 6: has no amino acid below"));
  EXPECT_THAT(Error(Changed("B*02:01           -L", "B*04:01           -L")),
              HasSubstr("line 15: B*04:01 is not among"));
  EXPECT_THAT(Error(Changed("B*02:01           -L", "B*01:01:01        -L")),
              HasSubstr("line 15: B*01:01:01 is twice"));
  EXPECT_THAT(Error(Changed("-L --", "-LL--")),
              HasSubstr("line 15: has 5 letters, but the first allele of the block 4"));
  EXPECT_THAT(Error(Changed("-L --", "-l --")), HasSubstr("line 15: \"l\" is no amino acid"));
  EXPECT_THAT(Error(Changed("Prot              7", "Prot              9")),
              HasSubstr("line 13: this block begins at position 9, but the one before ends at 6"));
  EXPECT_THAT(Error(Changed("KX", "--")), HasSubstr("line 20: \"-\" is no amino acid"));
  EXPECT_THAT(Error(" Prot 1\n      |\n\n"), HasSubstr("line 3: the block of the alignment before has no columns"));
}

}  // namespace
}  // namespace haplospin
