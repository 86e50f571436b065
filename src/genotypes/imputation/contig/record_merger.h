// Merges what was found in a window with the study's own alleles and markers into the records of the output.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "genotypes/imputation/contig/contig_buffer.h"
#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/contig/study_only.h"
#include "genotypes/imputation/contig/study_output.h"
#include "genotypes/imputation/plan/window_plan.h"
#include "genotypes/imputation/window/window_state.h"

namespace haplospin {

// What a run finds in a window of a contig.
struct WindowResult {
  const WindowState& window;                               // of panel markers, with its dosages
  std::unique_ptr<const StudyOnlyWindow> study_only = {};  // of markers that the panel does not have, or null
  bool is_as_given = false;  // nothing was sought at the study's markers, also those that are in the panel
};

// The records of a contig. An output of dosages has all panel markers, and between them the study markers that the
// panel does not have; one of phases has the study markers.
class RecordMerger {
 public:
  // Writes nothing before `begin`, bp. `contig` is its name in the output. Plan and output must outlive the object.
  RecordMerger(RunOutput kind, const WindowPlan& plan, std::string contig, int64_t begin, StudyOutput& output);

  // Writes the records from where the last call ended up to `last`, bp. The dosages have the panel markers among them;
  // without a StudyOnlyWindow, the others are written as they are.
  void Write(const ContigBuffer& buffer, const WindowResult& found, int64_t last);

  // Passes over the records up to `last`, bp, which another run has written.
  void Skip(int64_t last) { next_ = std::max(next_, last == INT64_MAX ? last : last + 1); }

  const MarkerCounts& counts() const { return counts_; }

 private:
  const RunOutput kind_;
  const WindowPlan& plan_;
  const std::string contig_;
  StudyOutput& output_;
  int64_t next_;  // bp: markers before it have been written
  MarkerCounts counts_;
};

}  // namespace haplospin
