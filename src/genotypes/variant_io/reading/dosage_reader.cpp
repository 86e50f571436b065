#include "genotypes/variant_io/reading/dosage_reader.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <unordered_map>

#include "genotypes/genomics/sites/variant.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

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
    row.dosages[s] =
        decoded.dosages.empty() ? DecodedDosages::kNaN : decoded.dosages[columns[s] * decoded.num_alts + alt];
    if (std::isnan(row.dosages[s])) row.dosages[s] = ProbableDosage(decoded, columns[s], row.ploidy[s]);
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

DosageReader::DosageReader(InputFiles input) : input_(std::move(input)) {
  Open();
  UseSamples(source_->header().samples);
}

void DosageReader::Open() {
  source_ = OpenRecords(input_.files[next_file_++].path, {.kind = RecordKind::kDosages});
  last_.clear();
}

void DosageReader::UseSamples(const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, size_t> column_of;
  for (const std::string& name : source_->header().samples) column_of.emplace(name, column_of.size());
  columns_.clear();
  for (const std::string& name : names) columns_.push_back(column_of.at(name));
  names_ = names;
}

void DosageReader::GoOnWithNextFile() {
  const std::string before = source_->header().path;
  Open();
  for (const std::string& sample : names_) {
    if (std::ranges::find(source_->header().samples, sample) != source_->header().samples.end()) continue;
    throw InputError(fmt::format("{}: has no sample {}, which {} has; give files of the same samples",
                                 source_->header().path, sample, before));
  }
  UseSamples(names_);
}

bool DosageReader::ReadMore() {
  next_record_ = next_row_ = 0;
  while ((num_records_ = source_->Read()) == 0) {
    if (next_file_ == input_.files.size()) return false;
    GoOnWithNextFile();
  }
  slots_.resize(std::max(slots_.size(), num_records_));
  tbb::parallel_for(size_t{0}, num_records_, [this](size_t i) { Decode(i); });
  return true;
}

void DosageReader::Decode(size_t i) {
  auto& [decoded, rows, num_rows] = slots_[i];
  source_->Parse(i, {});
  ParsedRecord& record = source_->record(i);
  if (!record.error.empty()) return;
  if (keeps_without_alt_ && std::ranges::all_of(record.alts, IsUnspecifiedAlt)) record.alts = {"."};
  try {
    source_->ParseDosages(i, decoded);
  } catch (const InputError& error) {
    record.error = error.what();
    return;
  }
  num_rows = 0;
  rows.resize(record.alts.size());
  for (size_t alt = 0; alt < record.alts.size(); ++alt) {
    if (IsUnspecifiedAlt(record.alts[alt])) continue;
    TakeRow(source_->header().described, record, decoded, alt, columns_, rows[num_rows++]);
  }
}

void DosageReader::Fail(const ParsedRecord& record) const {
  const std::string where = record.contig.empty() ? fmt::format("after {}", last_.empty() ? "the header" : last_)
                                                  : fmt::format("{}:{}", record.contig, record.position);
  throw InputError(
      fmt::format("{}: {}: {}{}", source_->header().path, where, record.error, source_->CutRemark(record)));
}

bool DosageReader::Next(DosageRow& row) {
  for (;;) {
    if (next_record_ == num_records_ && !ReadMore()) return false;
    const ParsedRecord& record = source_->record(next_record_);
    Slot& slot = slots_[next_record_];
    if (!record.error.empty()) Fail(record);
    if (next_row_ < slot.num_rows) {
      std::swap(row, slot.rows[next_row_++]);
      return true;
    }
    last_ = fmt::format("{}:{}", record.contig, record.position);
    num_without_alt_ += slot.num_rows == 0;
    ++next_record_;
    next_row_ = 0;
  }
}

}  // namespace haplospin
