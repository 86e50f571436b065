#include "genotypes/variant_io/reading/dosage_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "core/parse_number.h"
#include "genotypes/variant_io/reading/genotype_calls.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr float kNaN = DecodedDosages::kNaN;
constexpr float kTolerance = 0.01f;  // rounding in dosages and probabilities
constexpr size_t kNoField = SIZE_MAX;

constexpr const char* kEstimates[] = {"DR2", "R2", "INFO"};
constexpr const char* kEmpirical[] = {"ER2"};

// A FORMAT field of numbers, and the range that they must be in.
struct NumberField {
  const char* name;
  float highest;
};
constexpr NumberField kDosage{"DS", 2};
constexpr NumberField kPosterior{"GP", 1};
constexpr NumberField kHaplotypeDosage{"HDS", 1}, kFirstHaplotype{"AP1", 1}, kSecondHaplotype{"AP2", 1};

std::optional<float> ParseValue(std::string_view text) { return text == "." ? kNaN : ParseNumber<float>(text); }

[[noreturn]] void FailNumber(const NumberField& field, std::string_view text, const std::string& sample) {
  throw InputError(fmt::format("sample {} has {} \"{}\"; expected a number from 0 to {}", sample, field.name,
                               text.substr(0, 20), field.highest));
}

bool InRange(const NumberField& field, float value) {
  return !(value < -kTolerance || value > field.highest + kTolerance);
}

// The numbers of one sample; entries beyond the end of the list are unchanged.
void ParseNumbers(const NumberField& field, std::string_view list, const std::string& sample, std::span<float> values) {
  const std::string_view whole = list;
  for (float& value : values) {
    if (list.empty()) return;
    const auto parsed = ParseValue(PopItem(list, ','));
    if (!parsed || !InRange(field, *parsed)) FailNumber(field, whole, sample);
    value = *parsed;
  }
}

// The values of the first of `keys` that is in INFO; entries without a value are unchanged.
void ParseInfo(std::string_view info, std::span<const char* const> keys, std::span<float> values) {
  std::string_view best;
  size_t best_rank = keys.size();
  while (!info.empty()) {
    const std::string_view item = PopItem(info, ';');
    const size_t equals = item.find('=');
    if (equals == std::string_view::npos) continue;
    for (size_t rank = 0; rank < best_rank; ++rank) {
      if (item.substr(0, equals) != keys[rank]) continue;
      best = item.substr(equals + 1);
      best_rank = rank;
    }
  }
  for (float& value : values) {
    if (best.empty()) return;
    value = ParseValue(PopItem(best, ',')).value_or(kNaN);
  }
}

class LineDecoder {
 public:
  LineDecoder(const std::vector<std::string>& samples, DecodedDosages& decoded)
      : samples_(samples), num_alts_(decoded.num_alts), decoded_(decoded) {}

  void Decode(std::string_view line) {
    ColumnSplitter columns(line);
    for (int unused = 0; unused < 7; ++unused) columns.Next();  // CHROM to FILTER
    const std::string_view info = columns.Next();
    ParseInfo(info, kEstimates, decoded_.estimated_r2);
    ParseInfo(info, kEmpirical, decoded_.empirical_r2);
    const std::string_view format = columns.Next();
    DecodeNumbers(format, columns.rest());
  }

 private:
  void DecodeNumbers(std::string_view format, std::string_view columns) {
    const size_t ds = IndexIn(format, kDosage.name, ':').value_or(kNoField);
    const auto index = [&](const NumberField& field) {
      return num_alts_ == 1 ? IndexIn(format, field.name, ':').value_or(kNoField) : kNoField;
    };
    const size_t gp = index(kPosterior);
    const size_t hds = ds == kNoField ? index(kHaplotypeDosage) : kNoField;
    const size_t ap1 = ds == kNoField && hds == kNoField ? index(kFirstHaplotype) : kNoField;
    const size_t ap2 = ap1 == kNoField ? kNoField : index(kSecondHaplotype);
    const bool has_haplotypes = hds != kNoField || ap1 != kNoField;
    decoded_.dosages.assign(ds == kNoField ? 0 : samples_.size() * num_alts_, kNaN);
    decoded_.posteriors.assign(gp == kNoField ? 0 : samples_.size() * 3, kNaN);
    decoded_.haplotypes.assign(has_haplotypes ? samples_.size() * 2 : 0, kNaN);
    if (ds == kNoField && gp == kNoField && !has_haplotypes) return;
    const std::span dosages(decoded_.dosages), posteriors(decoded_.posteriors), haplotypes(decoded_.haplotypes);
    for (size_t s = 0; s < samples_.size(); ++s) {
      std::string_view column = PopItem(columns, '\t');
      if (column.empty()) throw InputError(fmt::format("sample {} has no values; the line is truncated", samples_[s]));
      for (size_t field = 0; !column.empty(); ++field) {
        const std::string_view item = PopItem(column, ':');
        if (field == ds) ParseNumbers(kDosage, item, samples_[s], dosages.subspan(s * num_alts_, num_alts_));
        if (field == gp) ParseNumbers(kPosterior, item, samples_[s], posteriors.subspan(3 * s, 3));
        if (field == hds) ParseNumbers(kHaplotypeDosage, item, samples_[s], haplotypes.subspan(2 * s, 2));
        if (field == ap1) ParseNumbers(kFirstHaplotype, item, samples_[s], haplotypes.subspan(2 * s, 1));
        if (field == ap2) ParseNumbers(kSecondHaplotype, item, samples_[s], haplotypes.subspan(2 * s + 1, 1));
      }
    }
    if (!columns.empty()) throw InputError("values of more samples than the header has; the line is damaged");
  }

  const std::vector<std::string>& samples_;
  const size_t num_alts_;
  DecodedDosages& decoded_;
};

class BcfDecoder {
 public:
  BcfDecoder(const bcf_hdr_t* header, bcf1_t& record, const std::vector<std::string>& samples, DecodedDosages& decoded)
      : header_(header), samples_(samples), record_(record), num_alts_(decoded.num_alts), decoded_(decoded) {}

  void Decode() {
    if (bcf_unpack(&record_, BCF_UN_ALL) != 0) throw InputError("cannot be decoded; the file is damaged");
    DecodeInfo(kEstimates, decoded_.estimated_r2);
    DecodeInfo(kEmpirical, decoded_.empirical_r2);
    DecodeNumbers(kDosage, num_alts_, decoded_.dosages);
    if (num_alts_ != 1) return;
    DecodeNumbers(kPosterior, 3, decoded_.posteriors);
    if (decoded_.dosages.empty()) DecodeHaplotypes();
  }

 private:
  static float Number(const uint8_t* from) {
    float value;
    std::memcpy(&value, from, sizeof(value));
    return bcf_float_is_missing(value) || bcf_float_is_vector_end(value) ? kNaN : value;
  }

  // `width` values of each sample.
  void DecodeNumbers(const NumberField& field, size_t width, std::vector<float>& values) {
    const bcf_fmt_t* format = FindFormat(header_, record_, field.name);
    values.assign(format == nullptr ? 0 : samples_.size() * width, kNaN);
    if (format == nullptr) return;
    if (format->type != BCF_BT_FLOAT) throw InputError(fmt::format("{} is not of numbers", field.name));
    const size_t given = std::min(width, static_cast<size_t>(format->n));
    for (size_t s = 0; s < samples_.size(); ++s) {
      for (size_t i = 0; i < given; ++i) {
        const float value = Number(format->p + s * static_cast<size_t>(format->size) + i * sizeof(float));
        if (!InRange(field, value)) FailNumber(field, fmt::format("{}", value), samples_[s]);
        values[s * width + i] = value;
      }
    }
  }

  void DecodeHaplotypes() {
    DecodeNumbers(kHaplotypeDosage, 2, decoded_.haplotypes);
    std::vector<float> first, second;
    if (decoded_.haplotypes.empty()) DecodeNumbers(kFirstHaplotype, 1, first);
    if (first.empty()) return;
    DecodeNumbers(kSecondHaplotype, 1, second);
    second.resize(first.size(), kNaN);
    for (size_t s = 0; s < first.size(); ++s) {
      decoded_.haplotypes.push_back(first[s]);
      decoded_.haplotypes.push_back(second[s]);
    }
  }

  // Does what ParseInfo() does for text.
  void DecodeInfo(std::span<const char* const> keys, std::span<float> values) {
    for (const char* name : keys) {
      const int id = bcf_hdr_id2int(header_, BCF_DT_ID, name);
      const bcf_info_t* info = id < 0 ? nullptr : bcf_get_info_id(&record_, id);
      if (info == nullptr || info->vptr == nullptr || info->type != BCF_BT_FLOAT) continue;
      const size_t given = std::min(values.size(), static_cast<size_t>(info->len));
      for (size_t i = 0; i < given; ++i) values[i] = Number(info->vptr + i * sizeof(float));
      return;
    }
  }

  const bcf_hdr_t* header_;
  const std::vector<std::string>& samples_;
  bcf1_t& record_;
  const size_t num_alts_;
  DecodedDosages& decoded_;
};

}  // namespace

void DecodedDosages::Clear(size_t alts) {
  num_alts = alts;
  dosages.clear();
  posteriors.clear();
  haplotypes.clear();
  estimated_r2.assign(alts, kNaN);
  empirical_r2.assign(alts, kNaN);
}

void DecodeDosages(std::string_view line, const std::vector<std::string>& samples, DecodedDosages& dosages) {
  LineDecoder(samples, dosages).Decode(line);
}

void DecodeDosages(const bcf_hdr_t* header, bcf1_t& record, const std::vector<std::string>& samples,
                   DecodedDosages& dosages) {
  BcfDecoder(header, record, samples, dosages).Decode();
}

}  // namespace haplospin
