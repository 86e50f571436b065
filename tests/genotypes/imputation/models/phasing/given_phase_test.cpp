#include "genotypes/imputation/models/phasing/given_phase.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

// Four heterozygotes of a set, of which the study gives the first and the last: the ALT of both on one haplotype.
SampleGenotypes Sample() {
  SampleGenotypes sample;
  sample.alleles = {std::vector<uint8_t>{1, 0, 1, 1}, std::vector<uint8_t>{0, 1, 0, 0}};
  sample.hets = {0, 1, 2, 3};
  sample.given = {1, kMissingAllele, kMissingAllele, 1};
  sample.continues_set = {true, true, true, false};
  return sample;
}

TEST(GivenPhase, WhatContradictsTheStudyIsImprobable) {
  const SampleGenotypes sample = Sample();
  GivenPhase given;
  given.Start(sample);
  for (const bool is_forward : {true, false}) {
    for (const size_t het : {1, 2}) {  // between the given ones
      EXPECT_EQ(given.Factor(het, false, false, is_forward), 1);
      EXPECT_EQ(given.Factor(het, true, false, is_forward), 1);
      EXPECT_EQ(given.Factor(het, false, true, is_forward), kContradiction);
    }
  }
  EXPECT_EQ(given.Factor(0, true, false, true), kContradiction);  // flipped relative to the last
  EXPECT_EQ(given.Factor(0, true, true, true), 1);                // with all ahead of it
  EXPECT_EQ(given.Factor(3, true, false, true), kContradiction);
}

TEST(GivenPhase, NothingIsKnownBeyondASet) {
  SampleGenotypes sample = Sample();
  sample.continues_set = {true, false, true, false};
  GivenPhase given;
  given.Start(sample);
  for (const size_t het : {1, 2}) EXPECT_EQ(given.Factor(het, false, true, true), 1);
  sample.given.clear();
  sample.continues_set.clear();
  given.Start(sample);
  for (size_t het = 0; het < 4; ++het) EXPECT_EQ(given.Factor(het, true, false, true), 1);
}

}  // namespace
}  // namespace haplospin
