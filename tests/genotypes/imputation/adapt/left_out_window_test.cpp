#include "genotypes/imputation/adapt/left_out_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

constexpr size_t kPanelPeople = 40;

TEST(Folds, LeaveEverySampleOutOnce) {
  const SampleTable samples = DiploidSamples("R", kPanelPeople);
  const Folds folds(samples);
  std::multiset<std::string> left_out;
  for (size_t fold = 0; fold < Folds::kCount; ++fold) {
    const std::vector<std::string>& inside = folds.left_out(fold).samples().names;
    const std::vector<std::string>& outside = folds.others(fold).samples().names;
    EXPECT_EQ(inside.size() + outside.size(), kPanelPeople);
    for (const std::string& name : inside) EXPECT_EQ(std::ranges::count(outside, name), 0) << name;
    left_out.insert(inside.begin(), inside.end());
    for (size_t s = 0; s + 1 < kPanelPeople; ++s) {
      EXPECT_LT(std::ranges::count(inside, samples.names[s]) + std::ranges::count(inside, samples.names[s + 1]), 2);
    }
  }
  EXPECT_EQ(left_out, std::multiset<std::string>(samples.names.begin(), samples.names.end()));
  std::vector<uint32_t> haplotypes = folds.haplotypes();
  std::ranges::sort(haplotypes);
  for (uint32_t h = 0; h < 2 * kPanelPeople; ++h) EXPECT_EQ(haplotypes[h], h);
}

// Gives each marker the allele of the typed marker before it, with some doubt.
class CopyOfTheMarkerBefore : public WindowModel {
 public:
  WindowDosages Impute(const WindowInput& window) const override {
    const WindowStudy& study = window.study;
    WindowDosages dosages(window.panel.wanted(), study.samples().num_haplotypes());
    for (size_t m = dosages.range.begin; m < dosages.range.end; ++m) {
      const auto after = std::ranges::upper_bound(study.typed(), m);
      const std::vector<uint8_t>& row = study.alleles(static_cast<size_t>(after - study.typed().begin()) - 1);
      for (size_t h = 0; h < row.size(); ++h) dosages.Set(h, m, row[h] == 1 ? 0.8f : 0.2f);
    }
    return dosages;
  }
};

// Marker 1 has the alleles of marker 0, which is typed, marker 2 those of others, and marker 3 has one allele.
TEST(LeftOutWindow, MeasuresWhatWasImputed) {
  std::vector<std::vector<uint8_t>> alleles(4, std::vector<uint8_t>(2 * kPanelPeople));
  for (size_t h = 0; h < 2 * kPanelPeople; ++h) {
    alleles[0][h] = alleles[1][h] = h % 5 < 2 ? 1 : 0;
    alleles[2][h] = h % 7 < 3 ? 1 : 0;
  }
  HaplotypePanelBuilder builder("20", DiploidSamples("R", kPanelPeople));
  for (size_t m = 0; m < 4; ++m) builder.AddMarker({static_cast<int64_t>(100 + m), ".", "A", "C"}, alleles[m]);
  const HaplotypePanel panel = builder.Build();
  const GeneticMap map = GeneticMap::Uniform();
  const Folds folds(panel.samples());
  const std::vector<uint32_t> typed{0};
  const CopyOfTheMarkerBefore model;
  const WindowPlan plan = MakeWindowPlan({}, {.imputer = {.model = &model}});
  const LeftOutWindow window(panel, map, folds, typed, {0, 4}, plan);
  const std::vector<LeftOutWindow::Result> results = window.Measure({1, 4});
  ASSERT_EQ(results.size(), 3u);
  // r2 is 1; DR2 of probabilities of 0.2 and 0.8 is less, and counts as much as 40 carriers. There are 32.
  const double mean = 0.2 + 0.6 * 0.4, variance = 0.36 * 0.4 * 0.6, dr2 = variance / (mean * (1 - mean));
  EXPECT_NEAR(*results[0].r2, (32 + 40 * dr2) / 72, 0.01);
  EXPECT_LT(*results[1].r2, (34 * 0.1 + 40 * dr2) / 74);
  ASSERT_TRUE(results[0].error);
  EXPECT_GT(results[0].error->probability_factor, 0);  // the probabilities are too near the mean
}

}  // namespace
}  // namespace haplospin
