// Where the records of a run go: a file of dosages, a file of phased genotypes, or memory.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/imputation/plan/study_facts.h"
#include "genotypes/variant_io/writing/dosage_writer.h"
#include "genotypes/variant_io/writing/writer_state.h"

namespace haplospin {

class StudyOutput {
 public:
  virtual ~StudyOutput() = default;

  // Tells the samples of the following records, of which some may lack, and their ploidy.
  virtual void SetPloidy(const SampleTable& samples) = 0;

  // Takes records of a contig. They come in order, and are valid during the call.
  virtual void Write(const std::string& contig, std::span<const DosageRecord> records) = 0;

  // Reports what is known of all records only once they are written.
  virtual void AddTo(RunReport& /*report*/) const {}

  // Makes durable what was written, or goes on after what another output has written, which writes to the same file.
  virtual WriterState Save() { return {}; }
  virtual void Restore(const WriterState& /*state*/) {}

  // Completes the output, with an index if one is asked for.
  virtual void Finish(IndexType index) = 0;
};

// Opens the file of a run: dosages as VCF, BCF or BGEN, or GT alone as VCF or BCF. That of a run
// which resumes stays if it is not finished.
std::unique_ptr<StudyOutput> OpenStudyOutput(RunOutput output, const OutputOptions& options,
                                             const VariantHeader& header, const SampleTable& samples);

}  // namespace haplospin
