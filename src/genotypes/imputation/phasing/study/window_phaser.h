// Phases samples of a window together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "genotypes/imputation/copying/typed_panel.h"
#include "genotypes/imputation/phasing/sample/imputed_alts.h"
#include "genotypes/imputation/phasing/sample/sample_genotypes.h"
#include "genotypes/imputation/phasing/sample/sample_phaser.h"
#include "genotypes/imputation/window/panel_estimates.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_study.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// Most composites of a sample's matches. Where genotypes are known by their likelihoods, haplotypes match less clearly.
inline constexpr size_t kMaxPhasingStates = 512, kMaxStatesOfLikelihoods = 1000;

// Samples [begin, end) of the study.
struct SampleRange {
  size_t begin;
  size_t end;
};

// The haplotypes that a sample may copy while it is phased: those of the panel, and after them those of study samples
// in their present phase, if these are used.
class PhasingReference {
 public:
  // The panel must outlive the reference.
  explicit PhasingReference(const TypedPanel& panel) : panel_(&panel), num_panel_haplotypes_(panel.num_haplotypes()) {}

  // `present` are the unphased samples among `samples` in their present phase, and `index` their indices in the study.
  // Missing alleles are taken as the major alleles.
  PhasingReference(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study, SampleRange samples,
                   std::span<const SampleGenotypes> present, std::span<const size_t> index);

  const TypedPanel& panel() const { return *panel_; }
  HaplotypeRows rows() const { return panel_->rows(); }
  size_t num_haplotypes() const { return panel_->num_haplotypes(); }

  // Where alleles of the samples were imputed; of all haplotypes of the reference.
  const ImputedAlts& imputed() const { return imputed_; }

  // Returns the haplotypes of a study sample, which it must not copy itself.
  ExcludedHaplotypes Own(const WindowStudy& study, size_t sample) const;

 private:
  std::unique_ptr<TypedPanel> joined_;
  const TypedPanel* panel_;
  ImputedAlts imputed_;
  size_t num_panel_haplotypes_;
  uint32_t first_study_haplotype_ = 0;
};

// From so many samples on, a study without a panel is phased in fewer rounds.
inline constexpr size_t kManySamples = 2000;

// Rates that a copying model is given for phasing.
struct PhasingRates {
  float multiplier;  // factor of the estimated switch probabilities
  float mismatch_probability;
};

// One of several runs over the same samples, each with its own random draws and a part of the rounds.
struct PhasingChain {
  size_t index = 0, count = 1;
};

class WindowPhaser {
 public:
  // `index` are the indices of the samples in the study. `sources` are study samples, `samples` among them, whose
  // haplotypes may be copied like those of the panel, which has `estimates` if it has haplotypes. `work` is the
  // share of phasing in the progress of a sample. The window and the study must outlive the phaser.
  WindowPhaser(const PanelWindow& window, std::optional<PanelEstimates> estimates, const WindowStudy& study,
               uint64_t seed, double work, std::vector<SampleGenotypes> samples, std::vector<size_t> index,
               std::optional<SampleRange> sources, PhasingChain chain = {});

  // Both run on all threads; the results do not depend on their number.
  void FindPhase();                           // replaces the phase of the samples by a first one
  void Draw(std::vector<PhaseDraws>& draws);  // improves it, and adds its draws to those of earlier chains: [samples]

  // Leaves the most probable phase in samples(): [samples].
  std::vector<PhasePosterior> SetMostProbable(std::vector<PhaseDraws> draws);

  const std::vector<SampleGenotypes>& samples() const { return samples_; }
  const PhasingReference& reference() const { return *reference_; }
  PhasingReference TakeReference() { return std::move(*reference_); }
  CopyingModel model() const;

 private:
  using ForSample = std::function<void(SamplePhaser&, size_t, const PhasingSources&)>;
  void ForEachSample(const CopyingModel& model, bool with_matches, int sweeps, const ForSample& function);
  void FindPhaseFromPanel();
  void FindPhaseFromStudy();
  void Improve(int rounds, int sweeps, const PhasingRates& rates);
  float SwitchFactor() const;
  int AllSweeps() const;

  // In sequences, the length of a match tells how long ago the common ancestor lived; between the few markers of an
  // array, matches end at recombinations that are not seen.
  bool MatchesEndAtMutations() const { return !has_likelihoods_ && mismatch_share_ < 1; }
  RandomStream Random(size_t k, uint64_t stage) const;
  void UpdateReference();
  void EstimateModel();
  CopyingModel ModelWith(PhasingRates rates) const;
  const CopyingModel& estimated() const { return study_model_ ? *study_model_ : estimates_->copying.model; }

  const PanelWindow& window_;
  const std::optional<PanelEstimates> estimates_;
  const WindowStudy& study_;
  const uint64_t seed_;
  const double work_;
  std::vector<SampleGenotypes> samples_;
  const PhasingChain chain_;
  std::vector<PhaseDraws> draws_;  // [samples] of the first phase, until Draw()
  std::vector<size_t> index_;
  std::optional<SampleRange> sources_;
  const bool has_likelihoods_;  // of genotypes that are neither called nor missing
  const float mismatch_share_;  // factor of the mismatch probabilities, below 1 in sequences
  const double missing_share_;  // of the alleles of the sources
  const int study_rounds_;      // rounds before the draws, without a panel
  std::optional<PhasingReference> reference_;
  std::optional<CopyingModel> study_model_;  // the model estimated from the samples, without a panel
};

// Returns the share of the alleles of `sources` that are missing in the samples, without likelihoods.
double MissingShare(const WindowStudy& study, std::span<const SampleGenotypes> samples, const SampleRange& sources);

// Returns the model with other rates, by which the switch probabilities that were estimated are multiplied.
CopyingModel WithRates(const PhasingRates& rates, CopyingModel estimated);

}  // namespace haplospin
