// Joins study markers with the panel markers at their positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genomics/sites/allele_relation.h"
#include "haplospin/haplotype_panel.h"
#include "haplospin/marker.h"

namespace haplospin {

struct MarkerMatch {
  static constexpr uint32_t kNone = UINT32_MAX;

  // The panel marker at the position whose alleles fit best (the first of several); kNone: the panel has none there.
  uint32_t panel_marker = kNone;
  AlleleRelation relation = AlleleRelation::kOther;  // relation of its alleles to the study marker's

  // The study marker has position and alleles of an earlier one, or is without ALT where an earlier one is the same
  // panel marker. Its alleles are not compared with the panel's.
  bool is_duplicate = false;

  bool HasPosition() const { return panel_marker != kNone; }
};

// An entry for each study marker; one without ALT is compared by RelateMonomorphic(). Both sides are sorted by
// position; panel markers before `first_panel` take no part. `panel` is null where the panel does not have the contig.
std::vector<MarkerMatch> MatchMarkers(std::span<const Marker> study, const HaplotypePanel* panel,
                                      size_t first_panel = 0);

}  // namespace haplospin
