#include "genomics/sites/contig_names.h"

#include <gtest/gtest.h>

#include <vector>

namespace haplospin {
namespace {

TEST(ContigNames, KnowsTheNamesOfOneContig) {
  EXPECT_TRUE(SameContig("20", "20"));
  EXPECT_TRUE(SameContig("chr20", "20"));
  EXPECT_TRUE(SameContig("20", "Chr20"));
  EXPECT_TRUE(SameContig("CHR20", "chr20"));
  EXPECT_TRUE(SameContig("chrX", "23"));
  EXPECT_TRUE(SameContig("X", "chr23"));
  EXPECT_TRUE(SameContig("Y", "24"));
  EXPECT_TRUE(SameContig("chrM", "MT"));
}

TEST(ContigNames, KeepsContigsApart) {
  EXPECT_FALSE(SameContig("2", "20"));
  EXPECT_FALSE(SameContig("chr1", "chr11"));
  EXPECT_FALSE(SameContig("X", "Y"));
  EXPECT_FALSE(SameContig("chr", ""));
  EXPECT_FALSE(SameContig("scaffold_1", "1"));
}

TEST(ContigNames, JoinsNames) {
  const std::vector<std::string> names = {"1", "2", "3", "4"};
  EXPECT_EQ(JoinNames(names), "1, 2, 3, 4");
  EXPECT_EQ(JoinNames(names, 2), "1, 2 and 2 more");
  EXPECT_EQ(JoinNames({}), "none");
}

}  // namespace
}  // namespace haplospin
