// Measures, before imputation, whether a panel fits a study.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/imputation/models/copying/study_fit.h"
#include "genotypes/variant_io/reading/record_source.h"

namespace haplospin {

struct PanelFitOptions {
  std::string panel, study;                 // files that can be read twice
  std::string contig;                       // contig of the study to read; empty for all
  PloidyRegions regions;                    // regions of constant ploidy
  std::vector<std::string> filters;         // see StudyOptions
  std::vector<std::string> males, females;  // in addition to those of a PLINK file
  RecordOpener open = {};                   // of a study that is not one file of genotypes
};

// Compares 16 samples, which are phased first if they are not, at the first 2,000 typed sites of the first contig, or
// part of a contig, that study and panel share. Returns nullopt if it has fewer than 100 typed sites.
std::optional<StudyFit> MeasurePanelFit(const PanelFitOptions& options);

}  // namespace haplospin
