#include "genotypes/imputation/models/pedigree/family_completion.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace haplospin {
namespace {

// Two founders F and M, their children C and D, the children G and H of these two, and I, the child of H and N.
const SampleTable kRelatives = SampleTable::Diploid({"F", "M", "C", "D", "G", "H", "N", "I"});
const Pedigree kPedigree{{{7, 5, 6}, {2, 0, 1}, {3, 0, 1}, {4, 2, 3}, {5, 3, 2}}, {}};

size_t Haplotype(size_t sample, size_t which) { return 2 * sample + which; }

// Alleles that keep Mendel's laws.
std::vector<uint8_t> DrawTruth(std::mt19937& random) {
  std::vector<uint8_t> truth(2 * kRelatives.num_samples());
  for (uint8_t& allele : truth) allele = random() % 2;
  const auto of = [&](size_t parent) { return truth[Haplotype(parent, random() % 2)]; };
  for (const size_t t : {1u, 2u, 3u, 4u, 0u}) {
    const Trio& trio = kPedigree.trios[t];
    truth[Haplotype(trio.child, 0)] = of(*trio.father);
    truth[Haplotype(trio.child, 1)] = of(*trio.mother);
  }
  return truth;
}

// Whatever is missing, what is called keeps Mendel's laws, and the alleles that are known stay.
TEST(FamilyCompletionTest, CompletedGenotypesKeepMendelsLaws) {
  const FamilyCompletion families(kPedigree, kRelatives.num_samples());
  std::mt19937 random(3);
  size_t num_changed = 0;
  for (int repeat = 0; repeat < 20'000; ++repeat) {
    std::vector<uint8_t> known = DrawTruth(random);
    for (size_t s = 0; s < kRelatives.num_samples(); ++s) {
      if (random() % 2 == 0) known[Haplotype(s, 0)] = known[Haplotype(s, 1)] = kMissingAllele;
    }
    std::vector<float> alt;
    for (const uint8_t allele : known) {
      alt.push_back(allele != kMissingAllele ? allele : static_cast<float>(random() % 1000) / 1000);
    }
    const std::vector<float> before = alt;
    families.Complete(kRelatives, "20", &known, alt);
    num_changed += alt != before;
    const auto call = [&](size_t sample, size_t which) { return alt[Haplotype(sample, which)] > 0.5f; };
    for (const Trio& trio : kPedigree.trios) {
      for (size_t which = 0; which < 2; ++which) {
        const size_t parent = which == 0 ? *trio.father : *trio.mother;
        const bool allele = call(trio.child, which);
        EXPECT_TRUE(call(parent, 0) == allele || call(parent, 1) == allele) << repeat;
      }
    }
    for (size_t h = 0; h < known.size(); ++h) EXPECT_TRUE(known[h] == kMissingAllele || alt[h] == before[h]);
  }
  EXPECT_GT(num_changed, 2000u);
}

// C's child has an allele that neither C, of whom nothing is known, can have from F nor from M.
TEST(FamilyCompletionTest, OtherTriosAreCompletedBesideAnImpossibleOne) {
  const SampleTable people = SampleTable::Diploid({"F", "M", "C", "G", "X", "Y", "Z"});
  const FamilyCompletion families({{{2, 0, 1}, {3, 2, std::nullopt}, {6, 4, 5}}, {}}, 7);
  const uint8_t missing = kMissingAllele;
  const std::vector<uint8_t> known{0, 0, 0, 0, missing, missing, 1, 1, 0, 0, 1, 1, missing, missing};
  std::vector<float> alt(14, 0.2f);
  families.Complete(people, "20", &known, alt);
  EXPECT_LE(alt[12], 0.5f);
  EXPECT_GT(alt[13], 0.5f);
}

// A probability that is written as 0.5 is no ALT.
TEST(FamilyCompletionTest, CallsAreThoseThatAreWritten) {
  const SampleTable people = SampleTable::Diploid({"F", "M", "C"});
  const FamilyCompletion families({{{2, 0, 1}}, {}}, 3);
  const std::vector<uint8_t> known{1, 1, 1, 1, kMissingAllele, kMissingAllele};
  std::vector<float> alt{1, 1, 1, 1, 0.50001f, 0.50001f};
  families.Complete(people, "20", &known, alt);
  EXPECT_GT(alt[4], 0.50006f);
  EXPECT_GT(alt[5], 0.50006f);
}

// A son's X is from his mother, and his Y from his father; so is a daughter's Z.
TEST(FamilyCompletionTest, SexChromosomesHaveOneParent) {
  const SampleTable samples{{"F", "M", "S"}, {0, 1, 3, 4}};
  const FamilyCompletion families({{{2, 0, 1}}, {}}, 3);
  const std::vector<uint8_t> known{1, 0, 0, kMissingAllele};
  std::vector<float> alt{1, 0, 0, 0.9f};
  families.Complete(samples, "X", &known, alt);
  EXPECT_LE(alt[3], 0.5f);
  for (const char* contig : {"chrY", "Z"}) {
    alt[3] = 0.2f;
    families.Complete(samples, contig, &known, alt);
    EXPECT_GT(alt[3], 0.5f) << contig;
  }
}

}  // namespace
}  // namespace haplospin
