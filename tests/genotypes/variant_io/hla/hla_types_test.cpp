#include "genotypes/variant_io/hla/hla_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HlaTypesTest : public testing::Test {
 protected:
  HlaTypes Load(const std::string& text, size_t fields = 2, FileForm form = FileForm::kVcf) {
    WriteText(folder_ / "types.tsv", text, form);
    return LoadHlaTypes(folder_ / "types.tsv", samples_, fields, HlaGenesOfBuild("GRCh37"));
  }

  TemporaryFolder folder_;
  const std::vector<std::string> samples_{"x", "y", "z"};
};

// The alleles of a person by name.
std::vector<std::vector<std::string>> TypeOf(const HlaGeneTypes& gene, size_t sample) {
  std::vector<std::vector<std::string>> names(2);
  for (size_t c = 0; c < 2; ++c) {
    for (const uint32_t a : gene.people[sample][c]) names[c].push_back(gene.alleles[a]);
  }
  return names;
}

TEST_F(HlaTypesTest, RowsOfOneGene) {
  const HlaTypes types = Load(
      "sample\tgene\tallele1\tallele2\nx\tA\t01:01\tA*02:01:01G\nz\tHLA-A\t0301\tNA\nother\tA\t01:01\t01:01\n"
      "y\tDRB1\t15:01\t.\n",
      2, FileForm::kGzip);
  ASSERT_EQ(types.genes.size(), 2u);
  EXPECT_EQ(types.people_not_in_panel, 1u);
  const HlaGeneTypes& a = types.genes[0];
  EXPECT_EQ(a.gene, "A");
  EXPECT_THAT(a.alleles, ElementsAre("A*01:01", "A*02:01", "A*03:01"));
  EXPECT_THAT(TypeOf(a, 0), ElementsAre(ElementsAre("A*01:01"), ElementsAre("A*02:01")));
  EXPECT_THAT(TypeOf(a, 1), ElementsAre(IsEmpty(), IsEmpty()));
  EXPECT_THAT(TypeOf(a, 2), ElementsAre(ElementsAre("A*03:01"), IsEmpty()));
  EXPECT_EQ(a.CountTyped(), 2u);
}

TEST_F(HlaTypesTest, RowsOfOnePerson) {
  const HlaTypes types = Load("x A*01:01:01G A*02:01:01G DRB1*07:01:01G DRB1*15:13\ny A*01:02 A*02:01:01G 0 0\n", 3);
  ASSERT_EQ(types.genes.size(), 2u);
  EXPECT_THAT(types.genes[0].alleles, ElementsAre("A*01:01:01G", "A*01:02", "A*02:01:01G"));
  EXPECT_THAT(types.genes[1].alleles, ElementsAre("DRB1*07:01:01G", "DRB1*15:13"));
  EXPECT_THAT(TypeOf(types.genes[1], 1), ElementsAre(IsEmpty(), IsEmpty()));
}

TEST_F(HlaTypesTest, HpedOfSnp2Hla) {
  const HlaTypes types = Load(
      "f x 0 0 1 -9 0101 0201 0702 0801 0701 0702 0 0 0 0 0 0 0201 0602 0301 1501\n"
      "f2 y 0 0 2 -9 A*01:01 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
  std::vector<std::string> genes;
  for (const HlaGeneTypes& gene : types.genes) genes.push_back(gene.gene);
  EXPECT_THAT(genes, ElementsAre("A", "B", "C", "DQB1", "DRB1"));
  EXPECT_THAT(TypeOf(types.genes[1], 0), ElementsAre(ElementsAre("B*07:02"), ElementsAre("B*08:01")));
  EXPECT_THAT(TypeOf(types.genes[0], 1), ElementsAre(ElementsAre("A*01:01"), IsEmpty()));
}

// PLINK writes a sample of a VCF as FAMILY_SAMPLE.
TEST_F(HlaTypesTest, HpedNamesSamplesAsPlinkDoes) {
  WriteText(folder_ / "types.hped", "f x 0 0 1 -9 0101 0201 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", FileForm::kVcf);
  const std::vector<std::string> samples{"f_x"};
  const HlaTypes types = LoadHlaTypes(folder_ / "types.hped", samples, 2, HlaGenesOfBuild("GRCh37"));
  EXPECT_EQ(types.genes.at(0).CountTyped(), 1u);
}

TEST_F(HlaTypesTest, AmbiguousAllelesAndThoseWithFewFieldsMayBeSeveral) {
  const HlaTypes types = Load("x A 01:01/01:02 02\ny A 02:01 02:05\nz A 03 0\n");
  const HlaGeneTypes& a = types.genes[0];
  EXPECT_THAT(a.alleles, ElementsAre("A*01:01", "A*01:02", "A*02:01", "A*02:05", "A*03"));
  EXPECT_THAT(TypeOf(a, 0), ElementsAre(ElementsAre("A*01:01", "A*01:02"), ElementsAre("A*02:01", "A*02:05")));
  EXPECT_THAT(TypeOf(a, 2), ElementsAre(ElementsAre("A*03"), IsEmpty()));
}

TEST_F(HlaTypesTest, GenesWithoutAPlaceAreNamed) {
  const HlaTypes types = Load("x A*01:01 A*01:01 DRB3*01:01 DRB3*01:01\n");
  EXPECT_EQ(types.genes.size(), 1u);
  EXPECT_THAT(types.unplaced, ElementsAre("DRB3"));
  EXPECT_THAT(ErrorOf([&] { Load("x DRB3*01:01 DRB3*01:01\n"); }),
              HasSubstr("has no known type of the panel's samples at a gene whose position is known"));
}

TEST_F(HlaTypesTest, WrongTablesAreNamed) {
  const auto error = [&](const std::string& text) { return ErrorOf([&] { Load(text); }); };
  EXPECT_THAT(error(""), AllOf(HasSubstr("types.tsv: has no rows"), HasSubstr("sample gene allele allele")));
  EXPECT_THAT(error("sample gene allele1 allele2\n"), HasSubstr("has no rows after the header"));
  EXPECT_THAT(error("x A 01:01\n"), HasSubstr("line 1: expected \"sample gene allele allele\""));
  EXPECT_THAT(error("x A 01:01 02:01\ny A 01:01\n"), HasSubstr("line 2: expected four columns"));
  EXPECT_THAT(error("x A 01:01 hello\n"), HasSubstr("line 1: \"hello\" is not an allele of A; write it as A*01:01"));
  EXPECT_THAT(error("x A 01:01 B*01:01\n"), HasSubstr("line 1: \"B*01:01\" is not an allele of A"));
  EXPECT_THAT(error("x A*01:01 B*01:01\n"), HasSubstr("are of two genes"));
  EXPECT_THAT(error("x A*01:01 A*02:01\ny A*01:01 A*02:01 B*01:01\n"), HasSubstr("line 2: expected a sample and two"));
  EXPECT_THAT(error("x A 01:01 02:01\nx A 01:01 03:01\n"), HasSubstr("line 2: this person has another type of A"));
  EXPECT_EQ(error("x A 01:01 02:01\nx A 02:01 01:01\n"), "");
  EXPECT_THAT(error("v A 01:01 02:01\nw A 01:01 03:01\n"),
              HasSubstr("types.tsv: has none of the panel's samples, but v, w; give"));
  EXPECT_THAT(error("f x 0 0 1 -9 0101 0201 0 0 0 0 0 0 0 0 0 0 0 0 0 0\nf y 0 0 1 -9 0101\n"),
              HasSubstr("line 2: has 7 columns, but a line of .hped has 22"));
  EXPECT_THAT(ErrorOf([&] { LoadHlaTypes(folder_ / "absent", samples_, 2, {}); }), HasSubstr("absent: cannot open"));
}

TEST_F(HlaTypesTest, PlacesOfGenes) {
  const auto load = [&](const std::string& text) {
    WriteText(folder_ / "genes.txt", text, FileForm::kVcf);
    return LoadHlaGenes(folder_ / "genes.txt");
  };
  EXPECT_THAT(load("A 100\nDRB1\t5000\n"), ElementsAre(testing::Pair("A", 100), testing::Pair("DRB1", 5000)));
  EXPECT_THAT(ErrorOf([&] { load(""); }), HasSubstr("genes.txt: names no gene"));
  EXPECT_THAT(ErrorOf([&] { load("A 1 2\n"); }), HasSubstr("line 1: expected a gene and its position"));
  EXPECT_THAT(ErrorOf([&] { load("A one\n"); }), HasSubstr("line 1"));
  EXPECT_THAT(ErrorOf([&] { load("A 1\nA 2\n"); }), HasSubstr("line 2: A is named twice"));
}

}  // namespace
}  // namespace haplospin
