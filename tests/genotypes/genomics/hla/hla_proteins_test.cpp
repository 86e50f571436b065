#include "genotypes/genomics/hla/hla_proteins.h"

#include <gtest/gtest.h>

#include <string>

namespace haplospin {
namespace {

HlaAlignment Alignment() {
  HlaAlignment alignment{.positions = {"1"}, .alleles = {}, .sequences = {}};
  char letter = 'A';
  for (const char* name : {"A*01:01:01:01", "A*01:01:01:02N", "A*01:01:02", "A*01:02", "A*24:09N", "A*01:011"}) {
    alignment.alleles.push_back(*ParseHlaAllele(name));
    alignment.sequences.emplace_back(1, letter++);
  }
  return alignment;
}

TEST(HlaProteins, OfAnAlleleAreThoseOfTheFirstThatBeginsWithIt) {
  const HlaAlignment alignment = Alignment();
  const auto found = [&](const char* name) {
    const std::string* sequence = alignment.Find(*ParseHlaAllele(name));
    return sequence == nullptr ? std::string() : *sequence;
  };
  EXPECT_EQ(found("A*01:01"), "A");
  EXPECT_EQ(found("A*01:01:01G"), "A");
  EXPECT_EQ(found("A*01:01P"), "A");
  EXPECT_EQ(found("A*01:01N"), "B");
  EXPECT_EQ(found("A*01:01:02"), "C");
  EXPECT_EQ(found("A*01:02"), "D");
  EXPECT_EQ(found("A*01:02:01"), "D");
  EXPECT_EQ(found("A*01:01:77G"), "A");
  EXPECT_EQ(found("A*24:09"), "E");
  EXPECT_EQ(found("A*24:09N"), "E");
  EXPECT_EQ(found("A*01:011"), "F");
  // It does not name a protein, is not in the file, is of another gene, or is expressed otherwise.
  for (const char* name : {"A*01", "A*02:01", "B*01:01", "A*01:02:01N", "A*24:09L"}) EXPECT_EQ(found(name), "") << name;
}

}  // namespace
}  // namespace haplospin
