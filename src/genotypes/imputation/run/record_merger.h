// Merges what was found in a window with the study's own alleles and markers into the records of the output.
#pragma once

#include <cstdint>
#include <string>

#include "genotypes/imputation/run/contig_buffer.h"
#include "genotypes/imputation/run/run_plan.h"
#include "genotypes/imputation/run/run_report.h"
#include "genotypes/imputation/run/study_only.h"
#include "genotypes/imputation/run/study_output.h"
#include "genotypes/imputation/window/window_dosages.h"

namespace haplospin {

// The records of a contig. An output of dosages has all panel markers, and between them the study markers that the
// panel does not have; one of phases has the study markers.
class RecordMerger {
 public:
  // Writes nothing before `begin`, bp. `contig` is its name in the output, which must outlive the object.
  RecordMerger(RunOutput kind, std::string contig, int64_t begin, StudyOutput& output);

  // Writes the records from where the last call ended up to `last`, bp. `dosages` has the panel markers among them;
  // `study_only` has the others, or is null if these are written as they are.
  void Write(const ContigBuffer& buffer, const WindowDosages& dosages, const StudyOnlyDosages* study_only,
             int64_t last);

  const MarkerCounts& counts() const { return counts_; }

 private:
  const RunOutput kind_;
  const std::string contig_;
  StudyOutput& output_;
  int64_t next_;  // bp: markers before it have been written
  MarkerCounts counts_;
};

}  // namespace haplospin
