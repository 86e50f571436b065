// Errors of a person's reads beyond what the qualities of their bases tell: deamination of ancient DNA, and an error of
// any base.
//
// Deaminated C reads as T, at the ends of a molecule more often than inside. In a library of double strands, C is T
// near the start of a read and G is A near its end; in one of single strands, C is T near both. C to T and G to A
// therefore have a probability each by the nearer end of the read and the distance from it, on the strand that was
// sequenced:
//
//   d(i) = inside + end * exp(-i / scale)
//
// (Briggs et al. 2007, Patterns of damage in genomic DNA sequences from a Neandertal; the mean of their model of
// overhangs of geometric length.) A read base T at a site whose alleles are C and another base than T has been C, or is
// an error. Where T is the ALT of REF C, a share of the reads is T anyhow; the share is estimated along with the
// damage. Bases that are neither allele, nor can be damage of one, tell how many errors the qualities leave out. With
// damage, a small share of it is added to the error of every base, for what no base tells, such as contamination.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "genotypes/variant_io/alignments/read_base.h"

namespace haplospin {

// The two substitutions of deamination, on the strand that was sequenced, and the ends of a read.
enum Deamination : size_t { kCToT, kGToA, kNumDeaminations };
enum ReadEnd : size_t { kReadStart, kReadEnd, kNumReadEnds };

inline constexpr size_t kDamageDistances = 24;  // those further inside are taken as the last one

template <typename T>
using ByDistance = std::array<std::array<std::array<T, kDamageDistances>, kNumReadEnds>, kNumDeaminations>;

// What reads show at SNVs of two alleles.
class SubstitutionCounts {
 public:
  // Adds a base at a site with the alleles `ref` and `alt`, codes of a single base on the strand of the reference.
  void Add(const ReadBase& base, uint8_t ref, uint8_t alt);

  void Add(const SubstitutionCounts& other);

  size_t bases() const { return bases_; }

 private:
  friend class DamageFit;
  friend class ErrorModel;

  struct Count {
    double all = 0;             // bases of the sites
    double can_be_changed = 0;  // of these, bases that are as before or after deamination
    double changed = 0;         // of these, bases that are as after it
  };

  size_t bases_ = 0;
  ByDistance<Count> certain_{};                // sites that do not have the deaminated base as an allele
  ByDistance<Count> with_alt_{};               // sites where the deaminated base is ALT
  double quality_errors_ = 0;                  // of those bases, by the qualities: sum of the probability of any error
  double neither_ = 0, expected_neither_ = 0;  // such bases, and as many as the qualities tell
  double neither_per_error_ = 0;               // sum of the share of errors that show as such a base
};

class ErrorModel {
 public:
  ErrorModel() = default;  // nothing but qualities

  // Estimates the model. What is not significant stays as the qualities tell, so that the model of reads without damage
  // changes nothing.
  explicit ErrorModel(const SubstitutionCounts& counts);

  bool HasDamage() const { return has_damage_; }

  // The probability that any base is wrong, beyond its quality; 0 if the qualities tell all.
  double ExtraError() const { return extra_error_; }

  double Damage(Deamination deamination, ReadEnd end, size_t distance) const;

  // Returns the phred-scaled probability that a base that shows the allele `shown` is from a molecule with `other`,
  // if either is as likely before: the quality of the base, unless the model knows more. Codes of single bases.
  uint8_t Quality(const ReadBase& base, uint8_t shown, uint8_t other) const;

  // The highest quality that several reads of one molecule may have together, since they all show its damage.
  uint8_t MoleculeQuality(const ReadBase& base, uint8_t shown, uint8_t other) const;

 private:
  void FollowCounts(const SubstitutionCounts& counts, double error);
  double MeanDamage(const SubstitutionCounts& counts) const;
  double Deaminated(const ReadBase& base, uint8_t from, uint8_t to) const;

  bool has_damage_ = false;
  double extra_error_ = 0, untold_error_ = 0;
  ByDistance<double> damage_{};
};

}  // namespace haplospin
