#include "genotypes/variant_io/reading/dosage_reader.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/reading/record_source.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// A record that has been decoded.
struct Slot {
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
  if (decoded.posteriors.empty() || std::isnan(decoded.posteriors[3 * column + 1])) return DecodedDosages::kNaN;
  const float one = decoded.posteriors[3 * column + 1], two = decoded.posteriors[3 * column + 2];
  note(!std::isnan(two));
  return one + (std::isnan(two) ? 0 : 2 * two);
}

// Returns whether the sample in this column of the file has three GP or two HDS.
bool IsOfTwoAlleles(const DecodedDosages& decoded, size_t column) {
  const bool has_heterozygote = !decoded.posteriors.empty() && !std::isnan(decoded.posteriors[3 * column + 2]);
  return has_heterozygote || (!decoded.haplotypes.empty() && !std::isnan(decoded.haplotypes[2 * column + 1]));
}

void TakeDosages(const DecodedDosages& decoded, size_t alt, std::span<const size_t> columns, DosageRow& row) {
  for (size_t s = 0; s < columns.size(); ++s) {
    row.dosages[s] = decoded.dosages.empty() ? ProbableDosage(decoded, columns[s], row.ploidy[s])
                                             : decoded.dosages[columns[s] * decoded.num_alts + alt];
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

void TakeRow(const DescribedInfo& described, ParsedRecord& record, const DecodedDosages& decoded, size_t alt,
             std::span<const size_t> columns, DosageRow& row) {
  row.contig = record.contig;
  row.marker = TakeMarker(described, record, alt);
  row.estimated_r2 = decoded.estimated_r2[alt];
  row.empirical_r2 = decoded.empirical_r2[alt];
  row.has_genotypes = record.has_genotypes;
  row.genotypes.assign(columns.size(), kMissingGenotype);
  row.ploidy.assign(columns.size(), 0);
  row.dosages.resize(columns.size());
  if (record.has_genotypes) TakeCalls(record.calls, alt, columns, row);
  TakeDosages(decoded, alt, columns, row);
  TakePosteriors(decoded, columns, row);
}

}  // namespace

struct DosageReader::Impl {
  explicit Impl(const std::string& path)
      : source(OpenRecords(path, {.kind = RecordKind::kDosages})), names(source->header().samples) {
    columns.resize(names.size());
    std::iota(columns.begin(), columns.end(), size_t{0});
  }

  void Decode(size_t i) {
    auto& [decoded, rows, num_rows] = slots[i];
    source->Parse(i, {});
    ParsedRecord& record = source->record(i);
    if (!record.error.empty()) return;
    if (keeps_without_alt && std::ranges::all_of(record.alts, IsUnspecifiedAlt)) record.alts = {"."};
    try {
      source->ParseDosages(i, decoded);
    } catch (const InputError& error) {
      record.error = error.what();
      return;
    }
    num_rows = 0;
    rows.resize(record.alts.size());
    for (size_t alt = 0; alt < record.alts.size(); ++alt) {
      if (IsUnspecifiedAlt(record.alts[alt])) continue;
      TakeRow(source->header().described, record, decoded, alt, columns, rows[num_rows++]);
    }
  }

  bool ReadMore() {
    next_record = next_row = 0;
    num_records = source->Read();
    slots.resize(std::max(slots.size(), num_records));
    tbb::parallel_for(size_t{0}, num_records, [this](size_t i) { Decode(i); });
    return num_records != 0;
  }

  [[noreturn]] void Fail(const ParsedRecord& record) const {
    const std::string where = record.contig.empty() ? fmt::format("after {}", last.empty() ? "the header" : last)
                                                    : fmt::format("{}:{}", record.contig, record.position);
    throw InputError(fmt::format("{}: {}: {}", source->header().path, where, record.error));
  }

  bool Next(DosageRow& row) {
    for (;;) {
      if (next_record == num_records && !ReadMore()) return false;
      const ParsedRecord& record = source->record(next_record);
      Slot& slot = slots[next_record];
      if (!record.error.empty()) Fail(record);
      if (next_row < slot.num_rows) {
        std::swap(row, slot.rows[next_row++]);
        return true;
      }
      last = fmt::format("{}:{}", record.contig, record.position);
      num_without_alt += slot.num_rows == 0;
      ++next_record;
      next_row = 0;
    }
  }

  std::unique_ptr<RecordSource> source;
  std::vector<std::string> names;  // of the samples to read
  std::vector<size_t> columns;     // of these samples
  std::vector<Slot> slots;         // [records], of which the first num_records are of the source
  size_t num_records = 0, next_record = 0, next_row = 0;
  bool keeps_without_alt = false;
  size_t num_without_alt = 0;
  std::string last;  // contig:position
};

DosageReader::DosageReader(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
DosageReader::~DosageReader() = default;
DosageReader::DosageReader(DosageReader&&) noexcept = default;

const std::string& DosageReader::path() const { return impl_->source->header().path; }
void DosageReader::KeepWithoutAlt() { impl_->keeps_without_alt = true; }

size_t DosageReader::num_without_alt() const { return impl_->num_without_alt; }

const std::vector<std::string>& DosageReader::sample_names() const { return impl_->names; }

void DosageReader::UseSamples(const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, size_t> column_of;
  for (const std::string& name : impl_->source->header().samples) column_of.emplace(name, column_of.size());
  impl_->columns.clear();
  for (const std::string& name : names) impl_->columns.push_back(column_of.at(name));
  impl_->names = names;
}

const std::vector<std::pair<std::string, int64_t>>& DosageReader::header_contigs() const {
  return impl_->source->header().contigs;
}

std::string DosageReader::HeaderValue(const std::string& key) const { return impl_->source->header().Value(key); }

bool DosageReader::Next(DosageRow& row) { return impl_->Next(row); }

}  // namespace haplospin
