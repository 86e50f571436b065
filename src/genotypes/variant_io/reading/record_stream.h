// The decoded records of a source in order, parsed ahead on several threads.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/reading/record_source.h"

namespace haplospin {

// Throws InputError if records are not sorted, a contig appears twice, genotypes are unphased but must not be, or a
// record is damaged.
class RecordStream {
 public:
  RecordStream(std::unique_ptr<RecordSource> source, bool accepts_unphased);

  RecordSource& source() { return *source_; }
  const RecordHeader& header() const { return source_->header(); }
  bool has_unphased() const { return has_unphased_; }  // some record so far was unphased

  // The next record, or null at the end of the file or region. Stays valid until Pop().
  ParsedRecord* Peek();
  void Pop() {
    ++next_;
    is_checked_ = false;
  }

  // Calls `function` with the records that are already parsed, from the next one on.
  template <typename Function>
  void ForEachParsed(Function function) const {
    for (size_t i = next_; i < num_parsed_; ++i) function(source_->record(i));
  }

  void SkipContig();

  // Does what PanelReader::Seek() does.
  void Seek(const Region& region);

  // Returns the contigs with records: all of them if there is an index, otherwise those read so far.
  std::vector<std::string> Contigs();

  // Throws InputError "FILE: CONTIG:POSITION: what".
  [[noreturn]] void Fail(const ParsedRecord& record, const std::string& what) const;

 private:
  bool ParseNext();
  void Restart();
  void ParseFrom(size_t first);
  void Check(const ParsedRecord& record);
  void CheckOrder(const ParsedRecord& record);
  [[noreturn]] void FailUnphased(const ParsedRecord& record);
  bool IsBeyondRegion(const ParsedRecord& record) const;

  std::unique_ptr<RecordSource> source_;
  bool accepts_unphased_;
  tbb::task_arena arena_;
  size_t num_parsed_ = 0;
  size_t next_ = 0;
  bool is_checked_ = false;  // the next record
  bool has_unphased_ = false;

  std::optional<Region> region_;
  RecordFilter filter_;
  std::vector<std::string> contigs_;       // met since the start or the last seek, in order
  std::unordered_set<std::string> names_;  // the same
  int64_t position_ = 0;                   // position of the last record, bp
};

// Returns a text for Fail(): the sample had the other ploidy at `first_position`, bp.
std::string PloidyChange(const std::string& sample, int ploidy, int64_t first_position);

}  // namespace haplospin
