#include "genotypes/assessment/genotype_accuracy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "genotypes/assessment/evaluation_files.h"

namespace haplospin {
namespace {

using CalibrationTest = EvaluationTest;

TEST_F(CalibrationTest, SetsWhatWasPredictedAgainstWhatIsTrue) {
  const TruthSet truth(DosageReader(Write("truth.vcf", {"a", "b", "m"}, {"X 10 . A C . . . GT 0|1 0|0 1"})));
  const Evaluation evaluation = EvaluateAll(
      truth, Write("imputed.vcf", {"a", "b", "m"},
                   {"X 10 . A C . . . GT:DS:GP 0|1:0.88:0.12,0.88,0 0|0:0.04:0.96,0.04,0 1:0.44:0.56,0.44"}));
  const auto& dosages = evaluation.dosages.bins();
  EXPECT_EQ(dosages[8].count, 2);  // 0.44 per allele
  EXPECT_NEAR(dosages[8].MeanPredicted(), 0.44, 1e-6);
  EXPECT_NEAR(dosages[8].MeanObserved(), 0.75, 1e-6);
  EXPECT_EQ(dosages[0].count, 1);
  EXPECT_EQ(dosages[0].MeanObserved(), 0);
  const auto& posteriors = evaluation.posteriors.bins();
  double count = 0;
  for (const Calibration::Bin& bin : posteriors) count += bin.count;
  EXPECT_EQ(count, 3 + 3 + 2);  // a haploid genotype has no heterozygote
  EXPECT_EQ(posteriors[17].MeanObserved(), 1);
  EXPECT_EQ(posteriors[19].MeanObserved(), 1);
  EXPECT_EQ(posteriors[11].MeanObserved(), 0);  // 0.56 for the REF of a haploid ALT
  EXPECT_EQ(posteriors[0].count, 3);
}

// ALT is the minor allele of site 10 and the major allele of site 20.
TEST_F(CalibrationTest, ByFrequencyIsOfTheMinorAllele) {
  const TruthSet truth(DosageReader(
      Write("truth.vcf", {"a", "b"},
            {"1 10 . A C . . . GT 0|1 0|0", "1 20 . A C . . . GT 1|1 0|1", "1 30 . A C . . . GT 0|0 0|0"})));
  const Evaluation evaluation = EvaluateAll(
      truth, Write("imputed.vcf", {"a", "b"},
                   {"1 10 . A C . . . GT:DS:GP 0|1:0.84:0.16,0.84,0 0|0:0.04:0.96,0.04,0",
                    "1 20 . A C . . . GT:DS 1|1:1.96 0|1:1.16", "1 30 . A C . . . GT:DS 0|0:0.04 0|0:0.04"}));
  ASSERT_EQ(evaluation.by_frequency.size(), 3u);
  const auto& common = evaluation.by_frequency[2].dosages.bins();
  EXPECT_EQ(common[8].count, 2);  // of site 10 and, counted by REF, of site 20
  EXPECT_NEAR(common[8].MeanPredicted(), 0.42, 1e-6);
  EXPECT_NEAR(common[8].MeanObserved(), 0.5, 1e-6);
  EXPECT_EQ(common[0].count, 2);
  EXPECT_EQ(common[0].MeanObserved(), 0);
  EXPECT_NEAR(evaluation.by_frequency[2].dosages.MeanError(), (2 * 0.08 + 2 * 0.02) / 4, 1e-6);
  EXPECT_EQ(evaluation.by_frequency[0].dosages.bins()[0].count, 2);  // nobody carries ALT of site 30
  EXPECT_TRUE(std::isnan(evaluation.by_frequency[1].dosages.MeanError()));
}

}  // namespace
}  // namespace haplospin
