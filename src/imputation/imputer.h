// Two files in, one file out: imputes a study from a reference panel, window by window.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "genomics/region.h"
#include "imputation/record_merger.h"
#include "imputation/window_model.h"
#include "variant_io/writing/dosage_writer.h"

namespace haplospin {

struct ImputeJob {
  std::string reference;  // phased panel
  std::string target;     // phased study; "-" is standard input
  std::string map;        // empty: 1 cM per Mb
  std::string out;        // "-" is standard output
  OutputType output_type = OutputType::kByExtension;
  OutputFields fields;
  bool write_index = false;
  std::optional<Region> region;               // impute no more than this; the windows are those of the whole contig
  double window_cm = 20;                      // of results kept
  double overlap_cm = 2;                      // seen on either side
  size_t max_window_bytes = size_t{1} << 30;  // of dosages held at a time: windows of large studies are cut shorter
  int threads = 1;
  std::vector<std::string> header_lines;  // "##key=value"
};

// Writes every panel marker of the study's contigs, and the study's markers that the panel lacks. Throws InputError as
// docs/errors.md lists; then nothing is left at `out`.
ImputeCounts ImputeFiles(const ImputeJob& job, const WindowModel& model);

}  // namespace haplospin
