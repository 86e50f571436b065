#include "imputation/phasing/haplotype_exchange.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/random.h"
#include "imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// Haploid and diploid samples, so that the haplotypes of some are in two words.
SampleTable MixedSamples(size_t count) {
  std::vector<int> ploidies(count);
  for (size_t s = 0; s < count; ++s) ploidies[s] = s % 7 == 3 ? 1 : 2;
  return MakeSamples("R", ploidies);
}

TEST(HaplotypeExchange, ExchangesTheAllelesOfTheSamples) {
  const SampleTable samples = MixedSamples(150);
  const Mosaic mosaic = SimulateMosaic({.haplotypes = samples.num_haplotypes(), .markers = 200});
  const HaplotypePanel panel = PanelOf(mosaic, samples);
  MutablePanel found("20", samples);
  HaplotypeExchange exchange(samples);
  std::vector<bool> is_exchanged(samples.num_samples());
  RandomStream random(1);
  size_t rare = 0;
  for (size_t m = 0; m < panel.num_markers(); ++m) {
    for (size_t s = 0; s < samples.num_samples(); ++s) {
      if (samples.ploidy(s) != 2 || !random.Bernoulli(0.3)) continue;
      exchange.Toggle(s);
      is_exchanged[s] = !is_exchanged[s];
    }
    exchange.Append(panel, m, found);
    rare += found.is_rare(m) ? 1 : 0;
    EXPECT_EQ(found.marker(m).position, panel.marker(m).position);
    EXPECT_EQ(found.alt_count(m), panel.alt_count(m));
    for (size_t s = 0; s < samples.num_samples(); ++s) {
      const size_t first = samples.first_haplotype[s], last = samples.first_haplotype[s + 1] - 1;
      ASSERT_EQ(found.allele(m, first), panel.allele(m, is_exchanged[s] ? last : first)) << m << ' ' << s;
      ASSERT_EQ(found.allele(m, last), panel.allele(m, is_exchanged[s] ? first : last)) << m << ' ' << s;
    }
  }
  EXPECT_GT(rare, 20u);
  EXPECT_LT(rare, 180u);
}

}  // namespace
}  // namespace haplospin
