// Typed markers whose genotypes contradict what the markers around them tell: genotypes of other samples, 0 and 1
// exchanged, or a probe that fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace haplospin {

struct TypedAgreement {
  size_t compared = 0;      // common typed markers
  double r2 = 0;            // sum over these of ER2 (genomics/dosage_r2.h)
  size_t uncorrelated = 0;  // of these, with next to no correlation, or a negative one
  size_t elsewhere = 0;     // markers whose allele frequency is far from that of what they are imputed as when left out
  int64_t first_uncorrelated = 0, first_elsewhere = 0;  // positions, bp

  // Adds the next marker. alleles [haplotypes]: as they were given, or kMissingAllele; left_out [haplotypes]: the
  // probability of ALT given all other alleles.
  void Add(int64_t position, std::span<const float> left_out, std::span<const uint8_t> alleles);

  TypedAgreement& operator+=(const TypedAgreement& other);

  // Returns the markers that contradict the others. Where few markers tell of their neighbors, as on a sparse array,
  // only frequencies count.
  size_t NumContradicted() const { return (TellsCorrelation() ? uncorrelated : 0) + elsewhere; }

  // Returns the position of the first of them, bp.
  int64_t FirstContradicted() const;

 private:
  bool TellsCorrelation() const;
};

}  // namespace haplospin
