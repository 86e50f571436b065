#include "variant_io/reading/dosage_reader.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "haplospin/errors.h"
#include "variant_io/reading/decoded_dosages.h"
#include "variant_io/reading/record_parser.h"
#include "variant_io/variant_file.h"

namespace haplospin {
namespace {

struct Slot {
  ParsedRecord record;
  DecodedDosages decoded;
  std::vector<DosageRow> rows;
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

void TakeDosages(const DecodedDosages& decoded, size_t alt, size_t num_alts, std::span<const size_t> columns,
                 DosageRow& row) {
  for (size_t s = 0; s < columns.size(); ++s) {
    if (!decoded.dosages.empty()) {
      row.dosages[s] = decoded.dosages[columns[s] * num_alts + alt];
    } else {
      row.dosages[s] = row.genotypes[s] == kMissingGenotype ? std::numeric_limits<float>::quiet_NaN()
                                                            : static_cast<float>(row.genotypes[s]);
    }
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

void TakeRow(const ParsedRecord& record, const DecodedDosages& decoded, size_t alt, std::span<const size_t> columns,
             DosageRow& row) {
  row.contig = record.contig;
  row.marker = {record.position, record.id, record.ref, record.alts[alt]};
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
    auto& [record, decoded, rows] = slots[i];
    parser.Parse(raw, i, {}, record);
    if (!record.error.empty()) return;
    try {
      DecodeDosages(file, raw, i, record, decoded);
    } catch (const InputError& error) {
      record.error = error.what();
      return;
    }
    rows.resize(record.alts.size());
    for (size_t alt = 0; alt < rows.size(); ++alt) TakeRow(record, decoded, alt, columns, rows[alt]);
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
      if (next_row < slot.rows.size()) {
        std::swap(row, slot.rows[next_row++]);
        return true;
      }
      last = fmt::format("{}:{}", slot.record.contig, slot.record.position);
      ++next_record;
      next_row = 0;
    }
  }

  VariantFile file;
  RecordParser parser{RecordParser::Kind::kDosages, file};
  std::vector<size_t> columns;     // of the samples to read
  std::vector<std::string> names;  // of these
  RawRecords raw;
  std::vector<Slot> slots;  // [records], of which the first num_records are of `raw`
  size_t num_records = 0, next_record = 0, next_row = 0;
  std::string last;  // contig:position
};

DosageReader::DosageReader(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
DosageReader::~DosageReader() = default;
DosageReader::DosageReader(DosageReader&&) noexcept = default;

const std::string& DosageReader::path() const { return impl_->file.path(); }

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
