// Whether study, panel and map of a contig belong together, as soon as what was read tells.
#pragma once

#include <cstddef>
#include <string>

#include "genotypes/genomics/windows.h"
#include "genotypes/imputation/checks/map_comparison.h"
#include "genotypes/imputation/contig/contig_buffer.h"
#include "genotypes/imputation/contig/contig_input.h"
#include "genotypes/imputation/contig/run_report.h"

namespace haplospin {

class ContigChecks {
 public:
  // All arguments must outlive the object.
  ContigChecks(const ImputeJob& job, const ContigInput& input, const ContigBuffer& buffer)
      : job_(job), input_(input), buffer_(buffer) {}

  // Must be called whenever markers were read. Throws InputError if the panel takes more memory than is allowed.
  void NoteRead();

  // Throws InputError if study and panel share too little (panel_overlap.h), once enough was read to tell.
  void CheckOverlap() const;

  // Throws it for the same reason, or if the map is of something else, once the contig was read to its end.
  void CheckWhole() const;

  // Notes that a window has only so many typed sites.
  void NoteFewTyped(const Window& window, size_t typed);

  void AddTo(ContigReport& report) const;

 private:
  void CheckSites() const;
  std::string ReasonOfCalls() const;

  const ImputeJob& job_;
  const ContigInput& input_;
  const ContigBuffer& buffer_;
  MapComparison map_comparison_;
  FewTyped few_typed_, lone_typed_;
};

}  // namespace haplospin
