#include "genotypes/variant_io/joining/imputed_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr float kTolerance = 0.05f;  // more than the rounding of two decimals in several fields

size_t NumValues(const FormatValues<float>& field, size_t s) {
  size_t count = 0;
  while (count < field.width() && bcf_float_is_vector_end(field.of(s)[count]) == 0) ++count;
  return count;
}

}  // namespace

void ImputedFields::Read(const bcf_hdr_t* header, bcf1_t* record) {
  genotypes_.Read(header, record, "GT");
  if (genotypes_.width() != 1 && genotypes_.width() != 2) throw InputError("no GT of one or two alleles");
  declares_haplotypes_ = DeclaresField(header, BCF_HL_FMT, "HDS") || DeclaresField(header, BCF_HL_FMT, "AP1");
  ds_.Read(header, record, "DS");
  gp_.Read(header, record, "GP");
  hds_.Read(header, record, "HDS");
  ap1_.Read(header, record, "AP1");
  ap2_.Read(header, record, "AP2");  // Beagle omits it where all samples are haploid
  left_out_.Read(header, record, "LDS");
  phase_.Read(header, record, "PPH");
  numbers_.Read(header, record, "HN");
  num_samples_ = static_cast<size_t>(bcf_hdr_nsamples(header));
  num_alts_ = std::max<size_t>(record->n_allele, 2) - 1;
  alt_ = 0;
  for (size_t s = 0; s < num_samples_; ++s) CheckNumbers(header, s);
}

bool ImputedFields::has_left_out() const {
  for (size_t s = 0; s < num_samples_; ++s) {
    if (LeftOut(s, 0)) return true;
  }
  return false;
}

// One "." may stand for all values of a field.
void ImputedFields::CheckNumbers(const bcf_hdr_t* header, size_t s) const {
  const auto check = [&](const char* key, const FormatValues<float>& field) {
    const size_t expected = num_alts_ * NumAlleles(s);
    const size_t count = NumValues(field, s);
    if (count == 0 || count == expected || (count == 1 && bcf_float_is_missing(field.of(s)[0]) != 0)) return;
    throw InputError(fmt::format(
        "{} has {} values for the {} of sample {}; bcftools norm -m- and +fixploidy change GT but not {}: give the "
        "file as it was imputed, with one ALT in each record",
        key, count, NumAlleles(s) == 1 ? "one allele" : "two alleles", header->samples[s], key));
  };
  check("HDS", hds_);
  check("LDS", left_out_);
  if (!hds_.IsThere() && ap1_.IsThere() && NumAlleles(s) == 1 && Value(ap2_, s, 0)) {
    throw InputError(
        fmt::format("sample {} has AP2 for one allele; give the file as it was imputed", header->samples[s]));
  }
}

uint8_t ImputedFields::Allele(size_t s, size_t i) const {
  const int32_t code = gt(s)[i];
  return bcf_gt_is_missing(code) != 0 ? kMissingAllele : bcf_gt_allele(code) == static_cast<int>(alt_ + 1) ? 1 : 0;
}

bool ImputedFields::IsHeterozygote(size_t s) const {
  return NumAlleles(s) == 2 && Allele(s, 0) + Allele(s, 1) == 1 && Allele(s, 0) != kMissingAllele;
}

std::optional<float> ImputedFields::Value(const FormatValues<float>& field, size_t s, size_t i) {
  if (i >= field.width()) return std::nullopt;
  const float value = field.of(s)[i];
  const bool is_absent = bcf_float_is_vector_end(value) != 0 || bcf_float_is_missing(value) != 0;
  return is_absent ? std::nullopt : std::optional(value);
}

std::optional<float> ImputedFields::Given(size_t s, size_t i) const {
  if (hds_.IsThere()) return Value(hds_, s, Index(s, i));
  return ap1_.IsThere() ? Value(i == 0 ? ap1_ : ap2_, s, alt_) : std::nullopt;
}

std::optional<float> ImputedFields::Implied(size_t s, size_t i) const {
  if (!declares_haplotypes_) return std::nullopt;
  const std::optional<float> dosage = Value(ds_, s, alt_);
  const size_t count = NumAlleles(s);
  bool is_called = true;
  float sum = 0;
  for (size_t h = 0; h < count; ++h) {
    is_called = is_called && Allele(s, h) != kMissingAllele;
    sum += static_cast<float>(Allele(s, h));
  }
  const bool is_het = IsHeterozygote(s);
  if (is_called && (!dosage || *dosage == sum) && !(is_het && IsUnphased(s))) return static_cast<float>(Allele(s, i));
  if (!dosage || is_het) return std::nullopt;
  return *dosage / static_cast<float>(count);
}

std::optional<float> ImputedFields::Probability(size_t s, size_t i) const {
  const std::optional<float> given = Given(s, i);
  return given || Given(s, 0) ? given : Implied(s, i);
}

HaplotypeOrder ImputedFields::Order(size_t s) const {
  if (!IsHeterozygote(s) || IsUnphased(s)) return HaplotypeOrder::kUnknown;
  const auto first = Given(s, 0), second = Given(s, 1);
  if (!first || !second) return HaplotypeOrder::kUnknown;
  const float alt_p = Allele(s, 0) == 1 ? *first : *second, ref_p = Allele(s, 0) == 1 ? *second : *first;
  const bool can_be_same = alt_p >= 0.5f && ref_p <= 0.5f, can_be_reverse = alt_p <= 0.5f && ref_p >= 0.5f;
  if (can_be_same == can_be_reverse) return HaplotypeOrder::kUnknown;
  return can_be_same ? HaplotypeOrder::kSame : HaplotypeOrder::kReverse;
}

bool ImputedFields::Contradicts(size_t s) const {
  const auto count = static_cast<float>(NumAlleles(s));
  float dosage = 0, called = 0;
  bool is_called = true;
  for (size_t i = 0; i < NumAlleles(s); ++i) {
    const std::optional<float> p = Given(s, i);
    if (!p) return false;
    dosage += *p;
    is_called = is_called && Allele(s, i) != kMissingAllele;
    called += static_cast<float>(Allele(s, i));
  }
  // GT need not have the more probable allele of each haplotype, but it is no further from it. Of several ALTs, the
  // most probable allele may have less than a half.
  if (is_called && num_alts_ == 1 && std::abs(called - dosage) > count / 2 + kTolerance) return true;
  const auto ds = Value(ds_, s, alt_);
  return (ds && std::abs(*ds - dosage) > kTolerance) || HasOddPosteriors(s, dosage);
}

bool ImputedFields::HasOddPosteriors(size_t s, float dosage) const {
  const size_t count = num_alts_ == 1 ? NumValues(gp_, s) : 0;
  float sum = 0, mean = 0;
  for (size_t g = 0; g < count; ++g) {
    const std::optional<float> p = Value(gp_, s, g);
    if (!p) return false;
    sum += *p;
    mean += static_cast<float>(g) * *p;
  }
  return count > 1 &&
         (count != NumAlleles(s) + 1 || std::abs(sum - 1) > kTolerance || std::abs(mean - dosage) > kTolerance);
}

}  // namespace haplospin
