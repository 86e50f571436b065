#include "genotypes/imputation/hla/gene_alleles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"

namespace haplospin {
namespace {

using testing::ElementsAre;

// Haplotypes 0 and 2 copy each other, and so do 1 and 3.
CopiedAtGene TwoPairs() { return {{{2, 1}}, {{3, 1}}, {{0, 1}}, {{1, 1}}}; }

TEST(GeneAlleles, AreOnTheHaplotypesThatCopyEachOther) {
  const SampleTable samples = SampleTable::Diploid({"x", "y"});
  // Both have the alleles 0 and 1, and only what the second may have besides tells the order.
  HlaGeneTypes types{"A", {"A*01:01", "A*02:01", "A*03:01"}, {{{{1}, {2}}}, {{{2}, {0}}}}};
  const std::vector<uint32_t> alleles = PlaceAlleles(types, samples, TwoPairs());
  EXPECT_EQ(alleles[0] == 2, alleles[2] == 2);
  EXPECT_NE(alleles[0] == 2, alleles[1] == 2);
  EXPECT_NE(alleles[2] == 2, alleles[3] == 2);
}

TEST(GeneAlleles, ThoseThatAreMissingOrAmbiguousAreImputed) {
  const SampleTable samples = SampleTable::Diploid({"x", "y"});
  HlaGeneTypes types{"A", {"A*01:01", "A*02:01", "A*03:01"}, {{{{1}, {1}}}, {}}};
  EXPECT_THAT(PlaceAlleles(types, samples, TwoPairs()), ElementsAre(1, 1, 1, 1));
  types.people[1] = {{{0, 1}, {0, 2}}};
  const std::vector<uint32_t> alleles = PlaceAlleles(types, samples, TwoPairs());
  EXPECT_TRUE(alleles[2] == 1 || alleles[3] == 1);
  EXPECT_NE(alleles[2], alleles[3]);
}

// Haplotypes have the allele of the group that they are of, and copy others of it; one in ten also copies another
// group. The pairs are given in a random order.
TEST(GeneAlleles, OfGroupsAreFoundWhateverTheOrderOfPairs) {
  constexpr uint32_t kPeople = 200, kGroups = 8;
  RandomStream random(3);
  std::vector<uint32_t> group(2 * kPeople);
  for (uint32_t& g : group) g = static_cast<uint32_t>(random.UniformInt(kGroups));
  HlaGeneTypes types{"A", {}, {}};
  for (uint32_t g = 0; g < kGroups; ++g) types.alleles.push_back("A*0" + std::to_string(g));
  std::vector<std::string> names;
  for (uint32_t s = 0; s < kPeople; ++s) {
    names.push_back("s" + std::to_string(s));
    const bool is_turned = random.Bernoulli(0.5);
    types.people.push_back({{{group[2 * s + (is_turned ? 1 : 0)]}, {group[2 * s + (is_turned ? 0 : 1)]}}});
  }
  CopiedAtGene copied(2 * kPeople);
  for (uint32_t h = 0; h < 2 * kPeople; ++h) {
    for (uint32_t other = 0; other < 2 * kPeople; ++other) {
      if (other / 2 == h / 2) continue;
      if (group[other] == group[h] || random.Bernoulli(0.01)) copied[h].push_back({other, 0});
    }
    for (CopiedHaplotype& c : copied[h]) c.probability = 1.0f / static_cast<float>(copied[h].size());
  }
  EXPECT_EQ(PlaceAlleles(types, SampleTable::Diploid(names), copied), group);
}

TEST(GeneAlleles, HaploidSamplesHaveOne) {
  const SampleTable samples{{"x", "y"}, {0, 1, 3}};
  const HlaGeneTypes types{"A", {"A*01", "A*02"}, {{{{0}, {0}}}, {{{0}, {1}}}}};
  EXPECT_THAT(PlaceAlleles(types, samples, {{{2, 1}}, {}, {{0, 1}}}), ElementsAre(0, 1, 0));
}

}  // namespace
}  // namespace haplospin
