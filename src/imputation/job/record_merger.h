// Merges the imputed panel markers of a contig with the study's own alleles and markers into output records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "imputation/job/impute_job.h"
#include "imputation/job/window_writer.h"
#include "variant_io/writing/dosage_writer.h"

namespace haplospin {

class RecordMerger : public WindowWriter {
 public:
  // Writes nothing before `begin`, bp. `contig` is the name in the output.
  RecordMerger(std::string contig, int64_t begin, DosageWriter& writer);

  // Writes the panel markers of `dosages`, which are in the buffer's panel, and between them the study markers that the
  // panel does not have, from where the last call ended up to `last`, bp.
  void Write(const ContigBuffer& buffer, const WindowDosages& dosages, int64_t last) override;

  const ImputeCounts& counts() const override { return counts_; }

 private:
  void AddPanelMarkers(const ContigBuffer& buffer, const WindowDosages& dosages, MarkerRange markers);
  void AddStudyMarkers(const ContigBuffer& buffer, int64_t end);
  void WriteRecords();

  const std::string contig_;
  DosageWriter& writer_;
  int64_t next_;  // bp: study markers before it have been written
  ImputeCounts counts_;

  // Not yet written, and what the records point at: [markers, haplotypes].
  std::vector<DosageRecord> records_;
  std::vector<float> alt_;
  std::vector<float> left_out_;
  std::vector<float> phase_;  // [typed markers, samples]
};

// Dosages, as VCF, BCF or BGEN.
class DosageOutput : public StudyOutput {
 public:
  DosageOutput(const OutputOptions& options, const VariantHeader& header, const SampleTable& samples)
      : writer_(options.path, options.type, header, samples, options.fields) {}

  std::unique_ptr<WindowWriter> Contig(const std::string& contig, int64_t begin) override {
    return std::make_unique<RecordMerger>(contig, begin, writer_);
  }
  void AddTo(ImputeCounts& counts) const override;
  void Finish(bool write_index) override { writer_.Finish(write_index); }

 private:
  DosageWriter writer_;
};

}  // namespace haplospin
