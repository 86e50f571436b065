// Opposite homozygotes of pairs of samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "genotypes/imputation/models/pedigree/spaced_genotypes.h"

namespace haplospin {

struct HomozygoteCounts {
  uint32_t opposite = 0;  // markers at which one sample has two REF alleles, and the other two ALT
  uint32_t both = 0;      // markers at which both are homozygous
};

class OppositeHomozygotes {
 public:
  // `genotypes` must outlive the object.
  explicit OppositeHomozygotes(const SpacedGenotypes& genotypes);

  HomozygoteCounts Count(size_t a, size_t b) const { return Count(a, b, 0, genotypes_.num_words()); }

  // The opposite ones that are expected among `both` in samples that are not related, by the frequencies of alleles
  // (Hardy-Weinberg).
  double Expected(size_t both) const { return expected_ * static_cast<double>(both); }

  // Returns [samples] the opposite homozygotes with the most closely related quarter of the other samples, relative to
  // those expected, at most 1: so many have samples of the same breed, or of the same families.
  std::vector<double> Sharing() const;

  // Returns in how many stretches of 64 markers a sample lacks no allele of a homozygous other one, although it is less
  // closely related to it than half of all are. It is small in an outbred population, and three quarters in the F2 of
  // two lines, which have long haplotypes of two kinds: there, whole chromosomes fit by chance.
  double AlikeStretches() const;

  // Returns the pairs (a, b), a < b, whose opposite homozygotes are so few that one may be a parent of the other, in
  // order. Pairs with fewer than 5 expected ones are not among them.
  std::vector<std::pair<size_t, size_t>> ClosePairs() const;

 private:
  struct Stretches {
    double all = 0, alike = 0;
  };
  Stretches CountStretches(size_t a, size_t b, double ratio) const;
  HomozygoteCounts Count(size_t a, size_t b, size_t first, size_t last) const;
  bool IsClose(size_t a, size_t b) const;

  const SpacedGenotypes& genotypes_;
  double expected_ = 0;        // among markers at which both are homozygous
  double opposite_share_ = 0;  // of the markers at which one is homozygous, and the other has a genotype
};

}  // namespace haplospin
