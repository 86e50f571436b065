#include "genotypes/genomics/sites/sex_contigs.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

TEST(SexContigsTest, AreFoundByAnyName) {
  for (const char* name : {"X", "chrX", "Y", "Z", "chrW", "M", "chrM", "MT", "PAR1"}) {
    EXPECT_TRUE(IsSexOrMitochondrial(name)) << name;
  }
  for (const char* name : {"1", "chr20", "scaffold_1", "XL", ""}) EXPECT_FALSE(IsSexOrMitochondrial(name)) << name;
}

}  // namespace
}  // namespace haplospin
