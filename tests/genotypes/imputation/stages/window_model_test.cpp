#include "genotypes/imputation/stages/window_model.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/threads.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/imputation/stages/impute_window.h"
#include "genotypes/imputation/stages/phase_window.h"

namespace haplospin {
namespace {

// The progress bar moves with each, by the work done. More samples than a model takes at a time.
TEST(WindowModel, WorkOfEverySampleIsReported) {
  constexpr size_t kSamples = kSamplesAtATime + 4;
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 20 + 2 * kSamples, .markers = 40});
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", 10));
  SimulatedStudy study(DiploidSamples("S", kSamples), CommonMarkers(panel, 2), std::span(mosaic.alleles).subspan(20));
  const GeneticMap map = GeneticMap::Uniform();
  const MarkerRange all{0, panel.num_markers()};
  const auto work = [&](const WindowModel& model) {
    std::atomic<double> samples = 0;
    const WindowStudy view = study.View([&](double work) { samples += work; });
    const PanelWindow window(panel, map, view.typed(), all);
    model.Impute({window, view, all});
    return samples.load();
  };
  const ImputerModel imputer(MakeCpuBackend(RandomWeights(1)));
  EXPECT_DOUBLE_EQ(work(imputer), kSamples);
  EXPECT_DOUBLE_EQ(work(PhasingModel({})), kSamples);
  for (GenotypeRow& row : study.rows) row.unphased.assign(kSamples, 1);
  EXPECT_NEAR(work(imputer), kSamples, 1e-6);
  EXPECT_NEAR(work(PhasingModel({})), kSamples, 1e-6);
}

// With several threads, the matches of the next samples are searched while the samples before are imputed.
TEST(WindowModel, SeveralBatchesDoNotDependOnThreads) {
  constexpr size_t kSamples = kSamplesAtATime + 4;
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 20 + 2 * kSamples, .markers = 40});
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", 10));
  SimulatedStudy study(DiploidSamples("S", kSamples), CommonMarkers(panel, 2), std::span(mosaic.alleles).subspan(20));
  const GeneticMap map = GeneticMap::Uniform();
  const MarkerRange all{0, panel.num_markers()};
  const ImputerModel imputer(MakeCpuBackend(RandomWeights(1)));
  const auto impute = [&](int threads) {
    SetThreads(threads);
    const WindowStudy view = study.View();
    const PanelWindow window(panel, map, view.typed(), all);
    return imputer.Impute({window, view, all});
  };
  for (const uint8_t unphased : {0, 1}) {
    for (GenotypeRow& row : study.rows) row.unphased.assign(kSamples, unphased);
    const WindowDosages one = impute(1), four = impute(4);
    for (size_t h = 0; h < 2 * kSamples; ++h) {
      for (size_t m = 0; m < panel.num_markers(); ++m) ASSERT_EQ(one.Get(h, m), four.Get(h, m)) << h;
    }
  }
  SetThreads(AvailableThreads());
}

}  // namespace
}  // namespace haplospin
