#include "genotypes/variant_io/reading/call_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "core/parse_number.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/reading/record_source.h"
#include "genotypes/variant_io/vcf_columns.h"

namespace haplospin {
namespace {

constexpr size_t kMeasuredRecords = 1000;
constexpr double kMinCalls = 100;  // homozygotes of REF that are enough, without those of ALT

// The mean probability of calls of a kind.
class MeanPhred {
 public:
  void Add(uint8_t phred) {
    sum_ += std::pow(10.0, -0.1 * phred);
    ++count_;
  }
  double count() const { return count_; }
  double Phred(const MeanPhred& other) const { return -10 * std::log10((sum_ + other.sum_) / (count_ + other.count_)); }

 private:
  double sum_ = 0, count_ = 0;
};

// The likelihoods of as many reads of the called alleles; half of them each for a heterozygote.
CallPhreds PhredsOfReads(double depth) {
  const auto homozygote = ReadPhreds(0, depth), heterozygote = ReadPhreds(depth / 2, depth / 2);
  return {homozygote[1] - homozygote[0], homozygote[2] - homozygote[0], heterozygote[0] - heterozygote[1]};
}

// A call of that quality was made from reads that make the next genotype so much less likely.
CallPhreds PhredsOfQuality(double quality) {
  static const CallPhreds read = PhredsOfReads(1);
  return {quality, quality * read.two / read.one, quality};
}

GenotypeLikelihoods Quantized(const CallPhreds& phreds, size_t copies) {
  const auto limited = [](double phred) {
    return static_cast<uint8_t>(std::lround(std::clamp(phred, 0.0, double{UINT8_MAX})));
  };
  const uint8_t one = limited(phreds.one), two = limited(phreds.two), heterozygote = limited(phreds.heterozygote);
  if (copies == 1) return {{heterozygote, 0, heterozygote}};
  return copies == 0 ? GenotypeLikelihoods{{0, one, two}} : GenotypeLikelihoods{{two, one, 0}};
}

// The copies of an ALT that a sample was called with, or nothing if an allele is missing.
std::optional<size_t> CalledCopies(const GenotypeCalls& calls, size_t sample, size_t alt) {
  const int16_t first = calls.alleles[2 * sample], second = calls.alleles[2 * sample + 1];
  if (first < 0 || second == kMissingCall) return std::nullopt;
  const auto called = static_cast<int16_t>(alt + 1);
  return (first == called ? 1 : 0) + ((second == kAbsentCall ? first : second) == called ? 1 : 0);
}

bool IsKnown(std::span<const float> numbers, size_t sample) {
  return !numbers.empty() && std::isfinite(numbers[sample]) && numbers[sample] >= 0;
}

// What the genotypes that were called have as likelihoods.
class CalledGenotypes {
 public:
  void Add(const ParsedRecord& record) {
    for (size_t a = 0; a < record.likelihoods.size(); ++a) {
      for (size_t s = 0; s < record.likelihoods[a].size(); ++s) {
        const auto copies = CalledCopies(record.calls, s, a);
        const bool is_haploid = record.calls.alleles[2 * s + 1] == kAbsentCall;
        if (copies && !is_haploid && !record.likelihoods[a][s].IsFlat()) Add(*copies, record.likelihoods[a][s]);
      }
    }
  }

  CallPhreds Phreds() const {
    CallPhreds phreds = PhredsOfReads(1);
    const bool are_of_ref = one_[0].count() >= kMinCalls;
    if (one_[0].count() + one_[1].count() > 0) {
      phreds.one = one_[0].Phred(are_of_ref ? MeanPhred() : one_[1]);
      phreds.two = two_[0].Phred(are_of_ref ? MeanPhred() : two_[1]);
    }
    if (heterozygote_.count() > 0) phreds.heterozygote = heterozygote_.Phred({});
    return phreds;
  }

 private:
  void Add(size_t copies, const GenotypeLikelihoods& known) {
    if (copies == 1) return heterozygote_.Add(std::min(known.phred[0], known.phred[2]));
    one_[copies / 2].Add(known.phred[1]);
    two_[copies / 2].Add(known.phred[2 - copies]);
  }

  MeanPhred one_[2], two_[2], heterozygote_;  // homozygotes of REF and of ALT
};

}  // namespace

CallPhreds MeasureCallPhreds(RecordSource& source) {
  CalledGenotypes called;
  size_t records = 0;
  for (size_t count = source.Read(); count > 0 && records < kMeasuredRecords; count = source.Read()) {
    for (size_t i = 0; i < count && records < kMeasuredRecords; ++i, ++records) {
      source.Parse(i, {});
      if (const ParsedRecord& record = source.record(i); record.error.empty() && record.has_genotypes)
        called.Add(record);
    }
  }
  return called.Phreds();
}

const CallPhreds& CallWeights::OfOthers() const {
  std::call_once(is_measured_, [this] { others_ = measure_(); });
  return others_;
}

void CallWeights::Weigh(const GenotypeCalls& calls, std::span<const float> depths, std::span<const float> qualities,
                        DecodedLikelihoods& decoded) const {
  for (const uint32_t s : decoded.without_values) {
    if (!CalledCopies(calls, s, 0)) continue;
    const CallBasis basis = IsKnown(depths, s)      ? CallBasis::kDepth
                            : IsKnown(qualities, s) ? CallBasis::kQuality
                                                    : CallBasis::kOthers;
    const CallPhreds phreds = basis == CallBasis::kDepth     ? PhredsOfReads(depths[s])
                              : basis == CallBasis::kQuality ? PhredsOfQuality(qualities[s])
                                                             : OfOthers();
    ++decoded.weighed[static_cast<size_t>(basis)];
    for (size_t a = 0; a < decoded.rows.size(); ++a) {
      decoded.rows[a][s] = Quantized(phreds, *CalledCopies(calls, s, a));
    }
  }
}

std::vector<float> ParseSampleNumbers(std::string_view columns, size_t field_index, size_t num_samples) {
  std::vector<float> numbers(num_samples, std::numeric_limits<float>::quiet_NaN());
  for (float& number : numbers) {
    std::string_view list = ItemAt(PopItem(columns, '\t'), field_index, ':');
    number = ParseNumber<float>(PopItem(list, ',')).value_or(std::numeric_limits<float>::quiet_NaN());
  }
  return numbers;
}

std::vector<float> DecodeSampleNumbers(const bcf_fmt_t& values, size_t num_samples) {
  std::vector<float> numbers(num_samples, std::numeric_limits<float>::quiet_NaN());
  const auto set = [&](size_t s, std::span<const int32_t> integers) {
    if (!integers.empty() && integers[0] != bcf_int32_missing) numbers[s] = static_cast<float>(integers[0]);
  };
  if (ForEachIntegers(values, num_samples, set)) return numbers;
  if (values.type != BCF_BT_FLOAT) return {};
  for (size_t s = 0; s < num_samples; ++s) {  // a missing value is NaN
    std::memcpy(&numbers[s], values.p + s * static_cast<size_t>(values.size), sizeof(float));
  }
  return numbers;
}

}  // namespace haplospin
