#include "genotypes/imputation/models/phasing/het_matches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace haplospin {
namespace {

using testing::ElementsAre;

TEST(HetMatches, ReachTheEndsOfTheLongestMatches) {
  std::vector<float> centimorgans(8), frequency(8);
  std::iota(centimorgans.begin(), centimorgans.end(), 0.0f);
  for (size_t j = 0; j < frequency.size(); ++j) frequency[j] = 0.1f * static_cast<float>(j);
  SampleGenotypes sample;
  sample.alleles[0] = {0, 1, 0, 0, 0, 0, 0, 0};
  sample.alleles[1] = {0, 0, 0, 0, 1, 0, 0, 1};
  sample.hets = {1, 4, 7};
  const std::vector<HaplotypeMatch> first{{5, 0, 4}, {6, 0, 3}, {7, 2, 6}}, second;
  const HetMatches matches = MatchesAtHets(sample, {first, second}, centimorgans, frequency);
  EXPECT_THAT(matches.before[0], ElementsAre(1, 4, 0));
  EXPECT_THAT(matches.after[0], ElementsAre(4, 1, 0));
  EXPECT_THAT(matches.before[1], ElementsAre(0, 0, 0));
  EXPECT_THAT(matches.after[1], ElementsAre(0, 0, 0));
  EXPECT_THAT(matches.alt_frequency, ElementsAre(0.1f, 0.4f, 0.7f));
  EXPECT_THAT(matches.first_allele, ElementsAre(1, 0, 0));
}

}  // namespace
}  // namespace haplospin
