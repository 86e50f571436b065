// Study sites without ALT where the panel has several.
#pragma once

#include "haplospin/haplotype_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// A sample that is homozygous for REF has none of the ALT alleles of the panel's SNVs at this position. Adds, for each
// study marker without ALT, a copy with the ALT of each of these SNVs but the first, which the marker itself is joined
// to, and those of which the study has a record. Both sides are sorted by position; the panel must have been read up to
// the study's last position.
void AddReferenceSites(StudyGenotypes& study, const HaplotypePanel& panel);

}  // namespace haplospin
