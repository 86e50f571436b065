// The fields of samples in a record of an imputed file: GT, and the probabilities of haplotypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "genotypes/variant_io/joining/format_values.h"

namespace haplospin {

// How the alleles of a phased heterozygote stand to its probabilities: those of HDS say so, or the reverse, or neither.
enum class HaplotypeOrder { kSame, kReverse, kUnknown };

class ImputedFields {
 public:
  // Reads the fields of a record of `samples`. Throws InputError if it has no GT of one or two alleles, or values of
  // haplotypes in another number than alleles: its message names neither file nor record.
  void Read(const bcf_hdr_t* header, bcf1_t* record);

  // What follows is of one ALT, the first unless another one is chosen.
  void Choose(size_t alt) { alt_ = alt; }

  // Whether the record has the fields, and a sample a value of LDS.
  bool has_left_out() const;
  bool has_phase() const { return phase_.IsThere(); }

  // Whether the header declares HDS, or AP1. A record may lack them where they follow from GT, as plink2 writes it.
  bool has_haplotypes() const { return declares_haplotypes_; }

  size_t NumAlleles(size_t s) const { return genotypes_.width() == 2 && gt(s)[1] != bcf_int32_vector_end ? 2 : 1; }
  uint8_t Allele(size_t s, size_t i) const;  // 0, 1 or kMissingAllele
  bool IsUnphased(size_t s) const { return NumAlleles(s) == 2 && bcf_gt_is_phased(gt(s)[1]) == 0; }
  bool IsHeterozygote(size_t s) const;

  // Whether one haplotype is written as two alleles.
  bool IsDoubled(size_t s) const { return numbers_.IsThere() && numbers_.of(s)[0] == 1; }

  // The ALT probability of haplotype `i`, 0 or 1, by HDS or by AP1 and AP2. Where the sample has none of them, they are
  // whole and those of GT, or with DS and no phased heterozygote, both its half. Nothing where nothing tells them.
  std::optional<float> Probability(size_t s, size_t i) const;

  std::optional<float> LeftOut(size_t s, size_t i) const { return Value(left_out_, s, Index(s, i)); }
  float Phase(size_t s) const { return Value(phase_, s, 0).value_or(0); }

  HaplotypeOrder Order(size_t s) const;

  // Whether GT, DS or GP are far from what the probabilities of the haplotypes say.
  bool Contradicts(size_t s) const;

 private:
  const int32_t* gt(size_t s) const { return genotypes_.of(s); }
  // Where a haplotype's value is in HDS and LDS, which are ALT by ALT.
  size_t Index(size_t s, size_t i) const { return alt_ * NumAlleles(s) + i; }
  static std::optional<float> Value(const FormatValues<float>& field, size_t s, size_t i);
  std::optional<float> Given(size_t s, size_t i) const;
  std::optional<float> Implied(size_t s, size_t i) const;
  bool HasOddPosteriors(size_t s, float dosage) const;
  void CheckNumbers(const bcf_hdr_t* header, size_t s) const;

  FormatValues<int32_t> genotypes_, numbers_;
  FormatValues<float> ds_, gp_, hds_, ap1_, ap2_, left_out_, phase_;
  size_t num_samples_ = 0, num_alts_ = 1, alt_ = 0;
  bool declares_haplotypes_ = false;
};

}  // namespace haplospin
