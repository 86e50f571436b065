// Genotype likelihoods of one record, decoded from VCF text or BCF.
#pragma once

#include <htslib/vcf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "genotypes/variant_io/reading/genotype_calls.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// The FORMAT field that tells how likely the reads of a sample are, given its genotype: phred-scaled likelihoods, their
// decimal logarithms, or the number of reads with each allele, of which kReadError are wrong. GT stands for reads as
// well: a homozygote for one read, which pseudo-haploid genotypes are from.
enum class LikelihoodField { kNone, kPl, kGl, kAd, kGt };
inline constexpr double kReadError = 0.005;

const char* FieldName(LikelihoodField field);

// A genotype that is this much more likely than any other one counts as certain: 10,000 times.
inline constexpr uint8_t kCertainPhred = 40;

// [ALT][samples] of a record with `num_alleles` alleles, REF among them. Of the genotypes with the same number of
// copies of an ALT, the most likely one counts. A record without ALT has one row, of an ALT that no read has. Where the
// field of a sample is missing, nothing is known, unless a genotype was called (call_weights.h).
using LikelihoodRows = std::vector<std::vector<GenotypeLikelihoods>>;

// What tells how certain a genotype is that was called without the field: its depth, its quality, or other calls.
enum class CallBasis : uint8_t { kDepth, kQuality, kOthers };
using WeighedCalls = std::array<size_t, 3>;  // [CallBasis]

struct DecodedLikelihoods {
  LikelihoodRows rows;
  std::vector<bool> is_haploid;               // [samples] as many likelihoods as alleles; empty where no sample is
  std::vector<uint32_t> without_values = {};  // samples, ascending
  WeighedCalls weighed = {};                  // of these
};

// Returns the phreds of the genotypes with 0, 1 and 2 copies of an ALT that so many reads have, and so many not.
std::array<double, 3> ReadPhreds(double with_alt, double others);

// Returns the likelihoods of called genotypes as numbers of reads, one of each allele that they have.
LikelihoodRows CallsAsReads(const GenotypeCalls& calls, size_t num_alleles);

// Decode a field. `field_index` is its place in FORMAT. Throw InputError (its message names the
// sample but neither file nor record) for values that are no likelihoods, or not as many as there are genotypes or
// alleles.
DecodedLikelihoods ParseLikelihoods(std::string_view columns, size_t field_index, LikelihoodField field,
                                    const std::vector<std::string>& samples, size_t num_alleles);
DecodedLikelihoods DecodeLikelihoods(const bcf_fmt_t& values, LikelihoodField field,
                                     const std::vector<std::string>& samples, size_t num_alleles);

}  // namespace haplospin
