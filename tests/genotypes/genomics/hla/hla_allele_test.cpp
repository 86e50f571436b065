#include "genotypes/genomics/hla/hla_allele.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "genotypes/genomics/hla/hla_genes.h"

namespace haplospin {
namespace {

std::string NameOf(const std::string& text, const std::string& gene = "") {
  const auto allele = ParseHlaAllele(text, gene);
  return allele ? allele->Name() : "none";
}

TEST(HlaAllele, IsReadInAllItsSpellings) {
  const std::pair<const char*, const char*> spellings[] = {{"A*01:01", "A*01:01"},
                                                           {"HLA-A*01:01", "A*01:01"},
                                                           {"HLA_DRB1*15:01:01G", "DRB1*15:01:01G"},
                                                           {"DRB4*01:03N", "DRB4*01:03N"},
                                                           {"B*15", "B*15"},
                                                           {"B*15:101", "B*15:101"},
                                                           {"A*02:01:01:02L", "A*02:01:01:02L"}};
  for (const auto& [text, name] : spellings) EXPECT_EQ(NameOf(text), name);
  EXPECT_EQ(NameOf("01:01", "A"), "A*01:01");
  EXPECT_EQ(NameOf("0101", "A"), "A*01:01");
  EXPECT_EQ(NameOf("01", "A"), "A*01");
  EXPECT_EQ(NameOf("010102", "C"), "C*01:01:02");
  EXPECT_EQ(NameOf("15101", "B"), "B*15:101");
  EXPECT_EQ(NameOf("10501", "DPB1"), "DPB1*105:01");
}

TEST(HlaAllele, IsNotReadFromOtherText) {
  for (const char* text : {"", "A", "A*", "A*1", "A*01:", "A*01:0a", "A*01:01:01:01:01", "*01:01", "a*01:01", "01:01",
                           "A*01:XX", "rs1234", "A*0101010101"}) {
    EXPECT_EQ(NameOf(text), "none") << text;
  }
  EXPECT_EQ(NameOf("B*07:02", "A"), "none");
}

TEST(HlaAllele, IsTruncatedToFields) {
  const HlaAllele allele = *ParseHlaAllele("A*24:02:01:02L");
  EXPECT_EQ(allele.Truncated(2).Name(), "A*24:02");
  EXPECT_EQ(allele.Truncated(4).Name(), "A*24:02:01:02L");
  EXPECT_EQ(ParseHlaAllele("A*01:01:01G")->Truncated(3).Name(), "A*01:01:01G");
  EXPECT_EQ(ParseHlaAllele("A*01:01:01G")->Truncated(2).Name(), "A*01:01");
}

TEST(HlaAllele, IsTheStartOfLongerOnes) {
  const auto is_start = [](const char* x, const char* y) { return ParseHlaAllele(x)->IsStartOf(*ParseHlaAllele(y)); };
  EXPECT_TRUE(is_start("A*02", "A*02:01"));
  EXPECT_TRUE(is_start("A*02:01", "A*02:01"));
  EXPECT_FALSE(is_start("A*02:01", "A*02"));
  EXPECT_FALSE(is_start("A*02:01", "A*02:011"));
  EXPECT_FALSE(is_start("A*02", "B*02:01"));
  EXPECT_FALSE(is_start("A*02:01N", "A*02:01"));
  EXPECT_FALSE(is_start("A*02:01N", "A*02:01:01"));
}

TEST(HlaMarker, IsRecognizedInThePanelsOfOthers) {
  const auto of = [](const char* id, const char* ref, const char* alt) {
    const auto marker = HlaMarkerOf({.position = 1, .id = id, .ref = ref, .alt = alt});
    return marker ? marker->allele.Name() + (marker->is_ref ? " ref" : "") : "none";
  };
  EXPECT_EQ(of("HLA_A", "N", "<HLA_A*01:01>"), "A*01:01");
  EXPECT_EQ(of(".", "G", "<A*01:01>"), "A*01:01");
  EXPECT_EQ(of("HLA_A_0101", "A", "P"), "A*01:01");
  EXPECT_EQ(of("HLA_A_0101", "P", "A"), "A*01:01 ref");
  EXPECT_EQ(of("HLA_DRB1*15:01", "A", "T"), "DRB1*15:01");
  EXPECT_EQ(of("HLA_DRB1*15:01", "T", "A"), "DRB1*15:01 ref");
  EXPECT_EQ(of("HLA_DRB1*15", "A", "T"), "DRB1*15");
  EXPECT_EQ(of("AA_A_9_29910558_exon2_F", "A", "T"), "none");
  EXPECT_EQ(of("HLA_A_0101", "C", "G"), "none");
  EXPECT_EQ(of("rs1", "A", "T"), "none");
  EXPECT_EQ(of(".", "N", "<DEL>"), "none");
}

TEST(HlaGenes, AreInTheirOrderInEachBuild) {
  for (const auto& [build, ucsc] : {std::pair{"GRCh36", "hg18"}, {"GRCh37", "hg19"}, {"GRCh38", "hg38"}}) {
    const HlaGenes genes = HlaGenesOfBuild(build);
    EXPECT_EQ(genes, HlaGenesOfBuild(ucsc));
    int64_t last = 29'900'000;
    for (const char* gene : {"A", "C", "B", "DRB5", "DRB1", "DQA1", "DQB1", "DPA1", "DPB1"}) {
      ASSERT_TRUE(genes.contains(gene)) << gene;
      EXPECT_GT(genes.at(gene), last);
      last = genes.at(gene);
    }
    EXPECT_LT(last, 33'200'000);
  }
  EXPECT_TRUE(HlaGenesOfBuild("T2T-CHM13").empty());
}

TEST(HlaGenes, TheBuildIsToldByTheLengthOfChromosome6) {
  using Contigs = std::vector<std::pair<std::string, int64_t>>;
  EXPECT_EQ(HlaBuild(Contigs{{"1", 1}, {"chr6", 170805979}}), "GRCh38");
  EXPECT_EQ(HlaBuild(Contigs{{"6", 171115067}}), "GRCh37");
  EXPECT_EQ(HlaBuild(Contigs{{"6", 170899992}}), "GRCh36");
  EXPECT_EQ(HlaBuild(Contigs{{"chr6", 172126628}}), "T2T-CHM13");
  EXPECT_EQ(HlaBuild(Contigs{{"6", 0}}), "");
  EXPECT_EQ(HlaBuild(Contigs{{"7", 171115067}}), "");
}

}  // namespace
}  // namespace haplospin
