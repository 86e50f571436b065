// The sites of a pileup, as reads show their alleles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "haplospin/marker.h"

namespace haplospin {

// What tells the alleles of a site apart in a read: a base, several bases, or a gap of the alignment after the first
// base. Reads tell nothing of symbolic alleles and of a substitution by another number of bases.
enum class SiteKind : uint8_t { kSnv, kSubstitution, kInsertion, kDeletion };

struct PileupSite {
  int64_t position = 0;  // 0-based, of the first base
  SiteKind kind = SiteKind::kSnv;
  size_t marker = 0;        // index of the marker
  std::string ref, alt;     // upper case, without the bases that both have, but the first one of an indel
  uint8_t other_bases = 0;  // SNV: the ALTs of other markers at the position, bits as in HTSlib's codes of bases
};

// Returns the sites of the markers that reads tell of, ascending by position. `markers` are ascending by position, and
// all those of a position are there.
std::vector<PileupSite> PileupSites(std::span<const Marker> markers, bool ignores_transitions);

// HTSlib's code of a base: a bit for each of A, C, G, T, and several for an ambiguous one.
uint8_t BaseCode(char base);

}  // namespace haplospin
