// Joining pieces that overlap, so that the phase goes on from one to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/joining/phase_changes.h"
#include "genotypes/variant_io/joining/site_merge.h"

namespace haplospin {

struct LigatedPiece {
  int64_t first = 0;  // bp, both included: the sites that other files have too are written as this one has them
  int64_t last = INT64_MAX;
  PhaseChanges changes{0};
};

// Aligns pieces that are in order: two of one contig are cut in the middle of their overlap, and the phase of the
// second is aligned to that of the first where most of a sample's heterozygotes in the overlap say so, for each of its
// phase sets (PS), which goes on under the name that it has in the first. Warns of samples
// that have no heterozygote there, and of records in the overlap that one file lacks. Throws InputError where two
// pieces of a contig are out of order or have no record in common.
std::vector<LigatedPiece> AlignPieces(std::span<const PieceSpan> pieces, size_t num_samples);

}  // namespace haplospin
