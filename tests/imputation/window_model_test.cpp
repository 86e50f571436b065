#include "imputation/window_model.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "imputation/copying/state_selection.h"
#include "imputation/mosaic_panel.h"
#include "imputation/network/cpu_backend.h"
#include "imputation/network_fixtures.h"
#include "imputation/phasing_model.h"
#include "imputation/window_imputer.h"

namespace haplospin {
namespace {

// The progress bar moves with each. More samples than a model takes at a time.
TEST(WindowModel, EverySampleIsReportedOnce) {
  constexpr size_t kSamples = kSamplesAtATime + 4;
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 20 + 2 * kSamples, .markers = 40});
  const HaplotypePanel panel = PanelOf(mosaic, DiploidSamples("R", 10));
  const SimulatedStudy study(DiploidSamples("S", kSamples), CommonMarkers(panel, 2),
                             std::span(mosaic.alleles).subspan(20));
  const MarkerRange all{0, panel.num_markers()};
  const auto count = [&](const WindowModel& model) {
    std::atomic<size_t> reported = 0;
    WindowStudy view = study.View();
    view.on_sample = [&] { ++reported; };
    model.Impute(panel, GeneticMap::Uniform(), view, all, all);
    return reported.load();
  };
  EXPECT_EQ(count(ImputerModel(MakeCpuBackend(RandomWeights(1)), {}, {})), kSamples);
  EXPECT_EQ(count(PhasingModel({})), kSamples);
}

}  // namespace
}  // namespace haplospin
