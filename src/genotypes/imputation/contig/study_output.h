// Where the records of a run go: a file of dosages, a file of phased genotypes, or memory.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

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

// Hands everything on to another output. A derived class changes or notes what it needs to.
class ForwardingOutput : public StudyOutput {
 public:
  explicit ForwardingOutput(std::unique_ptr<StudyOutput> output) : output_(std::move(output)) {}

  void SetPloidy(const SampleTable& samples) override { output_->SetPloidy(samples); }
  void Write(const std::string& contig, std::span<const DosageRecord> records) override {
    output_->Write(contig, records);
  }
  void AddTo(RunReport& report) const override { output_->AddTo(report); }
  WriterState Save() override { return output_->Save(); }
  void Restore(const WriterState& state) override { output_->Restore(state); }
  void Finish(IndexType index) override { output_->Finish(index); }

 private:
  const std::unique_ptr<StudyOutput> output_;
};

// Opens the file of a run: dosages as VCF, BCF or BGEN, or GT alone as VCF or BCF. That of a run
// which resumes stays if it is not finished.
std::unique_ptr<StudyOutput> OpenStudyOutput(RunOutput output, const OutputOptions& options,
                                             const VariantHeader& header, const SampleTable& samples);

}  // namespace haplospin
