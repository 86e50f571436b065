// Samples the phase of a diploid sample under the Li-Stephens model of two independent haplotypes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/phasing/gap_imputer.h"
#include "genotypes/imputation/models/phasing/genotype_emission.h"
#include "genotypes/imputation/models/phasing/given_phase.h"
#include "genotypes/imputation/models/phasing/pair_kernels.h"
#include "genotypes/imputation/models/phasing/pair_stops.h"
#include "genotypes/imputation/models/phasing/phasing_states.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "genotypes/imputation/models/phasing/sparse_stops.h"
#include "genotypes/imputation/models/phasing/state_alts.h"

namespace haplospin {

// A Gibbs sampler for one thread. A sweep passes over the heterozygotes in one direction. At each, it draws the phase
// of the heterozygote, and that of all heterozygotes ahead relative to those behind, from their joint conditional
// probability. This takes the forward probabilities of both haplotypes on one side of the heterozygote and the backward
// probabilities on the other side. Each sweep stores its own probabilities for the next one, in the other direction.
//
// Phases that contradict the study are improbable (given_phase.h).
//
// Missing genotypes at which next to nothing is known (SampleGenotypes::is_passive) take no part in the recursions: the
// probabilities of their alleles are those of the states at the nearest marker that does.
//
// A switch leads to state s with a probability in proportion to prior(s). The recursions compute f(s), the forward
// probability, and prior(s) b(s), where b is the backward probability, so that the same step serves both directions.
class PairSampler {
 public:
  // `states`, `model` and `sample` must outlive the sweeps. The first sweep is forward. `first` tells what it knows of
  // the markers ahead: the present phase, or the homozygous markers alone.
  enum class First { kPresentPhase, kHomozygotes };
  void Start(PhasingStates& states, const CopyingModel& model, SampleGenotypes& sample, First first);

  // Changes the phase of the sample to a draw from the conditional probabilities, or to the most probable phase.
  void Sweep(Choice choice, RandomStream& random);

  // Returns, for the last sweep, the probability that the ALT allele of heterozygote h > 0 is on the same haplotype as
  // that of h - 1: [hets].
  std::span<const float> cis_probability() const { return cis_probability_; }

  // Returns, for the last sweep that found it, the probability of ALT on each haplotype where an allele of the sample
  // is missing: [missing]. Backward sweeps find it if genotypes may be passive. The haplotypes are those of the present
  // phase. Likelihoods are part of the probability.
  std::span<const float> alt_probability(size_t c) const { return alt_probability_[c]; }
  std::span<const float> both_probability() const { return both_probability_; }  // of ALT on both haplotypes

  // Returns whether the last sweep found them.
  bool found_probabilities() const { return !is_forward_ || has_passive_; }

  // Makes the next sweeps add the probability of each state at each heterozygote to copied[haplotype], unless null.
  void CountCopied(float* copied) { copied_ = copied; }

 private:
  // A draw at a heterozygote.
  struct Turn {
    bool flip = false;  // exchange its alleles
    bool swap = false;  // exchange the haplotypes ahead
    double flip_probability = 0;
  };

  using Stop = PairStop;

  template <typename Visit>
  void Traverse(Visit visit);
  using Emissions = SparseStops::Emissions;
  Emissions KnownAt(size_t j) const;
  Emissions GivenOther(const PairLikelihoods& likelihoods, const std::array<float, 2>& other_alt) const;
  PairStep MakeStep(float switching, const Emissions& emissions);
  void Step(const Stop& stop, float switching, const Emissions& emissions);
  void StepAndStore(const Stop& stop, float switching);
  void KeepAhead(const Stop& stop);
  Continuations StepAndJoin(const Stop& stop, float switching, bool swapped);
  void LeaveStop(const Stop& stop, const Emissions& emissions);
  void ApplyChanges(size_t j);
  double Probability(const Continuations& sums, size_t c, size_t d, size_t allele) const;
  Turn Choose(size_t het, bool swapped, const Continuations& sums, Choice choice, RandomStream& random) const;
  void Count(const Stop& stop, bool swapped, const Continuations& sums);
  bool DrawsAt(const Stop& stop) const;
  void PassFirst(const Stop& stop);
  bool PassHet(const Stop& stop, float switching, size_t previous, bool swapped, Choice choice, RandomStream& random);
  bool PassUncertain(const Stop& stop, float switching, size_t previous, bool swapped, Choice choice,
                     RandomStream& random);
  void PassMissing(const Stop& stop, bool swapped);
  void PassGap(const Stop& stop, float switching, bool swapped);
  void FindPassive(const Stop& stop, bool swapped, const Emissions& emissions);
  void SetPassive(size_t k, const std::array<float, 2>& copied);
  float* Stored(size_t place, size_t c) { return stored_.data() + (2 * place + c) * states_->size(); }
  const float* Stored(size_t place, size_t c) const { return stored_.data() + (2 * place + c) * states_->size(); }

  void SetSums(const std::array<float, 2>& sums) {
    state_.sums = sums;
    state_.scale = {1, 1};
    state_.offset = {};
  }

  using Floats = PairState::Floats;

  PhasingStates* states_ = nullptr;  // with the haplotypes and priors at the present marker
  const CopyingModel* model_ = nullptr;
  SampleGenotypes* sample_ = nullptr;
  bool is_forward_ = true;    // direction of the next sweep
  bool has_passive_ = false;  // genotypes may be passive, and sweeps of both directions find probabilities
  PairStops stops_;
  GivenPhase given_;
  StateAlts alts_;
  size_t next_change_ = 0;
  PairState state_;  // of the present sweep
  SparseStops sparse_;
  GapImputer gap_;
  Floats stored_;  // [stops that are not sparse, 2, states] last sweep's values, before the alleles of a het
  std::array<Floats, 2> ahead_;   // [2][states] workspace: the stored states that the present ones replace
  std::array<Floats, 2> weight_;  // [2][whole words of states] workspace: probabilities of the states at a stop
  std::vector<float> cis_probability_;
  std::array<std::vector<float>, 2> alt_probability_;  // [haplotype][missing]
  std::vector<float> both_probability_;                // [missing]
  float* copied_ = nullptr;
};

}  // namespace haplospin
