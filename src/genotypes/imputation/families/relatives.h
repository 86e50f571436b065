// Parents and children among samples, found from their genotypes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "genotypes/variant_io/fam_file.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// A child shares an allele with its parent at every marker: they are nowhere homozygous for different alleles, which
// unrelated samples are at a quarter of the markers where both are homozygous, and full sibs at a sixteenth. Nor is a
// child heterozygous where both of its parents are homozygous for the same allele. Where the genotypes are too few to
// tell parents from full sibs, nothing is found, and neither are those who are the same animal twice.
class RelativeFinder {
 public:
  explicit RelativeFinder(size_t samples) : samples_(samples) {}

  // Adds a marker at which all samples are diploid, if its rarer allele is frequent enough to tell.
  void Add(const GenotypeRow& row);

  size_t num_markers() const { return num_markers_; }

  // Returns trios and duos without loops. Who of a trio is the child follows from the genotypes. In a duo, it is the
  // sample that is not a parent of the other, if the other's parents are known; the one with far fewer genotypes; or
  // one of at least three who share an allele everywhere with the same sample, but are not its parents. All others stay
  // undecided, and are not returned. The first parent in the order of samples counts as father.
  Pedigree Find() const;

 private:
  enum Genotype : size_t { kRef, kHet, kAlt, kKinds };
  struct Sample {
    std::array<std::vector<uint64_t>, kKinds> bits;  // [markers / 64] where it has the genotype
  };

  bool ShareAlleles(size_t a, size_t b, double least_expected) const;
  struct Candidate {
    double errors;  // share of the known genotypes
    size_t child;
    std::vector<size_t> parents;
  };

  std::optional<double> TrioErrors(size_t child, size_t first, size_t second) const;
  std::vector<Candidate> FindTrios(const std::vector<std::vector<size_t>>& sharing) const;
  std::vector<std::vector<size_t>> FindSharing() const;
  size_t NumKnown(size_t sample) const;

  std::vector<Sample> samples_;
  size_t num_markers_ = 0;
  double homozygous_ = 0, opposite_ = 0;  // expected of two unrelated samples, sums over the markers
};

}  // namespace haplospin
