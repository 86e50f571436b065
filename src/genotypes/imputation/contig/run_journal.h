// What a run has completed, window by window, so that another one can go on after it: it reads the same files again,
// and neither imputes nor writes what is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/variant_io/writing/writer_state.h"

namespace haplospin {

// What a contig, or a part of one, has come to so far, of what is not found by reading alone.
struct ContigTotals {
  MarkerCounts markers;
  WindowReport windows;
  ArrayAgreement array;
};
static_assert(std::is_trivially_copyable_v<ContigTotals> && std::is_trivially_copyable_v<WriterState>);

struct JournalEntry {
  int64_t last = 0;             // bp, of the window; INT64_MAX if a contig, or a part of one, is complete
  double compressed_bytes = 0;  // of a dosage in the window
  ContigTotals totals;
  WriterState output;
  std::string orders;      // of the genotypes that the window has phased (learned_orders.h)
  std::string study_only;  // the same of markers that the panel does not have; empty if none was imputed
};

// The file is OUT.partial.journal, beside what the output has so far. An entry is durable once it is appended.
class RunJournal {
 public:
  // Reads the entries of an earlier run, if it was of the same inputs and settings and the output has all that they
  // tell of; otherwise removes what there is of the output. Throws InputError if another process goes on with the same
  // output, or the file cannot be written.
  explicit RunJournal(const OutputOptions& output);
  ~RunJournal();
  RunJournal(const RunJournal&) = delete;
  RunJournal& operator=(const RunJournal&) = delete;

  // Returns whether there are entries of the earlier run that were not taken.
  bool IsReplaying() const { return next_ + 1 < ends_.size(); }

  // Returns the next entry, of a window that ends at `last`. Throws InputError if it is of another one.
  JournalEntry Take(int64_t last);

  void Append(const JournalEntry& entry);

 private:
  void FindEntries(const std::string& header, const OutputOptions& output);
  std::string Read(uint64_t begin, uint64_t end) const;
  void Write(const std::string& bytes, uint64_t at);
  [[noreturn]] void Fail(int error) const;

  std::string path_;
  int descriptor_ = -1;
  std::vector<uint64_t> ends_;  // the end of the header, and of each entry
  size_t next_ = 0;             // entry
};

// Removes the journal of an output that is complete, and what there may be of another one.
void RemoveUnfinished(const OutputOptions& output);

}  // namespace haplospin
