#include "genotypes/variant_io/reading/dosage_reader.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/parse_number.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/reading/record_parser.h"
#include "genotypes/variant_io/variant_file.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kTolerance = 0.01f;  // rounding in dosages and probabilities
constexpr size_t kNoField = SIZE_MAX;

struct DecodedDosages {
  std::vector<float> dosages;     // DS: [samples, ALTs], NaN where missing; empty without DS
  std::vector<float> posteriors;  // GP: [samples, 3], NaN beyond what is given; empty without GP, or with several ALTs
  // [samples, 2] HDS, or AP1 and AP2, NaN beyond what is given; empty without them, with DS, or with several ALTs
  std::vector<float> haplotypes;
  std::vector<float> estimated_r2;  // [ALTs], NaN where missing
  std::vector<float> empirical_r2;  // the same
};

// Estimates of a marker's r2, the first that a record has: Beagle's and haplospin's, Minimac's, GLIMPSE's and IMPUTE's.
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
  LineDecoder(const std::vector<std::string>& samples, size_t num_alts, DecodedDosages& decoded)
      : samples_(samples), num_alts_(num_alts), decoded_(decoded) {}

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
  BcfDecoder(const VariantFile& file, bcf1_t& record, size_t num_alts, DecodedDosages& decoded)
      : header_(file.bcf_header()), samples_(file.samples()), record_(record), num_alts_(num_alts), decoded_(decoded) {}

  void Decode() {
    if (bcf_unpack(&record_, BCF_UN_ALL) != 0) throw InputError("cannot be decoded; the file is damaged");
    DecodeInfo(kEstimates, decoded_.estimated_r2);
    DecodeInfo(kEmpirical, decoded_.empirical_r2);
    DecodeNumbers(kDosage, num_alts_, decoded_.dosages);
    decoded_.posteriors.clear();
    decoded_.haplotypes.clear();
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

// Decodes what is not in `record`, the i-th of `raw`, which is of `file`. Throws InputError whose message names neither
// file nor record. Several threads may, into different records.
void DecodeDosages(const VariantFile& file, const RawRecords& raw, size_t i, const ParsedRecord& record,
                   DecodedDosages& decoded) {
  const size_t num_alts = record.alts.size();
  decoded.estimated_r2.assign(num_alts, kNaN);
  decoded.empirical_r2.assign(num_alts, kNaN);
  if (file.bcf_header() == nullptr) {
    LineDecoder(file.samples(), num_alts, decoded).Decode(raw.line(i));
  } else {
    BcfDecoder(file, *raw.record(i), num_alts, decoded).Decode();
  }
}

struct Slot {
  ParsedRecord record;
  DecodedDosages decoded;
  std::vector<DosageRow> rows;  // one for each ALT; kept for its memory
  size_t num_rows = 0;
};

// Genotypes of the ALT with index `alt`, of the samples in these columns of the file.
void TakeCalls(const GenotypeCalls& all, size_t alt, std::span<const size_t> columns, DosageRow& row) {
  for (size_t s = 0; s < columns.size(); ++s) {
    const int16_t* calls = &all.alleles[2 * columns[s]];
    const int16_t first = calls[0], second = calls[1];
    const bool is_haploid = second == kAbsentCall;
    const bool is_missing = first == kMissingCall || second == kMissingCall;
    const auto allele = static_cast<int16_t>(alt + 1);
    const auto count = static_cast<int8_t>((first == allele) + (second == allele));
    row.genotypes[s] = is_missing ? kMissingGenotype : count;
    row.ploidy[s] = !is_haploid ? 2 : is_missing ? 0 : 1;
  }
}

// The dosage of the sample in this column of the file by its haplotypes or posteriors; NaN without them. Sets its
// ploidy if it is unknown.
float ProbableDosage(const DecodedDosages& decoded, size_t column, uint8_t& ploidy) {
  const auto note = [&](bool is_diploid) {
    if (ploidy == 0) ploidy = is_diploid ? 2 : 1;
  };
  if (!decoded.haplotypes.empty() && !std::isnan(decoded.haplotypes[2 * column])) {
    const float first = decoded.haplotypes[2 * column], second = decoded.haplotypes[2 * column + 1];
    note(!std::isnan(second));
    return first + (std::isnan(second) ? 0 : second);
  }
  if (decoded.posteriors.empty() || std::isnan(decoded.posteriors[3 * column + 1])) return kNaN;
  const float one = decoded.posteriors[3 * column + 1], two = decoded.posteriors[3 * column + 2];
  note(!std::isnan(two));
  return one + (std::isnan(two) ? 0 : 2 * two);
}

// Returns whether the sample in this column of the file has three GP or two HDS.
bool IsOfTwoAlleles(const DecodedDosages& decoded, size_t column) {
  const bool has_heterozygote = !decoded.posteriors.empty() && !std::isnan(decoded.posteriors[3 * column + 2]);
  return has_heterozygote || (!decoded.haplotypes.empty() && !std::isnan(decoded.haplotypes[2 * column + 1]));
}

void TakeDosages(const DecodedDosages& decoded, size_t alt, size_t num_alts, std::span<const size_t> columns,
                 DosageRow& row) {
  for (size_t s = 0; s < columns.size(); ++s) {
    row.dosages[s] = decoded.dosages.empty() ? ProbableDosage(decoded, columns[s], row.ploidy[s])
                                             : decoded.dosages[columns[s] * num_alts + alt];
    // bcftools +fixploidy makes GT haploid, and leaves DS, HDS and GP as those of two alleles.
    if (row.ploidy[s] == 1 && IsOfTwoAlleles(decoded, columns[s])) row.dosages[s] /= 2;
    const bool has_genotype = row.genotypes[s] != kMissingGenotype;
    if (std::isnan(row.dosages[s]) && has_genotype) row.dosages[s] = static_cast<float>(row.genotypes[s]);
  }
}

// A haploid genotype has two posteriors; its ALT is the last of three classes.
void TakePosteriors(const DecodedDosages& decoded, std::span<const size_t> columns, DosageRow& row) {
  row.posteriors.resize(decoded.posteriors.empty() ? 0 : 3 * columns.size());
  for (size_t s = 0; 3 * s < row.posteriors.size(); ++s) {
    float* p = &row.posteriors[3 * s];
    std::copy_n(&decoded.posteriors[3 * columns[s]], 3, p);
    if (std::isnan(p[2]) && !std::isnan(p[1])) {
      p[2] = p[1];
      p[1] = 0;
    }
  }
}

void TakeRow(ParsedRecord& record, const DecodedDosages& decoded, size_t alt, std::span<const size_t> columns,
             DosageRow& row) {
  row.contig = record.contig;
  row.marker = TakeMarker(record, alt);
  row.estimated_r2 = decoded.estimated_r2[alt];
  row.empirical_r2 = decoded.empirical_r2[alt];
  row.has_genotypes = record.has_genotypes;
  row.genotypes.assign(columns.size(), kMissingGenotype);
  row.ploidy.assign(columns.size(), 0);
  row.dosages.resize(columns.size());
  if (record.has_genotypes) TakeCalls(record.calls, alt, columns, row);
  TakeDosages(decoded, alt, record.alts.size(), columns, row);
  TakePosteriors(decoded, columns, row);
}

}  // namespace

struct DosageReader::Impl {
  explicit Impl(const std::string& path) : file(path), columns(file.samples().size()), names(file.samples()) {
    std::iota(columns.begin(), columns.end(), size_t{0});
  }

  void Decode(size_t i) {
    auto& [record, decoded, rows, num_rows] = slots[i];
    parser.Parse(raw, i, {}, record);
    if (!record.error.empty()) return;
    if (keeps_without_alt && std::ranges::all_of(record.alts, IsUnspecifiedAlt)) record.alts = {"."};
    try {
      DecodeDosages(file, raw, i, record, decoded);
    } catch (const InputError& error) {
      record.error = error.what();
      return;
    }
    num_rows = 0;
    rows.resize(record.alts.size());
    for (size_t alt = 0; alt < record.alts.size(); ++alt) {
      if (!IsUnspecifiedAlt(record.alts[alt])) TakeRow(record, decoded, alt, columns, rows[num_rows++]);
    }
  }

  bool ReadMore() {
    num_records = next_record = next_row = 0;
    if (!file.Read(raw)) return false;
    num_records = raw.size();
    slots.resize(std::max(slots.size(), num_records));
    tbb::parallel_for(size_t{0}, num_records, [this](size_t i) { Decode(i); });
    return true;
  }

  [[noreturn]] void Fail(const ParsedRecord& record) const {
    const std::string where = record.contig.empty() ? fmt::format("after {}", last.empty() ? "the header" : last)
                                                    : fmt::format("{}:{}", record.contig, record.position);
    throw InputError(fmt::format("{}: {}: {}", file.path(), where, record.error));
  }

  bool Next(DosageRow& row) {
    for (;;) {
      if (next_record == num_records && !ReadMore()) return false;
      Slot& slot = slots[next_record];
      if (!slot.record.error.empty()) Fail(slot.record);
      if (next_row < slot.num_rows) {
        std::swap(row, slot.rows[next_row++]);
        return true;
      }
      last = fmt::format("{}:{}", slot.record.contig, slot.record.position);
      num_without_alt += slot.num_rows == 0;
      ++next_record;
      next_row = 0;
    }
  }

  VariantFile file;
  RecordParser parser{RecordParser::Kind::kDosages, file};
  std::vector<size_t> columns;     // columns of the samples to read
  std::vector<std::string> names;  // names of these samples
  RawRecords raw;
  std::vector<Slot> slots;  // [records], of which the first num_records are of `raw`
  size_t num_records = 0, next_record = 0, next_row = 0;
  bool keeps_without_alt = false;
  size_t num_without_alt = 0;
  std::string last;  // contig:position
};

DosageReader::DosageReader(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
DosageReader::~DosageReader() = default;
DosageReader::DosageReader(DosageReader&&) noexcept = default;

const std::string& DosageReader::path() const { return impl_->file.path(); }
void DosageReader::KeepWithoutAlt() { impl_->keeps_without_alt = true; }

size_t DosageReader::num_without_alt() const { return impl_->num_without_alt; }

const std::vector<std::string>& DosageReader::sample_names() const { return impl_->names; }

void DosageReader::UseSamples(const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, size_t> column_of;
  for (const std::string& name : impl_->file.samples()) column_of.emplace(name, column_of.size());
  impl_->columns.clear();
  for (const std::string& name : names) impl_->columns.push_back(column_of.at(name));
  impl_->names = names;
}

const std::vector<std::pair<std::string, int64_t>>& DosageReader::header_contigs() const {
  return impl_->file.header_contigs();
}

std::string DosageReader::HeaderValue(const std::string& key) const { return impl_->file.HeaderValue(key); }

bool DosageReader::Next(DosageRow& row) { return impl_->Next(row); }

}  // namespace haplospin
