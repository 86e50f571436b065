// Samples the haplotypes of a sample from its reads, under the Li-Stephens model of two independent haplotypes.
#pragma once

#include <oneapi/tbb/cache_aligned_allocator.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/phasing/phasing_states.h"
#include "genotypes/imputation/models/phasing/read_kernels.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"

namespace haplospin {

// A Gibbs sampler for one thread. It draws which haplotype each read is of, as QUILT does (Davies et al. 2021): a sweep
// passes over the reads in one direction. At each, it draws the haplotype of the read, and whether the haplotypes ahead
// are exchanged with the reads that are there, from their joint conditional probability. Given the reads of a
// haplotype, the states that it copies are integrated over: a state is as likely as the read is, given its alleles at
// all markers that the read covers. A read is taken to be at the marker in its middle; longer ones are several pieces,
// which are of different haplotypes with a small probability, without which the draws would not leave a wrong guess.
//
// The probabilities of alleles are those of the states at the nearest read, and of the reads of the haplotype that show
// the marker.
class ReadSampler {
 public:
  // `states`, `model` and `sample`, which has reads, must outlive the sweeps. The first sweep is forward. It begins
  // with the present haplotypes of the reads; those that are not known may be of either.
  void Start(PhasingStates& states, const CopyingModel& model, SampleGenotypes& sample);

  // Changes the haplotypes of the reads to a draw from the conditional probabilities, or the most probable ones; and
  // the phase of heterozygotes to a draw, or the most probable one, given these.
  void Sweep(Choice choice, RandomStream& random);

  // What the functions of PairSampler with these names return, but after a sweep in either direction.
  std::span<const float> cis_probability() const { return cis_probability_; }
  std::span<const float> alt_probability(size_t c) const { return alt_probability_[c]; }
  std::span<const float> both_probability() const { return both_probability_; }
  bool found_probabilities() const { return true; }

  // Makes the next sweeps add the probability of each state at each read to copied[haplotype], unless null.
  void CountCopied(float* copied) { copied_ = copied; }

 private:
  // An allele that a piece of a read shows at a marker.
  struct Shown {
    uint32_t found;  // marker
    uint32_t piece;
    float log_odds;  // of ALT
  };

  // A marker whose genotype is found: missing, or a heterozygote to be phased.
  struct Found {
    uint32_t marker;
    bool is_het;
    uint32_t index;                           // of the missing genotypes or the heterozygotes
    uint32_t first_shown = 0, end_shown = 0;  // what reads show there, in shown_
    std::array<float, 2> copied = {};         // [haplotype] probability that the copied allele is ALT
    std::array<float, 2> log_odds = {};       // [haplotype] of ALT, by the reads
  };

  // Where the sweep stops for a piece of a read.
  struct Stop {
    float switching = 0;                      // probability of a switch since the stop before
    uint32_t first_found = 0, end_found = 0;  // the markers that are nearest to it
  };

  // What a sweep has exchanged so far, and the neighboring pieces of reads on either side of its place.
  struct Turns {
    bool swapped = false;            // the haplotypes ahead are exchanged
    double same = 0, different = 0;  // ties between pieces that are on the same haplotype, on different ones
  };

  using Floats = std::vector<float, tbb::cache_aligned_allocator<float>>;
  using Weights = std::array<double, 4>;  // 2 * swap + haplotype of the read

  void FindStops();
  void FindMarkers();
  void FindShown();
  void AssignMarkers();
  void SetPriors();
  void ApplyChanges(size_t j);
  template <typename Visit>
  void Traverse(const Visit& visit);
  void FindEmissions(const ReadPiece& piece);
  std::array<float, 2> Keep(float switching) const;
  static ReadFactors FactorsOfKnown(const ReadPiece& piece);
  ReadFactors FactorsOfUnknown() const;
  Weights Weigh(const ReadJoin& join, const ReadPiece& piece, const Turns& turns) const;
  void Pass(size_t i, float switching, Turns& turns, Choice choice, RandomStream& random);
  void CountTie(const ReadPiece& piece, uint32_t neighbor, int sign, Turns& turns) const;
  void Leave(size_t i, bool swapped, const std::array<float, 2>& totals);
  void FindCopied(size_t i, bool swapped, const std::array<float, 2>& totals);
  std::array<float, 2> ShownOdds(const Found& found, size_t i, bool swapped) const;
  void Count(const std::array<float, 2>& totals);
  void Finish(Choice choice, RandomStream& random);
  std::array<float, 4> GenotypeWeights(const Found& found) const;
  std::vector<ReadPiece>& pieces() { return sample_->reads.pieces; }
  const std::vector<ReadPiece>& pieces() const { return sample_->reads.pieces; }
  float* Stored(size_t stop, size_t c) { return stored_.data() + (2 * stop + c) * padded_; }

  PhasingStates* states_ = nullptr;  // with the haplotypes and priors at the present marker
  const CopyingModel* model_ = nullptr;
  SampleGenotypes* sample_ = nullptr;
  bool is_forward_ = true;
  size_t next_change_ = 0;
  size_t padded_ = 0;                     // states in whole words
  std::vector<Stop> stops_;               // [pieces]
  std::vector<Found> found_;              // ascending by marker
  std::vector<Shown> shown_;              // ascending by marker
  Floats prior_, inverse_prior_;          // [padded], 0 beyond the last state
  std::vector<ReadTerm> terms_;           // of the present read
  Floats emission_;                       // [padded] of the present read
  Floats stored_;                         // [pieces, 2, padded] last sweep's state_, before the read
  std::array<Floats, 2> state_, weight_;  // [2][padded]
  std::array<float, 2> sums_{};
  std::vector<float> cis_probability_;
  std::array<std::vector<float>, 2> alt_probability_;
  std::vector<float> both_probability_;
  float* copied_ = nullptr;
};

}  // namespace haplospin
