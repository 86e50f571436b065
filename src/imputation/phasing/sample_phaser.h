// Phases one sample: the states it may copy, the order of sweeps, and what they add up to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "imputation/copying/copying_model.h"
#include "imputation/copying/copying_states.h"
#include "imputation/copying/haplotype_matches.h"
#include "imputation/copying/panel_populations.h"
#include "imputation/phasing/diploid_sample.h"
#include "imputation/phasing/pair_sampler.h"

namespace haplospin {

// Sweeps of the stages of a sample.
namespace phasing_sweeps {
inline constexpr int kFirst = 2;        // over evenly spaced haplotypes
inline constexpr int kImprove = 4;      // over the matches of the present phase
inline constexpr int kPopulations = 3;  // over matches; the last two count what is copied
inline constexpr int kBurnIn = 1;       // of Draw(), before the sweeps that count
inline constexpr int kDraw = 12;        // of Draw(), which are averaged
}  // namespace phasing_sweeps

// What a sample may copy, and how.
struct PhasingSources {
  const HaplotypeRows& haplotypes;
  std::span<const HaplotypeMatch> matches;  // of both haplotypes of the sample
  const ExcludedHaplotypes& own;            // which it must not copy
  const CopyingModel& model;
};

// What is known of a sample's phase, beyond the most probable one, which is in the sample.
struct PhaseDraws {
  std::vector<float> cis_probability;  // [hets] see PairSampler
  std::vector<std::vector<bool>> cis;  // [sweeps][hets] phases drawn from the posterior distribution
};

// Gives the sample the phase that most draws agree on.
void SetMostProbablePhase(PhaseDraws& draws, DiploidSample& sample);

// Workspace of one thread.
class SamplePhaser {
 public:
  // `populations` are those of the panel; null: every haplotype is as probable a source.
  explicit SamplePhaser(const PanelPopulations* populations) : populations_(populations) {}

  // The stages, in this order. The matches are those of the present phase, which the first stage does not need: it
  // copies evenly spaced haplotypes. Improve() and Draw() may be called several times; Draw() adds to `draws`.
  void FindFirstPhase(DiploidSample& sample, const PhasingSources& sources, RandomStream random);
  void Improve(DiploidSample& sample, const PhasingSources& sources, RandomStream random);
  PopulationMixture FindPopulations(DiploidSample& sample, const PhasingSources& sources, RandomStream random);
  void Draw(DiploidSample& sample, const PhasingSources& sources, const PopulationMixture& mixture, RandomStream random,
            PhaseDraws& draws);

 private:
  void Start(DiploidSample& sample, const PhasingSources& sources, const PopulationMixture* mixture);
  void SetStates(const PopulationMixture* mixture);
  void SetPriors(const PopulationMixture& mixture);

  const PanelPopulations* populations_;
  CopyingStates composites_;
  PhasingStates states_;
  PairSampler sampler_;
  std::vector<float> copied_;  // [reference haplotypes]
};

}  // namespace haplospin
