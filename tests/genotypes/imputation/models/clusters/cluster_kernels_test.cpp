#include "genotypes/imputation/models/clusters/cluster_kernels.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/models/clusters/cluster_fits.h"
#include "genotypes/imputation/models/clusters/cluster_model.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

TEST(ClusterKernels, AHaplotypeIsThatOfTheModel) {
  constexpr size_t K = kManyClusters;
  const std::vector<float> alt = [] {
    RandomStream random(3);
    std::vector<float> p;
    for (size_t i = 0; i < 2 * K; ++i) p.push_back(0.05f + 0.9f * static_cast<float>(random.Uniform()));
    return p;
  }();
  const std::vector<float> share(2 * K, 1.0f / K), switches = {1, 0.25f};
  const ClusterTables tables{2, K, alt.data(), share.data(), switches.data()};
  const uint8_t alleles[] = {1, kMissingAllele};
  std::vector<float> forward(2 * K), left_out(2);
  LeaveOutAlleles(tables, alleles, forward.data(), left_out.data());
  double total = 0, kept = 0, any = 0, first = 0;
  for (size_t k = 0; k < K; ++k) {
    total += alt[k];
    kept += double{alt[k]} * alt[K + k];
    any += alt[K + k] / double{K};
    first += alt[k] / double{K};
  }
  EXPECT_NEAR(left_out[1], 0.75 * kept / total + 0.25 * any, 1e-5);
  EXPECT_NEAR(left_out[0], first, 1e-5);  // its own allele does not count
}

TEST(ClusterKernels, CountsAddUpToTheHaplotypes) {
  constexpr size_t K = kManyClusters;
  const ClusterEvidence evidence = MosaicHaplotypes(4, 30);
  const ClusterModel model = FitToHaplotypes(evidence, 4);
  std::vector<float> forward(30 * K), ref(30 * K), alt(30 * K), switched(30 * K);
  for (size_t h = 0; h < 5; ++h) {
    CountHaplotype(model.tables(), &evidence.alleles[h * 30], forward.data(),
                   {ref.data(), alt.data(), switched.data()});
  }
  for (size_t m = 0; m < 30; ++m) {
    double refs = 0, alts = 0, switches = 0, given_alts = 0;
    for (size_t k = 0; k < K; ++k) {
      refs += ref[m * K + k];
      alts += alt[m * K + k];
      switches += switched[m * K + k];
    }
    for (size_t h = 0; h < 5; ++h) given_alts += evidence.alleles[h * 30 + m];
    EXPECT_NEAR(alts, given_alts, 1e-3);
    EXPECT_NEAR(refs + alts, 5, 1e-3);
    EXPECT_LE(switches, 5.001);
    if (m == 0) {
      EXPECT_NEAR(switches, 5, 1e-3);
    }
  }
}

}  // namespace
}  // namespace haplospin
