#include "genotypes/imputation/stages/estimate_stage.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "genotypes/imputation/stages/phasing/study_phase.h"

namespace haplospin {
namespace {

// Windows of more than 0.5 cM of three public panels of people switch 100 to 1,300 times per Morgan, those of seven of
// animals and plants 2 to 30 times. In shorter windows, people's haplotypes too are shared over the whole window: 2 to
// 30 times in windows of 0.04 to 0.3 cM.
constexpr double kSwitchesOfPeople = 40;
constexpr double kMinMorgans = 0.005;
constexpr double kMinScale = 0.02;

// Bytes of a panel sample: its name in several tables, and its populations.
constexpr size_t kSampleBytes = 280;

double Scale(const WindowState& window) {
  const std::span<const float> gaps = window.panel.typed_panel().morgans();
  const double morgans = std::accumulate(gaps.begin(), gaps.end(), 0.0);
  return DistanceScale(window.estimates->copying.switches, morgans);
}

}  // namespace

bool EstimateStage::Applies(const WindowState& window) const {
  if (window.estimates) return false;
  const bool is_large = window.panel.panel().num_haplotypes() >= kLargePanel;
  return search_ == Search::kOwn || !is_large || !IsPhased(window.study);
}

StageMemory EstimateStage::Memory(const WindowSize& size) const {
  return {.shared = size.panel_samples * kSampleBytes};
}

void EstimateStage::Run(WindowState& window) const { window.estimates = EstimatePanel(window.panel); }

double DistanceScale(double switches, double morgans) {
  return morgans < kMinMorgans ? 1 : std::clamp(switches / morgans / kSwitchesOfPeople, kMinScale, 1.0);
}

// With too few haplotypes, nothing tells how far they are shared.
bool ScaleStage::Applies(const WindowState& window) const {
  return window.estimates && !window.estimates->copying.last_round.switch_probability.empty() && Scale(window) != 1;
}

void ScaleStage::Run(WindowState& window) const {
  window.Scale(Scale(window));
  ++window.report.scaled;
  if (!window.array) window.estimates->copying = EstimateCopying(window.copied());
}

}  // namespace haplospin
