// Writes the markers of the study with their phase.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace haplospin
