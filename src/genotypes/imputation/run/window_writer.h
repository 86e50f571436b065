// The output of a run: the file, and the writers of its contigs. They merge what was found with the study's own alleles
// and markers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "genotypes/imputation/run/contig_buffer.h"
#include "genotypes/imputation/run/impute_job.h"
#include "genotypes/imputation/run/study_only.h"
#include "genotypes/imputation/window/window_dosages.h"
#include "genotypes/variant_io/writing/dosage_writer.h"

namespace haplospin {

struct ImputeCounts {
  size_t samples = 0;
  size_t imputed = 0;
  size_t typed = 0;
  size_t not_in_panel = 0;
  size_t unphased = 0;    // of these, with unphased genotypes
  size_t incomplete = 0;  // of these, with missing genotypes that were not imputed
  size_t left_out = 0;    // records that are not written, as OutputFields asks
  MeanDr2 mean_dr2;       // mean over the whole output, if it has enough samples
  size_t misaligned = 0;  // study markers at a panel marker with swapped or complemented alleles: not used to impute or
                          // phase. ImputeFiles() leaves them out, PhaseFiles() writes them as they are
};

inline constexpr size_t kMinSamplesForDr2 = 20;  // samples from which on DR2 is meaningful

class WindowWriter {
 public:
  virtual ~WindowWriter() = default;

  // Writes the records from where the last call ended up to `last`, bp. `dosages` has the panel markers among them;
  // `study_only` has the others, or is null if these are written as they are.
  virtual void Write(const ContigBuffer& buffer, const WindowDosages& dosages, const StudyOnlyDosages* study_only,
                     int64_t last) = 0;

  virtual const ImputeCounts& counts() const = 0;
};

// The file that the records of all contigs are written to.
class StudyOutput {
 public:
  virtual ~StudyOutput() = default;

  // Returns the writer of a contig, which writes nothing before `begin`, bp. `contig` is the name in the output.
  virtual std::unique_ptr<WindowWriter> Contig(const std::string& contig, int64_t begin) = 0;

  // Adds the counts of all contigs that only the file knows.
  virtual void AddTo(ImputeCounts& /*counts*/) const {}

  // Completes the file and its index.
  virtual void Finish(IndexType index) = 0;
};

// Opens an output for dosages, as VCF, BCF or BGEN, or for GT alone, as VCF or BCF.
std::unique_ptr<StudyOutput> OpenDosageOutput(const OutputOptions& options, const VariantHeader& header,
                                              const SampleTable& samples);
std::unique_ptr<StudyOutput> OpenPhaseOutput(const OutputOptions& options, const VariantHeader& header,
                                             const SampleTable& samples);

}  // namespace haplospin
