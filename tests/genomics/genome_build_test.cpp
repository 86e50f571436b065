#include "genomics/sites/genome_build.h"

#include <gtest/gtest.h>

#include <vector>

namespace haplospin {
namespace {

using Contigs = std::vector<std::pair<std::string, int64_t>>;

TEST(GenomeBuild, IsToldByMostLengths) {
  EXPECT_EQ(BuildOfContigs(Contigs{{"20", 63025520}}), "GRCh37");
  EXPECT_EQ(BuildOfContigs(Contigs{{"chr20", 64444167}, {"chrX", 156040895}}), "GRCh38");
  EXPECT_EQ(BuildOfContigs(Contigs{{"1", 249250621}, {"X", 155270560}, {"20", 64444167}}), "GRCh37");
}

TEST(GenomeBuild, IsUnknownWithoutLengths) {
  EXPECT_EQ(BuildOfContigs(Contigs{}), "");
  EXPECT_EQ(BuildOfContigs(Contigs{{"20", 0}, {"GL000191.1", 106433}}), "");
  EXPECT_EQ(BuildOfContigs(Contigs{{"20", 100000}}), "") << "simulated";
  EXPECT_EQ(BuildOfContigs(Contigs{{"20", 64444167}, {"21", 48129895}}), "") << "half and half";
}

}  // namespace
}  // namespace haplospin
