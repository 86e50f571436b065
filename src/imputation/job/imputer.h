// Imputes a study from a reference panel, window by window, from two files to one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "genomics/sites/panel_alignment.h"
#include "genomics/sites/ploidy_regions.h"
#include "genomics/sites/region.h"
#include "imputation/imputing/window_model.h"
#include "imputation/job/window_writer.h"
#include "variant_io/reading/study_reader.h"
#include "variant_io/writing/dosage_writer.h"

namespace haplospin {

struct ImputeJob {
  std::string reference;                   // phased panel; empty: the study is phased from itself
  std::string target;                      // study, phased or not; "-" is standard input
  std::string map;                         // empty: 1 cM per Mb
  std::string pedigree;                    // of the study, in PLINK's .fam form; empty: none
  std::string out;                         // "-" is standard output
  std::vector<std::string> panel_samples;  // used alone; empty: all
  StudyOptions study;                      // `unphased` is set according to the model and `rephase`
  std::optional<PloidyRegions> regions;    // of constant ploidy; nothing: by the build that panel or study declares
  OutputType output_type = OutputType::kByExtension;
  bool rephase = false;             // find the phase of every heterozygote, whatever the study says
  bool only_study_markers = false;  // write the study's markers with their phase, GT alone
  OutputFields fields;
  bool write_index = false;
  std::optional<Region> region;               // impute no more than this; the windows are those of the whole contig
  double window_cm = 20;                      // of results kept
  double overlap_cm = 2;                      // seen on either side
  double min_ratio = kDefaultMinRatio;        // of the study's sites that must be in the panel (panel_overlap.h)
  size_t max_window_bytes = size_t{1} << 30;  // maximum memory for dosages: windows are shortened for large studies
  size_t max_bytes = 0;    // maximum memory of the panel's windows, the dosages and model_bytes; 0: any
  size_t model_bytes = 0;  // that the model takes beside them
  int threads = 1;
  std::vector<std::string> header_lines;  // "##key=value"
};

// Writes every panel marker of the study's contigs, and the study markers that are not in the panel. Throws InputError
// as listed in docs/errors.md; then no file is left at `out`.
ImputeCounts ImputeFiles(const ImputeJob& job, const WindowModel& model);

}  // namespace haplospin
