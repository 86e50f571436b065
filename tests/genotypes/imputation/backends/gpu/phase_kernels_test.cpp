#include "genotypes/imputation/backends/gpu/phase_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "genotypes/imputation/backends/gpu/cuda_driver.h"
#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// The evidence in the phase of samples with an error in their middle, from targets with one warp of states or several.
TEST(PhaseKernels, AgreeWithTheCpu) {
  constexpr size_t kPanel = 3000, kSamples = 5;
  const Mosaic mosaic =
      SimulateMosaic({.haplotypes = kPanel + 2 * kSamples, .markers = 300, .founders = 30, .rare_share = 0, .seed = 3});
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", kPanel / 2));
  Device gpu(OpenCudaDriver(HAPLOSPIN_EMULATED_DRIVER), 0, "");
  for (const size_t per_block : {2, 60, 100}) {
    const GeneticMap map = GeneticMap::Uniform();
    const CopyingOptions copying{.states = {.max_states = 2048, .matches = {.per_block = per_block}}};
    const PanelWindow window(panel, map, CommonMarkers(panel, 2), {0, panel.num_markers()}, copying);
    const PanelEstimates estimates = EstimatePanel(window);
    const size_t typed = window.typed_panel().num_typed();

    std::vector<TargetHaplotype> haplotypes;
    std::vector<size_t> selected;
    std::vector<ExaminedPhase> phases;
    for (size_t s = 0; s < kSamples; ++s) {
      std::vector<uint8_t> one = AllelesAt(mosaic.alleles[kPanel + 2 * s], window.typed_markers());
      std::vector<uint8_t> other = AllelesAt(mosaic.alleles[kPanel + 2 * s + 1], window.typed_markers());
      std::swap_ranges(one.begin() + static_cast<std::ptrdiff_t>(typed / 2), one.end(),
                       other.begin() + static_cast<std::ptrdiff_t>(typed / 2));
      one[typed / 3] = kMissingAllele;
      selected.push_back(haplotypes.size());
      haplotypes.emplace_back(std::move(one));
      haplotypes.emplace_back(std::move(other));
    }
    CopyingModel model = estimates.copying.last_round;
    model.mismatch_probability = 0.001f;
    const StateSelection selection(window.typed_panel(), PointersTo(haplotypes), copying.states);
    const PhaseSearch search{window.typed_panel(), model, selection, selected};
    for (size_t s = kSamples; s-- > 0;) phases.push_back({&search, s, std::span(haplotypes).subspan(2 * s, 2)});
    const KernelWindow kernel_window(gpu, window, estimates, ImputedMarkers(window), LiStephensWeights());
    PhaseKernels kernels(gpu, kernel_window);
    size_t ratios = 0;
    for (const size_t count : {kSamples, size_t{2}}) {  // The second call takes the memory of the first.
      const auto examined = std::span(phases).first(count);
      const std::vector<PhaseEvidence> expected = ExaminePhases(examined);
      const std::vector<PhaseEvidence> found = kernels.Examine(examined);
      for (size_t p = 0; p < count; ++p) {
        EXPECT_EQ(found[p].num_hets, expected[p].num_hets);
        ASSERT_EQ(found[p].ratios.size(), expected[p].ratios.size());
        for (size_t k = 0; k < found[p].ratios.size(); ++k) {
          EXPECT_EQ(found[p].ratios[k].het, expected[p].ratios[k].het);
          EXPECT_NEAR(found[p].ratios[k].log, expected[p].ratios[k].log, 1e-3);
        }
        ratios += found[p].ratios.size();
      }
    }
    EXPECT_GE(ratios, kSamples);
  }
}

}  // namespace
}  // namespace haplospin
