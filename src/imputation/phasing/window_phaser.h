// Phases samples of a window together.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "imputation/phasing/phasing_reference.h"
#include "imputation/phasing/sample_phaser.h"
#include "imputation/window/window_study.h"

namespace haplospin {

class WindowPhaser {
 public:
  // `index`: of the samples in the study. `sources`: samples of the study, these among them, whose haplotypes may be
  // copied as those of the panel; there must be some if the panel has none. The context and the study must outlive the
  // phaser.
  WindowPhaser(const PhasingContext& context, const WindowStudy& study, std::vector<DiploidSample> samples,
               std::vector<size_t> index, std::optional<SampleRange> sources);

  // Leaves the most probable phase in samples(). Runs on all threads; the result does not depend on their number.
  std::vector<PhaseDraws> Run();

  const std::vector<DiploidSample>& samples() const { return samples_; }
  const PhasingReference& reference() const { return *reference_; }
  CopyingModel model() const { return WithRates(context_.options.rates); }

 private:
  using ForSample = std::function<void(SamplePhaser&, size_t, const PhasingSources&)>;
  void ForEachSample(const CopyingModel& model, bool with_matches, int sweeps, const ForSample& function);
  void FindFirstPhase();
  void FindPhaseFromStudy();
  RandomStream Random(size_t k, uint64_t stage) const;
  void UpdateReference();
  void EstimateModel();
  CopyingModel WithRates(const PhasingRates& rates) const;

  const PhasingContext& context_;
  const WindowStudy& study_;
  std::vector<DiploidSample> samples_;
  std::vector<size_t> index_;
  std::optional<SampleRange> sources_;
  std::optional<PhasingReference> reference_;
  CopyingModel estimated_;
};

// The model with other rates; the switch probabilities are relative to those estimated.
CopyingModel WithRates(const PhasingRates& rates, CopyingModel estimated);

}  // namespace haplospin
