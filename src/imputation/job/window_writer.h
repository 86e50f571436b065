// Writes what the windows of a contig give.
#pragma once

#include <cstddef>
#include <cstdint>

#include "imputation/job/contig_buffer.h"
#include "imputation/window/window_dosages.h"
#include "variant_io/writing/dosage_writer.h"

namespace haplospin {

struct ImputeCounts {
  size_t samples = 0;
  size_t imputed = 0;
  size_t typed = 0;
  size_t not_in_panel = 0;
  size_t left_out = 0;    // records of these that are not written (OutputFields)
  MeanDr2 mean_dr2;       // of the whole output, if it has enough samples
  size_t misaligned = 0;  // study markers at a panel marker with swapped or complemented alleles: not used to impute or
                          // phase; RecordMerger leaves them out, PhaseMerger writes them as they are
};

class WindowWriter {
 public:
  virtual ~WindowWriter() = default;

  // Writes the records from where the last call ended up to `last`, bp. `dosages` has the panel markers among them.
  virtual void Write(const ContigBuffer& buffer, const WindowDosages& dosages, int64_t last) = 0;

  virtual const ImputeCounts& counts() const = 0;
};

}  // namespace haplospin
