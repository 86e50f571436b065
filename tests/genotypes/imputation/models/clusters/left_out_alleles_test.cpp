#include "genotypes/imputation/models/clusters/left_out_alleles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "genotypes/imputation/models/clusters/cluster_fits.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/genetic_map.h"

namespace haplospin {
namespace {

constexpr size_t kMarkers = 200;

// A cross of ten founders: a panel of 120 haplotypes, and a study of 20 others at every fourth marker.
struct Cross {
  explicit Cross(const SampleTable& study_samples = DiploidSamples("S", 10), bool is_phased = false)
      : mosaic(SimulateMosaic({.haplotypes = 140,
                               .markers = kMarkers,
                               .founders = 10,
                               .spacing_bp = 200'000,
                               .switches_per_cm = 0.1,
                               .rare_share = 0,
                               .seed = 3})),
        panel(MakePanel(mosaic, DiploidSamples("R", 60))),
        study(study_samples, CommonMarkers(panel, 4), std::span(mosaic.alleles).subspan(120, 20)) {
    for (GenotypeRow& row : study.rows) {
      if (!is_phased) row.unphased.assign(study.samples.num_samples(), 1);
    }
    const ClusterEvidence evidence = PanelHaplotypes(panel, GeneticMap::Uniform(), {0, kMarkers});
    for (uint64_t seed = 1; seed <= 2; ++seed) models.push_back(FitToHaplotypes(evidence, seed));
  }

  std::vector<float> Impute() const { return LeaveOneOut(models, study.View(), {0, kMarkers}); }

  Mosaic mosaic;
  HaplotypePanel panel;
  SimulatedStudy study;
  std::vector<ClusterModel> models;
};

// Mean squared error of dosages of pairs of haplotypes: of `p`, [haplotypes, markers], or of the panel's frequency.
double SquaredError(const Cross& cross, const std::vector<float>* p) {
  double sum = 0;
  for (size_t h = 0; h < 20; h += 2) {
    for (size_t m = 0; m < kMarkers; ++m) {
      const double frequency = cross.panel.alt_count(m) / 120.0;
      const double dosage = p ? (*p)[h * kMarkers + m] + (*p)[(h + 1) * kMarkers + m] : 2 * frequency;
      sum += std::pow(dosage - cross.mosaic.alleles[120 + h][m] - cross.mosaic.alleles[121 + h][m], 2);
    }
  }
  return sum / (10 * kMarkers);
}

TEST(LeftOutAlleles, MosaicsOfFoundersAreImputed) {
  const Cross unphased, phased(DiploidSamples("S", 10), true), haploid(HaploidSamples("S", 20), true);
  const double none = SquaredError(unphased, nullptr);
  const std::vector<float> a = unphased.Impute(), b = phased.Impute(), c = haploid.Impute();
  EXPECT_LT(SquaredError(unphased, &a), 0.3 * none);
  EXPECT_LT(SquaredError(phased, &b), 0.25 * none);
  for (size_t i = 0; i < b.size(); ++i) ASSERT_FLOAT_EQ(b[i], c[i]);
}

TEST(LeftOutAlleles, UnphasedHaplotypesHaveTheirMeanAndOrderDoesNotMatter) {
  Cross cross;
  const std::vector<float> before = cross.Impute();
  for (GenotypeRow& row : cross.study.rows) std::swap(row.alleles[4], row.alleles[5]);
  EXPECT_EQ(cross.Impute(), before);
  for (size_t m = 0; m < kMarkers; ++m) EXPECT_EQ(before[4 * kMarkers + m], before[5 * kMarkers + m]);
}

TEST(LeftOutAlleles, AnAlleleDoesNotTellOfItself) {
  Cross cross;
  const std::vector<float> before = cross.Impute();
  const size_t m = cross.study.typed[7];
  std::vector<uint8_t>& alleles = cross.study.rows[7].alleles;
  alleles[2] = alleles[3] = alleles[2] == 0 ? 1 : 0;
  EXPECT_NEAR(cross.Impute()[2 * kMarkers + m], before[2 * kMarkers + m], 1e-4);
}

TEST(LeftOutAlleles, InbredSamplesHaveTwoEqualHaplotypes) {
  Cross lines;
  for (GenotypeRow& row : lines.study.rows) {
    for (size_t h = 0; h < 20; h += 2) row.alleles[h + 1] = row.alleles[h];
  }
  const std::vector<float> p = lines.Impute(), one = Cross(HaploidSamples("S", 20), true).Impute();
  for (size_t m = 0; m < kMarkers; ++m) {
    EXPECT_FLOAT_EQ(p[6 * kMarkers + m], one[6 * kMarkers + m]);
    EXPECT_EQ(p[6 * kMarkers + m], p[7 * kMarkers + m]);
  }
}

TEST(LeftOutAlleles, TheNumberOfThreadsDoesNotMatter) {
  const Cross cross;
  SetThreads(1);
  const std::vector<float> one = cross.Impute();
  SetThreads(4);
  EXPECT_EQ(cross.Impute(), one);
  SetThreads(AvailableThreads());
}

TEST(ClusterModel, TheRateIsThatOfTheHaplotypes) {
  const Cross cross;
  EXPECT_GT(cross.models[0].switches_per_morgan(), 1);
  EXPECT_LT(cross.models[0].switches_per_morgan(), 40);
}

}  // namespace
}  // namespace haplospin
