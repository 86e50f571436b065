// How far a sample's haplotypes match the reference around its heterozygotes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/haplotype_matches.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"

namespace haplospin {

// Where both haplotypes copy the same allele at a heterozygote, one of them differs from the haplotype that it copies:
// more probably the one with the shorter match, whose common ancestor with the copied haplotype lived longer ago, so
// that there were more mutations since; and more probably from the rarer allele to the more frequent one.
struct HetMatches {
  // [haplotype][hets] cM from a heterozygote to the ends of the longest matches of the present haplotypes, on either
  // side, that include the marker next to it.
  std::array<std::vector<float>, 2> before, after;
  std::vector<float> alt_frequency;   // [hets] in the reference
  std::vector<uint8_t> first_allele;  // [hets] of the first of the present haplotypes, whatever becomes of them later

  bool empty() const { return first_allele.empty(); }
};

// `matches` are those of each haplotype, in the order of FindMatches(); `centimorgans` and `alt_frequency` are [typed].
HetMatches MatchesAtHets(const SampleGenotypes& sample, const std::array<std::span<const HaplotypeMatch>, 2>& matches,
                         std::span<const float> centimorgans, std::span<const float> alt_frequency);

}  // namespace haplospin
