// Finds the reference haplotypes that share the longest matches with each target, in time that grows with the number
// of reference haplotypes plus the number of targets, not with their product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/haplotype_rows.h"
#include "genotypes/imputation/models/copying/typed_panel.h"

namespace haplospin {

// A reference haplotype that has the target's alleles at the typed markers [begin, end). A missing allele matches any.
struct HaplotypeMatch {
  uint32_t haplotype;
  uint32_t begin;
  uint32_t end;

  bool operator==(const HaplotypeMatch&) const = default;
};

struct MatchOptions {
  size_t per_block = 12;             // longest matches that are kept for each block and direction
  size_t block_markers = 8;          // K of the K-mers: typed markers of a block, at most 8
  float block_centimorgans = 0.05f;  // length limit of a block, but for one of few markers that are far apart
};

// Returns the matches of each target, in the order of their first markers, then longest first. The typed markers are
// divided into blocks (K-mers). For each block and each of the two directions, a target's matches are the `per_block`
// haplotypes that have its alleles in the whole block and match furthest to the left of it (to the right, in the other
// direction). They are neighbors of the target when the haplotypes are sorted by their reversed prefixes (suffixes): a
// positional Burrows-Wheeler transform (Durbin 2014, Bioinformatics 30:1266), over K-mers in place of sites. In the
// search, missing alleles of a target are the major alleles. Of equally long matches, which are kept is arbitrary, but
// depends on nothing other than the target and the reference haplotypes. Where no haplotype has the target's alleles in
// a block, the block adds no match, so a target may have none. Runs on all threads; the result does not depend on their
// number.
std::vector<std::vector<HaplotypeMatch>> FindMatches(const HaplotypeRows& reference,
                                                     std::span<const TargetHaplotype* const> targets,
                                                     const MatchOptions& options);

// Returns the matches of two targets together, in the order of FindMatches().
std::vector<HaplotypeMatch> MergeMatches(std::span<const HaplotypeMatch> a, std::span<const HaplotypeMatch> b);

}  // namespace haplospin
