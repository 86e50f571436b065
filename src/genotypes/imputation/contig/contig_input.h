// A contig, or a part of one, that is imputed or phased.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/genomics/windows.h"
#include "genotypes/imputation/checks/panel_overlap.h"
#include "genotypes/imputation/contig/run_journal.h"
#include "genotypes/imputation/models/pedigree/transmission.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/variant_io/reading/marker_source.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

// Everything that it refers to must outlive the run.
struct ContigInput {
  PanelMarkerSource& panel;  // at the first marker of the contig
  StudyMarkerSource& study;  // the same
  GeneticMap map = GeneticMap::Uniform();
  WindowLengths windows;
  OverlapFiles files;                      // for messages; files.contig is the name of the contig in the output
  ContigPart part = {};                    // that is imputed, and that the sources are in
  int64_t last_position = 0;               // bp, the last of the panel or the contig; 0 if unknown
  TransmissionPhaser* families = nullptr;  // null without a pedigree
  std::string progress = "";               // title of the progress bar ("imputing chr20"); none if empty
  RunJournal* journal = nullptr;           // of a run that resumes, or null
};

// Positions of a contig, bp.
struct ContigRange {
  int64_t panel;            // the first of the panel
  int64_t begin = 0;        // the first to write
  int64_t end = INT64_MAX;  // the last to write

  // The first and the last position with imputed markers; `panel_last` is the last of the panel.
  int64_t first() const { return std::max(panel, begin); }
  int64_t last(int64_t panel_last, const ContigPart& part) const { return std::min({panel_last, part.end, end}); }
};

}  // namespace haplospin
