// How much of a contig study and panel share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "genomics/sites/panel_alignment.h"
#include "genomics/sites/ploidy_regions.h"
#include "genomics/sites/region.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

struct PanelOverlap {
  Span panel;                // from its first to its last marker
  size_t study_sites = 0;    // there
  size_t typed = 0;          // of these, in the panel
  Span typed_span;           // from the first to the last of them
  bool has_alleles = false;  // at some typed site, some sample

  double SiteShare() const;  // 1 where there is no site
  double SpanShare() const { return typed == 0 ? 0 : CoveredShare(panel, typed_span); }
};

// Of the two files, for messages.
struct OverlapFiles {
  std::string study, panel, contig;
  std::string study_build, panel_build;  // as BuildOfContigs()
};

// Throws InputError where less than `min_ratio` of the study's sites is in the panel: a few positions of two genome
// builds agree by chance. The message has the counts and the likely reason. Minimac4 has the same option.
void CheckSiteShare(const PanelOverlap& overlap, const AlignmentCounts& counts, const OverlapFiles& files,
                    double min_ratio);

// Throws InputError where the map and the panel have no position in common, and warns where the map covers less than
// nine tenths of the panel: `part` of its contig, which need not be in the map if it is not the whole contig.
void CheckMapCoverage(const GeneticMap& map, const PanelOverlap& overlap, const std::string& map_path,
                      const OverlapFiles& files, const ContigPart& part = {});

// Throws InputError where the typed sites span less than `min_ratio` of the panel.
void CheckSpanShare(const PanelOverlap& overlap, const OverlapFiles& files, double min_ratio);

}  // namespace haplospin
