#include "genotypes/variant_io/reading/likelihood_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "core/parse_number.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();
using Phreds = std::array<double, 3>;  // [copies of an ALT]

GenotypeLikelihoods Quantized(const Phreds& phreds) {
  const double best = std::ranges::min(phreds);
  GenotypeLikelihoods result;
  for (size_t g = 0; g < phreds.size(); ++g) {
    result.phred[g] = static_cast<uint8_t>(std::lround(std::min<double>(phreds[g] - best, UINT8_MAX)));
  }
  return result;
}

// Returns the best phreds of the genotypes with 0, 1 and 2 copies of allele `alt`. The genotypes are in the order of
// the VCF specification; those of a haploid sample are the alleles.
Phreds CopyPhreds(std::span<const double> phreds, size_t alt, size_t num_alleles) {
  Phreds best{kImpossible, kImpossible, kImpossible};
  const bool is_haploid = phreds.size() == num_alleles;
  size_t g = 0;
  for (size_t j = 0; j < num_alleles; ++j) {
    for (size_t i = is_haploid ? j : 0; i <= j; ++i, ++g) {
      double& best_phred = best[(i == alt ? 1 : 0) + (j == alt ? 1 : 0)];
      best_phred = std::min(best_phred, phreds[g]);
    }
  }
  return best;
}

// Gives a genotype without a value that of the least likely one that shares an allele with it or, without one, of the
// least likely one of all. Reads without an allele tell as much against it: 0,3,30 of one REF tells 3 against a further
// ALT, too, not that nobody has it.
void CompletePhreds(std::span<double> phreds, size_t num_alleles) {
  const std::vector<double> given(phreds.begin(), phreds.end());
  const bool is_haploid = phreds.size() == num_alleles;
  std::vector<double> worst(num_alleles, -1);  // of the genotypes with the allele
  const auto for_each_genotype = [&](const auto& visit) {
    size_t g = 0;
    for (size_t j = 0; j < num_alleles; ++j) {
      for (size_t i = is_haploid ? j : 0; i <= j; ++i, ++g) visit(g, i, j);
    }
  };
  for_each_genotype([&](size_t g, size_t i, size_t j) {
    if (std::isnan(given[g])) return;
    for (const size_t allele : {i, j}) worst[allele] = std::max(worst[allele], given[g]);
  });
  const double worst_of_all = std::ranges::max(worst);
  for_each_genotype([&](size_t g, size_t i, size_t j) {
    if (!std::isnan(given[g])) return;
    const double shared = std::max(worst[i], worst[j]);
    phreds[g] = shared >= 0 ? shared : worst_of_all;
  });
}

// Turns the values of samples into rows.
class LikelihoodDecoder {
 public:
  LikelihoodDecoder(LikelihoodField field, const std::vector<std::string>& samples, size_t num_alleles)
      : field_(field),
        samples_(samples),
        num_alleles_(num_alleles),
        decoded_{LikelihoodRows(std::max<size_t>(num_alleles, 2) - 1, std::vector<GenotypeLikelihoods>(samples.size())),
                 {}} {}

  // A missing value is NaN.
  void Add(size_t sample, std::span<double> values) {
    if (std::ranges::all_of(values, [](double v) { return std::isnan(v); })) {
      decoded_.without_values.push_back(static_cast<uint32_t>(sample));
      return;
    }
    const bool has_size = field_ == LikelihoodField::kAd
                              ? values.size() == num_alleles_
                              : values.size() == num_alleles_ || values.size() == num_alleles_ * (num_alleles_ + 1) / 2;
    if (!has_size) Fail(sample, fmt::format("{} values", values.size()));
    if (field_ != LikelihoodField::kAd && num_alleles_ > 1 && values.size() == num_alleles_) NoteHaploid(sample);
    const bool is_log10 = field_ == LikelihoodField::kGl;
    if (is_log10) CheckLogarithms(sample, values);
    for (double& value : values) {
      if (!is_log10 && value < 0) Fail(sample, fmt::format("the negative value {}", value));
      if (is_log10) value *= -10;
    }
    if (!Complete(values)) {
      decoded_.without_values.push_back(static_cast<uint32_t>(sample));
      return;
    }
    const double best = std::ranges::min(values);
    if (!std::isfinite(best)) Fail(sample, "no genotype that is possible");
    const double reads = std::accumulate(values.begin(), values.end(), 0.0);
    for (size_t a = 0; a < decoded_.rows.size(); ++a) {
      if (field_ == LikelihoodField::kAd) {
        const double with_alt = a + 1 < num_alleles_ ? values[a + 1] : 0;
        decoded_.rows[a][sample] = Quantized(ReadPhreds(with_alt, reads - with_alt));
      } else if (num_alleles_ > 1) {
        decoded_.rows[a][sample] = Quantized(CopyPhreds(values, a + 1, num_alleles_));
      }
    }
  }

  [[noreturn]] void Fail(size_t sample, const std::string& what) const {
    const size_t genotypes = num_alleles_ * (num_alleles_ + 1) / 2;
    throw InputError(fmt::format("sample {} has {} in {}; expected {} {}, or \".\"", samples_[sample], what,
                                 FieldName(field_), field_ == LikelihoodField::kAd ? num_alleles_ : genotypes,
                                 field_ == LikelihoodField::kPl   ? "phred-scaled likelihoods, from 0"
                                 : field_ == LikelihoodField::kGl ? "decimal logarithms of likelihoods"
                                                                  : "numbers of reads, from 0"));
  }

  DecodedLikelihoods Take() { return std::move(decoded_); }

 private:
  // bcftools merge leaves the values of alleles missing that a sample's own file lacks: no read was found to have them.
  // Returns false where none has a value, or one genotype alone, which tells nothing.
  bool Complete(std::span<double> values) const {
    const auto is_missing = [](double v) { return std::isnan(v); };
    const auto missing = static_cast<size_t>(std::ranges::count_if(values, is_missing));
    if (missing == 0) return true;
    if (missing == values.size()) return false;
    if (field_ == LikelihoodField::kAd) {
      std::ranges::replace_if(values, is_missing, 0.0);
    } else if (missing + 1 < values.size()) {
      CompletePhreds(values, num_alleles_);
    } else {
      return false;
    }
    return true;
  }

  void NoteHaploid(size_t sample) {
    decoded_.is_haploid.resize(samples_.size());
    decoded_.is_haploid[sample] = true;
  }

  // A likelihood is at most 1, so that no logarithm of one is positive.
  void CheckLogarithms(size_t sample, std::span<const double> values) const {
    if (std::ranges::any_of(values, [](double v) { return v < 0; })) return;
    if (std::ranges::none_of(values, [](double v) { return v > 0; })) return;
    throw InputError(fmt::format(
        "sample {} has {:.4g} in GL, which are no logarithms: those of likelihoods are 0 or negative; write "
        "log10 of the likelihoods, or give them as PL (-10 log10) with --likelihoods PL",
        samples_[sample], fmt::join(values, ",")));
  }

  const LikelihoodField field_;
  const std::vector<std::string>& samples_;
  const size_t num_alleles_;
  DecodedLikelihoods decoded_;
};

}  // namespace

const char* FieldName(LikelihoodField field) {
  constexpr const char* kNames[] = {"", "PL", "GL", "AD", "GT"};
  return kNames[static_cast<size_t>(field)];
}

LikelihoodRows CallsAsReads(const GenotypeCalls& calls, size_t num_alleles) {
  const size_t samples = calls.alleles.size() / 2;
  LikelihoodRows rows(std::max<size_t>(num_alleles, 2) - 1, std::vector<GenotypeLikelihoods>(samples));
  for (size_t s = 0; s < samples; ++s) {
    const int16_t first = calls.alleles[2 * s], second = calls.alleles[2 * s + 1];
    for (size_t a = 0; a < rows.size(); ++a) {
      std::array<double, 2> reads{};  // without and with the ALT
      if (first >= 0) ++reads[static_cast<size_t>(first) == a + 1 ? 1 : 0];
      if (second >= 0 && second != first) ++reads[static_cast<size_t>(second) == a + 1 ? 1 : 0];
      rows[a][s] = Quantized(ReadPhreds(reads[1], reads[0]));
    }
  }
  return rows;
}

std::array<double, 3> ReadPhreds(double with_alt, double others) {
  static const double right = -10 * std::log10(1 - kReadError), wrong = -10 * std::log10(kReadError);
  static const double half = -10 * std::log10(0.5);
  return {with_alt * wrong + others * right, (with_alt + others) * half, with_alt * right + others * wrong};
}

DecodedLikelihoods ParseLikelihoods(std::string_view columns, size_t field_index, LikelihoodField field,
                                    const std::vector<std::string>& samples, size_t num_alleles) {
  const auto num_columns = static_cast<size_t>(std::ranges::count(columns, '\t')) + 1;
  if (num_columns != samples.size()) {
    throw InputError(fmt::format("{} of {} samples, but the header has {}; the line is truncated or damaged",
                                 FieldName(field), num_columns, samples.size()));
  }
  LikelihoodDecoder decoder(field, samples, num_alleles);
  std::vector<double> values;
  for (size_t s = 0; s < samples.size(); ++s) {
    std::string_view list = ItemAt(PopItem(columns, '\t'), field_index, ':');
    values.clear();
    while (!list.empty()) {
      const std::string_view text = PopItem(list, ',');
      const auto value = text == "." ? std::optional(std::nan("")) : ParseNumber<double>(text);
      if (!value || (std::isnan(*value) && text != ".")) decoder.Fail(s, fmt::format("\"{}\"", text.substr(0, 16)));
      values.push_back(*value);
    }
    decoder.Add(s, values);
  }
  return decoder.Take();
}

DecodedLikelihoods DecodeLikelihoods(const bcf_fmt_t& values, LikelihoodField field,
                                     const std::vector<std::string>& samples, size_t num_alleles) {
  LikelihoodDecoder decoder(field, samples, num_alleles);
  std::vector<double> numbers;
  const auto add = [&](size_t s, std::span<const int32_t> integers) {
    numbers.clear();
    for (const int32_t v : integers) numbers.push_back(v == bcf_int32_missing ? std::nan("") : v);
    decoder.Add(s, numbers);
  };
  if (ForEachIntegers(values, samples.size(), add)) return decoder.Take();
  if (values.type != BCF_BT_FLOAT) {
    throw InputError(
        fmt::format("{} is not an array of numbers; remove the field or correct its header line", FieldName(field)));
  }
  std::vector<float> raw(static_cast<size_t>(values.n));
  for (size_t s = 0; s < samples.size(); ++s) {
    std::memcpy(raw.data(), values.p + s * static_cast<size_t>(values.size), raw.size() * sizeof(float));
    numbers.assign(raw.begin(), std::ranges::find_if(raw, [](float v) { return bcf_float_is_vector_end(v) != 0; }));
    decoder.Add(s, numbers);  // a missing value is NaN
  }
  return decoder.Take();
}

}  // namespace haplospin
