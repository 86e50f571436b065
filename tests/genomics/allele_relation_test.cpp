#include "genomics/sites/allele_relation.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

Marker Alleles(const std::string& ref, const std::string& alt) { return {.ref = ref, .alt = alt}; }

TEST(AlleleRelation, TellsSwapAndStrandApart) {
  const Marker panel = Alleles("A", "C");
  EXPECT_EQ(RelateAlleles(Alleles("A", "C"), panel), AlleleRelation::kSame);
  EXPECT_EQ(RelateAlleles(Alleles("a", "c"), panel), AlleleRelation::kSame);
  EXPECT_EQ(RelateAlleles(Alleles("C", "A"), panel), AlleleRelation::kSwapped);
  EXPECT_EQ(RelateAlleles(Alleles("T", "G"), panel), AlleleRelation::kFlipped);
  EXPECT_EQ(RelateAlleles(Alleles("g", "t"), panel), AlleleRelation::kFlippedAndSwapped);
  EXPECT_EQ(RelateAlleles(Alleles("A", "G"), panel), AlleleRelation::kOther);
  EXPECT_EQ(RelateAlleles(Alleles("A", "."), panel), AlleleRelation::kOther);
  EXPECT_EQ(RelateAlleles(Alleles("A", "<DEL>"), Alleles("C", "<DEL>")), AlleleRelation::kOther);
}

TEST(AlleleRelation, AmbiguousAllelesFitByTheirLetters) {
  EXPECT_EQ(RelateAlleles(Alleles("A", "T"), Alleles("A", "T")), AlleleRelation::kSame);
  EXPECT_EQ(RelateAlleles(Alleles("G", "C"), Alleles("C", "G")), AlleleRelation::kSwapped);
}

TEST(AlleleRelation, AmbiguousSitesAreSingleBases) {
  for (const auto& [ref, alt] : {std::pair("A", "T"), {"t", "A"}, {"C", "G"}, {"G", "c"}}) {
    EXPECT_TRUE(IsStrandAmbiguous(Alleles(ref, alt))) << ref << alt;
  }
  for (const auto& [ref, alt] : {std::pair("A", "C"), {"A", "."}, {"AT", "A"}, {"A", "N"}, {"AT", "TA"}}) {
    EXPECT_FALSE(IsStrandAmbiguous(Alleles(ref, alt))) << ref << alt;
  }
  EXPECT_TRUE(IsSnv(Alleles("A", "g")));
  EXPECT_FALSE(IsSnv(Alleles("A", ".")));
  EXPECT_FALSE(IsSnv(Alleles("A", "AT")));
}

TEST(AlleleRelation, ReverseComplementTwiceIsTheAllele) {
  EXPECT_EQ(ReverseComplement("AACG"), "CGTT");
  EXPECT_EQ(ReverseComplement(ReverseComplement("GATTACA")), "GATTACA");
  EXPECT_EQ(ReverseComplement("AN"), "");
}

}  // namespace
}  // namespace haplospin
