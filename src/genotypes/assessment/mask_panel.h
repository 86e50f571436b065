// Makes an imputation benchmark from a phased panel: some of its samples become the study, typed at an array's sites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/writing/output_type.h"

namespace haplospin {

struct MaskOptions {
  std::string panel;

  // The samples of the study by name or, without names, the number of random samples.
  std::vector<std::string> study_samples;
  size_t num_study_samples = 0;

  // The array: a file for LoadSiteList(), or, without one, markers drawn by ArraySampling: this many or, if that is 0,
  // this share.
  std::string sites;
  size_t thin_count = 0;
  double thin_share = 0;

  double flip_rate = 0;  // probability that a typed allele is changed
  uint64_t seed = 1;
  std::optional<PloidyRegions> regions;  // regions where ploidy may change; empty: by the build that the panel declares

  std::string reference_path, target_path, truth_path;
  OutputType type = OutputType::kByExtension;
  std::vector<std::string> header_lines;  // "##key=value"
};

struct MaskCounts {
  size_t reference_samples = 0;
  size_t study_samples = 0;
  size_t markers = 0;   // markers of reference and truth, which have ALT among the reference samples
  size_t typed = 0;     // markers of the target
  size_t left_out = 0;  // markers of the panel without ALT among the reference samples
};

// Writes the reference, the target (the study at typed markers, with errors if asked for) and the truth (the study at
// all markers), and their indices where they can have one: all of them or, if one cannot be written, none. Reads the
// panel twice. Throws InputError if samples are not in the panel, no reference sample is left, no marker is typed, or
// more samples or markers are requested than there are.
MaskCounts MaskPanel(const MaskOptions& options);

}  // namespace haplospin
