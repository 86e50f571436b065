#include "genotypes/imputation/stages/clusters_stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

TEST(ClustersStage, TheWeightHasTheLeastErrorOfTheMean) {
  for (const double ratio : {0.6, 0.9, 1.0, 1.3, 2.0}) {
    const double weight = WeightOfSecond(0.1, 0.1 * ratio);
    const auto error = [&](double w) {
      return (1 - w) * (1 - w) + w * w * ratio + 2 * w * (1 - w) * 2 / 3 * std::sqrt(ratio);
    };
    EXPECT_LE(error(weight), error(weight + 0.01));
    EXPECT_LE(error(weight), error(weight - 0.01));
  }
  EXPECT_DOUBLE_EQ(WeightOfSecond(0.1, 0.1), 0.5);
  EXPECT_EQ(WeightOfSecond(0.1, 0.3), 0);
  EXPECT_EQ(WeightOfSecond(0, 0.1), 0);
  EXPECT_EQ(WeightOfSecond(0, 0), 0);
}

constexpr size_t kMarkers = 240;

// A herd of which every sixth common marker is typed.
class Herd {
 public:
  explicit Herd(size_t panel_samples)
      : mosaic_(SimulateMosaic({.haplotypes = 2 * panel_samples + 20,
                                .markers = kMarkers,
                                .founders = 10,
                                .spacing_bp = 200'000,
                                .switches_per_cm = 0.1,
                                .rare_share = 0,
                                .seed = 5})),
        panel_(MakePanel(mosaic_, DiploidSamples("R", panel_samples))),
        study_(DiploidSamples("S", 10), CommonMarkers(panel_, 6),
               std::span(mosaic_.alleles).subspan(2 * panel_samples, 20)) {
    for (GenotypeRow& row : study_.rows) row.unphased.assign(10, 1);
  }

  // Dosages that tell the truth but for a doubt, between 0 and 1/2.
  WindowDosages Doubtful(float doubt) const {
    WindowDosages dosages({0, kMarkers}, 20);
    for (size_t h = 0; h < 20; ++h) {
      for (size_t m = 0; m < kMarkers; ++m) {
        const bool is_typed = std::ranges::binary_search(study_.typed, static_cast<uint32_t>(m));
        const float wrong = is_typed ? 0 : doubt;
        dosages.Set(h, m, Truth(h, m) == 1 ? 1 - wrong : wrong);
      }
    }
    return dosages;
  }

  WindowDosages Average(const WindowDosages& before, size_t max_bytes = SIZE_MAX) const {
    const WindowStudy study = study_.View();
    const PanelWindow window(panel_, map_, study.typed(), {0, kMarkers});
    WindowState state(window, study, {0, kMarkers});
    state.Scale(0.1);
    WindowDosages& dosages = state.dosages.emplace(MarkerRange{0, kMarkers}, 20);
    for (size_t h = 0; h < 20; ++h) {
      for (size_t m = 0; m < kMarkers; ++m) dosages.Set(h, m, before.Get(h, m));
    }
    const ClustersStage stage({}, max_bytes);
    if (stage.Applies(state)) stage.Run(state);
    return *std::move(state.dosages);
  }

  double SquaredError(const WindowDosages& dosages) const {
    double sum = 0;
    for (size_t h = 0; h < 20; h += 2) {
      for (size_t m = 0; m < kMarkers; ++m) {
        sum += std::pow(dosages.Get(h, m) + dosages.Get(h + 1, m) - Truth(h, m) - Truth(h + 1, m), 2);
      }
    }
    return sum;
  }

  const std::vector<uint32_t>& typed() const { return study_.typed; }
  int Truth(size_t h, size_t m) const { return mosaic_.alleles[panel_.num_haplotypes() + h][m]; }

 private:
  const GeneticMap map_ = GeneticMap::Uniform();
  Mosaic mosaic_;
  HaplotypePanel panel_;
  SimulatedStudy study_;
};

TEST(ClustersStage, DoubtfulDosagesGainAndSureOnesStay) {
  const Herd herd(60);
  const WindowDosages doubtful = herd.Doubtful(0.5f), sure = herd.Doubtful(0.0f);
  const WindowDosages gained = herd.Average(doubtful), same = herd.Average(sure);
  EXPECT_LT(herd.SquaredError(gained), 0.6 * herd.SquaredError(doubtful));
  EXPECT_EQ(herd.SquaredError(same), herd.SquaredError(sure));
  for (const uint32_t m : herd.typed()) {
    for (size_t h = 0; h < 20; ++h) EXPECT_EQ(gained.Get(h, m), herd.Truth(h, m));
  }
  for (size_t m = 0; m < kMarkers; ++m) {
    for (size_t h = 0; h < 20; ++h) {
      EXPECT_GE(gained.Get(h, m), 0);
      EXPECT_LE(gained.Get(h, m), 1);
    }
  }
}

// With memory for the tables of one thread, the result is that of all; with less, there is none.
TEST(ClustersStage, MemoryLimitsThreads) {
  const Herd herd(60);
  const ClusterMemory memory = EstimateClusterMemory(120, 20, kMarkers, herd.typed().size());
  const WindowDosages doubtful = herd.Doubtful(0.5f), gained = herd.Average(doubtful);
  const WindowDosages by_one = herd.Average(doubtful, memory.shared + memory.thread);
  const WindowDosages by_none = herd.Average(doubtful, memory.shared + memory.thread - 1);
  for (size_t h = 0; h < 20; ++h) {
    for (size_t m = 0; m < kMarkers; ++m) {
      ASSERT_EQ(by_one.Get(h, m), gained.Get(h, m));
      ASSERT_EQ(by_none.Get(h, m), doubtful.Get(h, m));
    }
  }
}

TEST(ClustersStage, TooSmallAPanelHasNoClusters) {
  const Herd herd(40);
  const WindowDosages doubtful = herd.Doubtful(0.5f), same = herd.Average(doubtful);
  EXPECT_EQ(herd.SquaredError(same), herd.SquaredError(doubtful));
}

}  // namespace
}  // namespace haplospin
