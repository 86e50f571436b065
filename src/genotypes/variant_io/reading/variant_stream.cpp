#include "genotypes/variant_io/reading/variant_stream.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <utility>

#include "core/threads.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/conversion_advice.h"
#include "haplospin/errors.h"

namespace haplospin {

VariantStream::VariantStream(VariantFile file, RecordParser::Kind kind, bool accepts_unphased, StudyFields fields)
    : file_(std::move(file)), accepts_unphased_(accepts_unphased), parser_(kind, file_, fields), arena_(Threads()) {}

bool VariantStream::ParseNext() {
  next_ = num_parsed_ = 0;
  is_checked_ = false;
  if (!file_.Read(raw_)) return false;
  ParseFrom(0);
  return true;
}

void VariantStream::ParseFrom(size_t first) {
  num_parsed_ = raw_.size();
  parsed_.resize(std::max(parsed_.size(), num_parsed_));
  arena_.execute([this, first] {
    tbb::parallel_for(first, num_parsed_, [this](size_t i) { parser_.Parse(raw_, i, filter_, parsed_[i]); });
  });
}

ParsedRecord* VariantStream::Peek() {
  for (;; Pop()) {
    if (next_ == num_parsed_ && !ParseNext()) return nullptr;
    ParsedRecord& record = parsed_[next_];
    if (IsBeyondRegion(record)) return nullptr;
    if (!is_checked_) Check(record);
    is_checked_ = true;
    if (!record.is_outside) return &record;
  }
}

bool VariantStream::IsBeyondRegion(const ParsedRecord& record) const {
  if (!region_ || record.contig.empty()) return false;
  if ((*filter_.is_of_contig)(record.contig)) return record.position > region_->end;
  return !contigs_.empty() && (*filter_.is_of_contig)(contigs_.back());  // the contig after it
}

void VariantStream::Check(const ParsedRecord& record) {
  if (!record.contig.empty()) CheckOrder(record);
  if (!record.error.empty()) Fail(record, record.error);
  has_unphased_ = has_unphased_ || record.num_unphased != 0;
  if (has_unphased_ && !accepts_unphased_) FailUnphased(record);
}

void VariantStream::CheckOrder(const ParsedRecord& record) {
  if (!contigs_.empty() && contigs_.back() == record.contig) {
    if (record.position < position_) {
      Fail(record, fmt::format("comes after position {}; sort the file ({})", position_, SortingCommand(file_.path())));
    }
  } else {
    if (!names_.insert(record.contig).second) {
      Fail(record, fmt::format("contig {} appears again after contig {}; sort the file ({})", record.contig,
                               contigs_.back(), SortingCommand(file_.path())));
    }
    contigs_.push_back(record.contig);
  }
  position_ = record.position;
}

void VariantStream::Fail(const ParsedRecord& record, const std::string& what) const {
  if (!record.contig.empty()) {
    throw InputError(fmt::format("{}: {}:{}: {}", file_.path(), record.contig, record.position, what));
  }
  const std::string where = contigs_.empty() ? "first record" : fmt::format("after {}:{}", contigs_.back(), position_);
  throw InputError(fmt::format("{}: {}: {}", file_.path(), where, what));
}

void VariantStream::FailUnphased(const ParsedRecord& first) {
  const std::string where = fmt::format("{}:{}: {}", first.contig, first.position, first.unphased_example);
  // The number distinguishes a single record from a file that was not phased.
  size_t count = 0;
  do {
    for (; next_ < num_parsed_ && !IsBeyondRegion(parsed_[next_]); ++next_) count += parsed_[next_].num_unphased;
  } while (next_ == num_parsed_ && ParseNext());
  throw InputError(
      fmt::format("{}: {}, one of {}; phase the file first (haplospin phase)", file_.path(), where, count));
}

void VariantStream::Seek(const Region& region) {
  const auto indexed = file_.IndexedContigs();
  region_ = region;
  filter_ = {ContigMatch(region.contig, indexed ? *indexed : NamesOfContigs(file_.header_contigs())), region.begin};
  if (file_.SeekLines(region)) {
    Restart();
  } else if (indexed) {
    Restart();
    const std::optional<std::string> contig = FindContig(*indexed, region.contig);
    if (!contig || !file_.SeekByIndex(*contig, region.begin)) FailNoRecord();
  } else {
    ParseFrom(next_);  // records skipped for an earlier region may be in this one
  }
  is_checked_ = false;
  if (Peek() == nullptr) FailNoRecord();
}

// Forgets the records that were read before a move in the file.
void VariantStream::Restart() {
  contigs_.clear();
  names_.clear();
  position_ = 0;
  num_parsed_ = next_ = 0;
}

void VariantStream::SkipContig() {
  const ParsedRecord* record = Peek();
  if (record == nullptr) return;
  const std::string contig = record->contig;
  do {
    Pop();
    record = Peek();
  } while (record != nullptr && record->contig == contig);
}

std::optional<std::vector<std::string>> VariantStream::IndexedContigs() { return file_.IndexedContigs(); }

std::vector<std::string> VariantStream::Contigs() { return file_.IndexedContigs().value_or(contigs_); }

void VariantStream::FailNoRecord() { throw InputError(NoRecordMessage(file_.path(), Contigs(), *region_)); }

std::string NoRecordMessage(const std::string& path, const std::vector<std::string>& contigs, const Region& region) {
  const bool has_contig =
      std::ranges::any_of(contigs, [&](const std::string& name) { return SameContig(name, region.contig); });
  if (!has_contig) {
    return fmt::format("{}: no records of contig {}; it has records of {}", path, region.contig, JoinNames(contigs));
  }
  if (region.end == INT64_MAX) {
    return fmt::format("{}: no records of contig {} from {} on; give another region", path, region.contig,
                       region.begin);
  }
  return fmt::format("{}: no records in {}:{}-{}; give another region", path, region.contig, region.begin, region.end);
}

std::string PloidyChange(const std::string& sample, int ploidy, int64_t first_position) {
  return fmt::format(
      "sample {} has {} here, but {} at position {} of the contig; split the file where ploidy changes, give --par "
      "with the genome build if the contig is chrX, or set heterozygous calls of haploid samples missing",
      sample, ploidy == 1 ? "one allele" : "two alleles", ploidy == 1 ? "two" : "one", first_position);
}

}  // namespace haplospin
