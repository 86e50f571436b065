// The part of a contig that study and panel share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "genotypes/genomics/sites/genotype_signs.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/imputation/checks/map_comparison.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

struct PanelOverlap {
  Span panel;                // from the first to the last panel marker
  int64_t covered = 0;       // bp of that span without what is further from any panel marker (CoveredBetween())
  size_t study_sites = 0;    // study sites in that span
  size_t typed = 0;          // study sites that are in the panel
  Span typed_span;           // from the first to the last typed site
  bool has_alleles = false;  // some sample has an allele at some typed site
  size_t empty = 0;          // typed sites at which no sample has an allele
  int64_t first_empty = 0;   // position of the first of these, bp

  double SiteShare() const;  // typed / study_sites; 1 without sites
  double SpanShare() const { return typed == 0 ? 0 : CoveredShare(panel, typed_span); }
};

// The names of the files for messages.
struct OverlapFiles {
  std::string study, panel, contig;
  std::string study_build, panel_build;  // genome builds by DeclaredBuild()
  bool has_site_list = false;            // the study's sites are those of --sites
  bool have_other_contigs = false;  // a small scaffold, whose sites are fewer than kManySites, does not end the run
};

// Throws InputError if the share of the study's sites in the panel is less than `min_ratio`, because a few positions of
// different genome builds agree by chance. The message has the counts and the likely reason. Minimac4 has the same
// option. Warns instead where the contig is a small scaffold.
void CheckSiteShare(const PanelOverlap& overlap, const AlignmentCounts& counts, const OverlapFiles& files,
                    double min_ratio);

// Throws InputError if REF and ALT of panel and study are exchanged throughout, in a study that does not know which is
// which (.bed), and the typed sites are in more than one place, unless `min_ratio` is 0.
void CheckOrderOfAlleles(const PanelOverlap& overlap, const AlignmentCounts& counts, const OverlapFiles& files,
                         double min_ratio);

// Throws InputError if the study's genotypes cannot be those of people (genomics/sites/genotype_signs.h), unless
// `min_ratio` is 0. The message ends with `reason`, where one is known.
void CheckGenotypes(const GenotypeSigns& signs, const OverlapFiles& files, double min_ratio,
                    const std::string& reason = "");

// Throws InputError if the map does not cover any of the panel, and warns if it covers less than 90 % of it. The panel
// is `part` of its contig; only a whole contig must be in the map.
void CheckMapCoverage(const GeneticMap& map, const PanelOverlap& overlap, const std::string& map_path,
                      const OverlapFiles& files, const ContigPart& part = {});

// Warns if the map's recombination is not where the panel has it.
void WarnOfShiftedMap(const MapComparison::Shift& shift, const std::string& map_path, const OverlapFiles& files);

// Throws InputError if the typed sites span less than `min_ratio` of the panel. Warns instead where the contig is a
// small scaffold.
void CheckSpanShare(const PanelOverlap& overlap, const OverlapFiles& files, double min_ratio);

}  // namespace haplospin
