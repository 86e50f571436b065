// Phases samples of a window together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "imputation/phasing/phasing_reference.h"
#include "imputation/phasing/sample_phaser.h"
#include "imputation/window/panel_window.h"
#include "imputation/window/window_study.h"

namespace haplospin {

struct PhasingRates {
  float multiplier;  // of the estimated switch probabilities
  float mismatch_probability;
};

class WindowPhaser {
 public:
  // `index`: of the samples in the study. `sources`: samples of the study, these among them, whose haplotypes may be
  // copied as those of the panel; there must be some if the panel has none. `work`: the share of a sample's work that
  // is phasing, as progress is reported. The window and the study must outlive the phaser.
  WindowPhaser(const PanelWindow& window, const WindowStudy& study, uint64_t seed, double work,
               std::vector<DiploidSample> samples, std::vector<size_t> index, std::optional<SampleRange> sources);

  // Leaves the most probable phase in samples(). Runs on all threads; the result does not depend on their number.
  std::vector<PhaseDraws> Run();

  const std::vector<DiploidSample>& samples() const { return samples_; }
  const PhasingReference& reference() const { return *reference_; }
  CopyingModel model() const;

 private:
  using ForSample = std::function<void(SamplePhaser&, size_t, const PhasingSources&)>;
  void ForEachSample(const CopyingModel& model, bool with_matches, int sweeps, const ForSample& function);
  void FindFirstPhase();
  void FindPhaseFromStudy();
  RandomStream Random(size_t k, uint64_t stage) const;
  void UpdateReference();
  void EstimateModel();
  const CopyingModel& estimated() const { return of_study_ ? *of_study_ : window_.copying().model; }

  const PanelWindow& window_;
  const WindowStudy& study_;
  const uint64_t seed_;
  const double work_;
  std::vector<DiploidSample> samples_;
  std::vector<size_t> index_;
  std::optional<SampleRange> sources_;
  std::optional<PhasingReference> reference_;
  std::optional<CopyingModel> of_study_;  // estimated from the samples, without a panel
};

// Returns the model with other rates; the switch probabilities are relative to those estimated.
CopyingModel WithRates(const PhasingRates& rates, CopyingModel estimated);

}  // namespace haplospin
