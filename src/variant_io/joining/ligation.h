// Joining pieces that overlap, so that the phase goes on from one to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "variant_io/hts_handles.h"

namespace haplospin {

// The records of a file, all of one contig.
struct PieceSpan {
  std::string path;
  std::string contig;
  int64_t begin;  // bp, both included
  int64_t end;
  std::set<std::string> undeclared = {};  // INFO fields that the header lacks
};

struct LigatedPiece {
  int64_t first = 0;  // bp, both included, of the records that are kept
  int64_t last = INT64_MAX;
  std::vector<bool> exchanged;  // [samples] true where the haplotypes change places
};

// Aligns pieces that are in order: two of one contig are cut in the middle of their overlap, and the phase of the
// second is aligned to that of the first where most of a sample's heterozygotes in the overlap say so. Warns of samples
// that have no heterozygote there. Throws InputError where two pieces of a contig are out of order or have no record in
// common.
std::vector<LigatedPiece> AlignPieces(std::span<const PieceSpan> pieces, size_t num_samples);

// Exchanges the haplotypes of samples: phased GT, HDS, LDS, and AP1 with AP2.
void ExchangeHaplotypes(const std::vector<bool>& exchanged, const bcf_hdr_t* header, bcf1_t* record);

}  // namespace haplospin
