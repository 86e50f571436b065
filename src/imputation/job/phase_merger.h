// Writes the markers of the study with their phase.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "imputation/job/impute_job.h"
#include "imputation/job/window_writer.h"
#include "variant_io/writing/genotype_writer.h"

namespace haplospin {

// Missing genotypes of the panel's markers become the more probable alleles. Markers that the panel does not have are
// written as they are.
class PhaseMerger : public WindowWriter {
 public:
  // Writes nothing before `begin`, bp. `contig` is the name in the output.
  PhaseMerger(std::string contig, int64_t begin, GenotypeWriter& writer);

  void Write(const ContigBuffer& buffer, const WindowDosages& dosages, int64_t last) override;

  const ImputeCounts& counts() const override { return counts_; }

 private:
  // Study marker s; `columns` are those of the panel markers from `first_marker` on.
  void WriteMarker(const ContigBuffer& buffer, size_t s, size_t first_marker, ColumnReader& columns);

  const std::string contig_;
  GenotypeWriter& writer_;
  int64_t next_;  // bp: markers before it have been written
  std::vector<uint8_t> alleles_;
  ImputeCounts counts_;
};

// GT alone, as VCF or BCF.
class PhaseOutput : public StudyOutput {
 public:
  PhaseOutput(const OutputOptions& options, const VariantHeader& header, const SampleTable& samples)
      : writer_(options.path, options.type, header, samples) {}

  std::unique_ptr<WindowWriter> Contig(const std::string& contig, int64_t begin) override {
    return std::make_unique<PhaseMerger>(contig, begin, writer_);
  }
  void Finish(bool write_index) override { writer_.Finish(write_index); }

 private:
  GenotypeWriter writer_;
};

}  // namespace haplospin
