// Whether a panel fits a study, from a part of them, before imputation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "genomics/sites/ploidy_regions.h"
#include "imputation/copying/study_fit.h"

namespace haplospin {

struct PanelFitOptions {
  std::string panel, study;        // files that can be read twice
  std::string contig;              // the only one of the study to read; empty: all
  PloidyRegions regions;           // where ploidy may change
  std::vector<std::string> males;  // further ones than those of a PLINK file
};

// From the first 2,000 typed sites that both have on one contig, or its part, and 16 samples, which are phased if they
// are not. Nothing if they have fewer than 100 sites in common there.
std::optional<StudyFit> MeasurePanelFit(const PanelFitOptions& options);

}  // namespace haplospin
