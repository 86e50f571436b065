#include "genotypes/variant_io/reading/record_stream.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <utility>

#include "core/threads.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "haplospin/errors.h"

namespace haplospin {

RecordStream::RecordStream(std::unique_ptr<RecordSource> source, bool accepts_unphased)
    : source_(std::move(source)), accepts_unphased_(accepts_unphased), arena_(Threads()) {}

bool RecordStream::ParseNext() {
  next_ = 0;
  is_checked_ = false;
  num_parsed_ = source_->Read();
  ParseFrom(0);
  return num_parsed_ != 0;
}

void RecordStream::ParseFrom(size_t first) {
  arena_.execute(
      [this, first] { tbb::parallel_for(first, num_parsed_, [this](size_t i) { source_->Parse(i, filter_); }); });
}

ParsedRecord* RecordStream::Peek() {
  for (;; Pop()) {
    if (next_ == num_parsed_ && !ParseNext()) return nullptr;
    ParsedRecord& record = source_->record(next_);
    if (IsBeyondRegion(record)) return nullptr;
    if (!is_checked_) Check(record);
    is_checked_ = true;
    if (!record.is_outside) return &record;
  }
}

bool RecordStream::IsBeyondRegion(const ParsedRecord& record) const {
  if (!region_ || record.contig.empty()) return false;
  if ((*filter_.is_of_contig)(record.contig)) return record.position > region_->end;
  return !contigs_.empty() && (*filter_.is_of_contig)(contigs_.back());  // the contig after it
}

void RecordStream::Check(const ParsedRecord& record) {
  if (!record.contig.empty()) CheckOrder(record);
  if (!record.error.empty()) Fail(record, record.error);
  has_unphased_ = has_unphased_ || record.num_unphased != 0;
  if (has_unphased_ && !accepts_unphased_) FailUnphased(record);
}

void RecordStream::CheckOrder(const ParsedRecord& record) {
  if (!contigs_.empty() && contigs_.back() == record.contig) {
    if (record.position < position_) {
      Fail(record, fmt::format("comes after position {}; {}", position_, source_->SortingRemedy()));
    }
  } else {
    if (!names_.insert(record.contig).second) {
      Fail(record, fmt::format("contig {} appears again after contig {}; {}", record.contig, contigs_.back(),
                               source_->SortingRemedy()));
    }
    contigs_.push_back(record.contig);
  }
  position_ = record.position;
}

void RecordStream::Fail(const ParsedRecord& record, const std::string& what) const {
  const std::string cut = source_->CutRemark(record);
  if (!record.contig.empty()) {
    throw InputError(fmt::format("{}: {}:{}: {}{}", header().path, record.contig, record.position, what, cut));
  }
  const std::string where = contigs_.empty() ? "first record" : fmt::format("after {}:{}", contigs_.back(), position_);
  throw InputError(fmt::format("{}: {}: {}{}", header().path, where, what, cut));
}

void RecordStream::FailUnphased(const ParsedRecord& first) {
  const std::string where = fmt::format("{}:{}: {}", first.contig, first.position, first.unphased_example);
  // The number distinguishes a single record from a file that was not phased.
  size_t count = 0;
  do {
    for (; next_ < num_parsed_ && !IsBeyondRegion(source_->record(next_)); ++next_)
      count += source_->record(next_).num_unphased;
  } while (next_ == num_parsed_ && ParseNext());
  throw InputError(
      fmt::format("{}: {}, one of {}; phase the file first (haplospin phase)", header().path, where, count));
}

void RecordStream::Seek(const Region& region) {
  const auto indexed = source_->IndexedContigs();
  region_ = region;
  filter_ = {ContigMatch(region.contig, indexed ? *indexed : NamesOfContigs(header().contigs)), region.begin};
  if (source_->Seek(region)) {
    Restart();
  } else {
    ParseFrom(next_);  // records skipped for an earlier region may be in this one
  }
  is_checked_ = false;
  if (Peek() == nullptr) throw InputError(NoRecordMessage(header().path, Contigs(), region));
}

// Forgets the records that were read before a move in the file.
void RecordStream::Restart() {
  contigs_.clear();
  names_.clear();
  position_ = 0;
  num_parsed_ = next_ = 0;
}

void RecordStream::SkipContig() {
  const ParsedRecord* record = Peek();
  if (record == nullptr) return;
  const std::string contig = record->contig;
  do {
    Pop();
    record = Peek();
  } while (record != nullptr && record->contig == contig);
}

std::vector<std::string> RecordStream::Contigs() { return source_->IndexedContigs().value_or(contigs_); }

std::string PloidyChange(const std::string& sample, int ploidy, int64_t first_position) {
  return fmt::format(
      "sample {} has {} here, but {} at position {} of the contig; give --par with the genome build if the contig is "
      "chrX, split the file where ploidy changes, or, if the sample is haploid here, set its heterozygous calls "
      "missing",
      sample, ploidy == 1 ? "one allele" : "two alleles", ploidy == 1 ? "two" : "one", first_position);
}

}  // namespace haplospin
