#include "genotypes/genomics/sites/one_allele.h"

#include <gtest/gtest.h>

#include <vector>

namespace haplospin {
namespace {

SampleTable Samples(const std::vector<int>& ploidies) {
  SampleTable samples{{}, {0}};
  for (const int ploidy : ploidies) samples.Add("S" + std::to_string(samples.num_samples()), ploidy);
  return samples;
}

TEST(OneAlleleTest, SamplesOfOneAlleleOnAnAutosomeAreFound) {
  const OneAlleleSamples found = FindOneAllele("chr20", {}, Samples({2, 1, 1}), Samples({2, 2}));
  EXPECT_EQ(found.samples, 2u);
  EXPECT_EQ(found.of, 3u);
  EXPECT_EQ(found.first, "S1");
  EXPECT_EQ(found.contig, "chr20");
  EXPECT_EQ(FindOneAllele("chr20", {}, Samples({2, 2}), Samples({2, 2})).samples, 0u);
}

TEST(OneAlleleTest, TheyMayHaveOneElsewhere) {
  for (const std::string contig : {"X", "chrY", "chrM", "MT", "Z", "W", "NC_012920.1"}) {
    EXPECT_EQ(FindOneAllele(contig, PloidyRegions().PartAt(contig, 5), Samples({2, 1}), Samples({2})).samples, 0u);
  }
  EXPECT_EQ(FindOneAllele("23", PloidyRegions().PartAt("23", 5), Samples({2, 1}), Samples({2})).samples, 0u);
}

// Drones beside workers, in panel and study.
TEST(OneAlleleTest, ThePanelMayHaveOneToo) {
  EXPECT_EQ(FindOneAllele("1", {}, Samples({2, 1}), Samples({2, 1})).samples, 0u);
  EXPECT_EQ(FindOneAllele("1", {}, Samples({2, 1}), Samples({})).samples, 0u);
}

}  // namespace
}  // namespace haplospin
