// How good the dosages of one sample are, as far as they themselves and what is known of the sample tell.
#pragma once

#include <cstddef>
#include <span>

#include "genotypes/genomics/dosage_r2.h"

namespace haplospin {

// The dosage of a genotype, and the variance of the true number of alleles around it if its probabilities are right.
struct ExpectedGenotype {
  double dosage = 0, variance = 0;
};

// Returns those of haplotypes with these probabilities of ALT.
ExpectedGenotype Expect(std::span<const float> haplotype_probabilities);

// Sums over the genotypes of a sample. Dosages are those of the panel's minor allele.
class SampleQuality {
 public:
  // A genotype that is imputed.
  void AddImputed(const ExpectedGenotype& imputed);

  // A genotype with `truth` minor alleles that are known, and imputed as if they were not.
  void AddTyped(const ExpectedGenotype& left_out, double truth);

  // A genotype whose reads were hidden: how likely they are by what is imputed, and by the allele frequencies alone.
  void AddHeldOut(double imputed, double by_frequency);

  SampleQuality& operator+=(const SampleQuality& other);

  size_t num_imputed() const { return imputed_; }
  size_t num_typed() const { return static_cast<size_t>(typed_.n); }

  size_t num_held_out() const { return held_out_; }

  // The share of the hidden genotypes that are as if drawn by the allele frequencies, and not as imputed: the most
  // likely one, up to a step of Newton's method from 0.05. kUndefined where nothing was hidden.
  double Mismatch() const;
  double MismatchError() const;  // its standard error

  // Squared errors of the left-out dosages, relative to those that their probabilities say; kUndefined without any.
  double ErrorRatio() const;

  // Squared correlation of the left-out dosages with the true numbers of alleles, and the share of genotypes that these
  // dosages call right; kUndefined where nothing is typed.
  double TypedR2() const { return typed_.PooledR2(); }
  double TypedConcordance() const;

  // The squared correlation of the imputed dosages with the true numbers of alleles, expected if the probabilities are
  // right: V / (V + E), where V is the variance of the dosages over markers, and E the mean variance of a genotype,
  // twice as large where the two haplotypes are equal. kUndefined where nothing varies.
  double EstimatedR2() const;

 private:
  size_t imputed_ = 0;
  double sum_ = 0, squares_ = 0, variance_ = 0;  // of the imputed dosages
  DosageSums typed_;
  size_t concordant_ = 0, hets_ = 0;
  double expected_error_ = 0;  // of the typed genotypes
  size_t held_out_ = 0;
  double score_ = 0, information_ = 0;  // of the mismatch
};

}  // namespace haplospin
