#include "genotypes/imputation/stages/estimate_stage.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "genotypes/imputation/stages/phasing/study_phase.h"

namespace haplospin {
namespace {

// Four public panels of people switch 130 to 260 times per Morgan, four of animals and plants 2 to 6 times.
constexpr double kSwitchesOfPeople = 40;
constexpr double kMinScale = 0.02;

// Bytes of a panel sample: its name in several tables, and its populations.
constexpr size_t kSampleBytes = 280;

double Scale(const WindowState& window) {
  const std::span<const float> gaps = window.panel.typed_panel().morgans();
  const double morgans = std::accumulate(gaps.begin(), gaps.end(), 0.0);
  return DistanceScale(window.estimates->copying.switches / morgans);
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

double DistanceScale(double switches_per_morgan) {
  return std::clamp(switches_per_morgan / kSwitchesOfPeople, kMinScale, 1.0);
}

// With too few haplotypes, nothing tells how far they are shared.
bool ScaleStage::Applies(const WindowState& window) const {
  return window.estimates && !window.estimates->copying.last_round.switch_probability.empty() && Scale(window) != 1;
}

void ScaleStage::Run(WindowState& window) const {
  window.Scale(Scale(window));
  if (!window.array) window.estimates->copying = EstimateCopying(window.copied());
}

}  // namespace haplospin
