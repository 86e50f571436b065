// What a run over the files of a study is asked to do.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "genomics/sites/panel_alignment.h"
#include "genomics/sites/ploidy_regions.h"
#include "genomics/sites/region.h"
#include "variant_io/reading/study_reader.h"
#include "variant_io/writing/dosage_writer.h"

namespace haplospin {

struct StudyInput {
  std::string path;      // phased or not; "-" is standard input
  StudyOptions options;  // `unphased` is set according to the model and `rephase`
  std::string pedigree;  // PLINK's .fam; empty: none
  bool rephase = false;  // find the phase of every heterozygote, whatever the study says
};

struct PanelInput {
  std::string path;                      // phased; empty: the study is phased from itself
  std::vector<std::string> samples;      // the only ones that are used; empty: all
  std::string map;                       // genetic map; empty: 1 cM per Mb
  std::optional<PloidyRegions> regions;  // of constant ploidy; none: by the build that panel or study declares
  double min_ratio = kDefaultMinRatio;   // of the study's sites that must be in the panel (panel_overlap.h)
};

struct WindowOptions {
  double length_cm = 20;         // of the results that are kept
  double overlap_cm = 2;         // seen on either side
  std::optional<Region> region;  // impute no more than this; the windows are those of the whole contig
};

struct MemoryLimits {
  size_t dosage_bytes = size_t{1} << 30;  // for the dosages of a window, which is shortened for a large study
  size_t max_bytes = 0;                   // for the panel's windows, the dosages and the model; 0: any
  size_t model_bytes = 0;                 // that the model takes beside the panel and the dosages
};

struct OutputOptions {
  std::string path;  // "-" is standard output
  OutputType type = OutputType::kByExtension;
  OutputFields fields;  // of imputed dosages
  bool write_index = false;
  std::vector<std::string> header_lines;  // "##key=value"
};

struct ImputeJob {
  StudyInput study;
  PanelInput panel;
  WindowOptions windows;
  MemoryLimits memory;
  OutputOptions output;
};

}  // namespace haplospin
