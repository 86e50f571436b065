// Samples the phase of a diploid sample under the Li-Stephens model of two independent haplotypes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "imputation/copying/copying_model.h"
#include "imputation/phasing/diploid_sample.h"
#include "imputation/phasing/pair_kernels.h"
#include "imputation/phasing/phasing_states.h"

namespace haplospin {

// Workspace of one thread. A Gibbs sampler: a sweep passes over the heterozygotes in one direction and draws, at each,
// its own phase and that of all heterozygotes ahead relative to those behind, from the joint conditional probability
// given the rest. That takes the forward probabilities of both haplotypes on one side of the heterozygote and the
// backward probabilities on the other; each sweep stores its own for the next one, in the other direction.
//
// A switch leads to state s with a probability in proportion to prior(s). The recursions are those of f(s), the forward
// probability, and of prior(s) b(s), b the backward probability, so that the same step serves both directions.
class PairSampler {
 public:
  // `sample` and `model` must outlive the sweeps. The first sweep is forward; what lies ahead of it has the present
  // phase, or is judged by its homozygous markers alone.
  enum class First { kPresentPhase, kHomozygotes };
  void Start(PhasingStates& states, const CopyingModel& model, DiploidSample& sample, First first);

  // Changes the phase of the sample, drawn from the conditional probabilities, or the most probable.
  enum class Choice { kDraw, kBest };
  void Sweep(Choice choice, RandomStream& random);

  // [hets] of the last sweep: the probability that heterozygote h > 0 has its ALT allele on the haplotype of h - 1.
  std::span<const float> cis_probability() const { return cis_probability_; }

  // Adds the probability of each state at each heterozygote of the next sweep to copied[haplotype]; null: does not.
  void CountCopied(float* copied) { copied_ = copied; }

 private:
  // What is drawn at a heterozygote.
  struct Turn {
    bool flip = false;  // its alleles
    bool swap = false;  // the haplotypes ahead
    double flip_probability = 0;
  };

  template <typename Visit>
  void Traverse(bool ignore_hets, Visit visit);
  void Step(size_t j, float switching, std::array<uint8_t, 2> alleles);
  void ApplyChanges(size_t j);
  Continuations Continue(size_t het, bool swapped) const;
  Turn Choose(size_t het, const Continuations& sums, Choice choice, RandomStream& random) const;
  void Count(size_t het, bool swapped, const Continuations& sums);
  float* Stored(size_t het, size_t c) { return stored_.data() + (2 * het + c) * states_->size(); }
  const float* Stored(size_t het, size_t c) const { return stored_.data() + (2 * het + c) * states_->size(); }

  PhasingStates* states_ = nullptr;  // its haplotypes, priors and changes are those at the present marker
  const CopyingModel* model_ = nullptr;
  DiploidSample* sample_ = nullptr;
  bool is_forward_ = true;  // the next sweep
  size_t next_change_ = 0;
  std::vector<float> inverse_prior_;         // [states]
  std::vector<float> stored_;                // [hets, 2, states] of the last sweep, before each heterozygote's alleles
  std::array<std::vector<float>, 2> state_;  // [states] of the present sweep, times sums_
  std::array<float, 2> sums_{};
  std::vector<float> cis_probability_;
  float* copied_ = nullptr;
};

}  // namespace haplospin
