#include "genotypes/imputation/models/phasing/phase_draws.h"

#include <gtest/gtest.h>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

SampleGenotypes ThreeHets() { return {.alleles = {{{0, 0, 0}, {1, 1, 1}}}, .hets = {0, 1, 2}}; }

// The heterozygote in the middle is on either haplotype as often, but the others are always on the same one.
PhaseDraws UncertainInTheMiddle() {
  PhaseDraws draws{.cis = {}, .cis_sum = {0, 2.04f, 1.98f}};  // over four draws
  for (const bool cis : {true, false, true, false}) draws.cis.push_back({false, cis, cis});
  return draws;
}

TEST(MostProbablePhaseTest, AnUncertainHeterozygoteDoesNotSeparateItsNeighbors) {
  SampleGenotypes sample = ThreeHets();
  const PhasePosterior posterior = SetMostProbablePhase(UncertainInTheMiddle(), sample);
  EXPECT_EQ(CisPhase(sample), (std::vector<bool>{false, true, true}));
  EXPECT_FLOAT_EQ(posterior.cis_probability[1], 0.51f);

  PhaseDraws draws = UncertainInTheMiddle();
  draws.cis_sum[1] = 1.9f;
  SetMostProbablePhase(draws, sample);
  EXPECT_EQ(CisPhase(sample), (std::vector<bool>{false, false, false}));
}

TEST(MostProbablePhaseTest, KeepsTheGivenPhaseOfASet) {
  SampleGenotypes sample = ThreeHets();
  sample.given = {0, kMissingAllele, 0};
  sample.continues_set = {true, true, false};
  PhaseDraws draws = UncertainInTheMiddle();
  for (std::vector<bool>& draw : draws.cis) draw[2] = !draw[2];
  draws.cis_sum = {0, 3.6f, 0.8f};
  const PhasePosterior posterior = SetMostProbablePhase(draws, sample);
  EXPECT_EQ(sample.alleles[0][0], sample.alleles[0][2]);
  for (const std::vector<bool>& draw : posterior.cis) EXPECT_EQ(draw[1], draw[2]);  // the draws keep it, too
}

}  // namespace
}  // namespace haplospin
