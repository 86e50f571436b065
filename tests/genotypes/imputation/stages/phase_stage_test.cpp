#include "genotypes/imputation/stages/phase_stage.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/threads.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/imputation/plan/window_plan.h"

namespace haplospin {
namespace {

// The progress bar moves with each, by the work done. More samples than a model takes at a time.
TEST(PhaseStage, WorkOfEverySampleIsReported) {
  constexpr size_t kSamples = kSamplesAtATime + 4;
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 20 + 2 * kSamples, .markers = 40});
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", 10));
  SimulatedStudy study(DiploidSamples("S", kSamples), CommonMarkers(panel, 2), std::span(mosaic.alleles).subspan(20));
  const GeneticMap map = GeneticMap::Uniform();
  const MarkerRange all{0, panel.num_markers()};
  const auto work = [&](const WindowPlan& plan) {
    std::atomic<double> samples = 0;
    const WindowStudy view = study.View([&](double work) { samples += work; });
    const PanelWindow window(panel, map, view.typed(), all);
    WindowState state(window, view, all);
    plan.Run(state);
    return samples.load();
  };
  const auto backend = MakeCpuBackend(RandomWeights(1));
  const WindowPlan imputer = MakeWindowPlan({}, {.imputer = {.backend = backend.get()}});
  const WindowPlan phasing = MakeWindowPlan({.output = RunOutput::kPhase}, {});
  EXPECT_DOUBLE_EQ(work(imputer), kSamples);
  EXPECT_DOUBLE_EQ(work(phasing), kSamples);
  for (GenotypeRow& row : study.rows) row.unphased.assign(kSamples, 1);
  EXPECT_NEAR(work(imputer), kSamples, 1e-6);
  EXPECT_NEAR(work(phasing), kSamples, 1e-6);
}

// With several threads, the matches of the next samples are searched while the samples before are imputed.
TEST(PhaseStage, SeveralBatchesDoNotDependOnThreads) {
  constexpr size_t kSamples = kSamplesAtATime + 4;
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 20 + 2 * kSamples, .markers = 40});
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", 10));
  SimulatedStudy study(DiploidSamples("S", kSamples), CommonMarkers(panel, 2), std::span(mosaic.alleles).subspan(20));
  const GeneticMap map = GeneticMap::Uniform();
  const MarkerRange all{0, panel.num_markers()};
  const auto backend = MakeCpuBackend(RandomWeights(1));
  const auto impute = [&](int threads) {
    SetThreads(threads);
    const WindowStudy view = study.View();
    const PanelWindow window(panel, map, view.typed(), all);
    return ImputeWindow(window, view, *backend);
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
