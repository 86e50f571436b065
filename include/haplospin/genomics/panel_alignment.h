// Which study markers are which panel markers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "haplospin/genomics/haplotype_panel.h"
#include "haplospin/genomics/study_genotypes.h"

namespace haplospin {

inline constexpr uint32_t kNotInPanel = UINT32_MAX;

// Counts that tell a user why two files do not fit. Summed over windows with +=.
struct AlignmentCounts {
  size_t panel_markers = 0;
  size_t study_markers = 0;
  size_t matched = 0;              // same position, REF and ALT
  size_t same_position = 0;        // same position whatever the alleles
  size_t swapped = 0;              // REF and ALT exchanged
  size_t strand_flipped = 0;       // complements of the panel's alleles
  size_t duplicates = 0;           // study markers that repeat an earlier one (the first is used)
  std::vector<std::string> examples;  // up to 3 "contig:position REF>ALT, panel has REF>ALT"
  AlignmentCounts& operator+=(const AlignmentCounts& other);
};

struct PanelAlignment {
  std::vector<uint32_t> panel_marker;  // of each study marker, or kNotInPanel
  AlignmentCounts counts;
};

// Joins by position, REF and ALT; both sides sorted by position.
PanelAlignment AlignToPanel(const StudyGenotypes& study, const HaplotypePanel& panel);

// "chr20" and "20" are the same contig.
bool SameContig(const std::string& a, const std::string& b);

}  // namespace haplospin
