#include "genotypes/imputation/stages/shared_sample.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// The haplotypes of the panel's second sample, where the study has some of its alleles in one of the two orders.
std::vector<std::vector<float>> CopyWith(const HaplotypePanel& panel, bool is_exchanged, size_t step) {
  SharedSample sample(panel, 0, 1, {10, 90});
  for (size_t m = 10; m < 90; m += step) {
    std::array<float, 2> alt{static_cast<float>(panel.allele(m, 2)), static_cast<float>(panel.allele(m, 3))};
    if (is_exchanged) std::swap(alt[0], alt[1]);
    sample.Keep(m, alt);
  }
  return sample.Take();
}

TEST(SharedSample, AllelesFollowTheOrderOfTheStudysHeterozygotes) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 8, .markers = 100, .rare_share = 0, .seed = 1});
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", 4));
  for (const bool is_exchanged : {false, true}) {
    for (const size_t step : {1, 3, 7}) {
      const std::vector<std::vector<float>> rows = CopyWith(panel, is_exchanged, step);
      for (size_t m = 10; m < 90; ++m) {
        EXPECT_EQ(rows[is_exchanged ? 1 : 0][m - 10], static_cast<float>(panel.allele(m, 2)));
        EXPECT_EQ(rows[is_exchanged ? 0 : 1][m - 10], static_cast<float>(panel.allele(m, 3)));
      }
    }
  }
}

}  // namespace
}  // namespace haplospin
