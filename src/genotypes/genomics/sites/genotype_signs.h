// Signs that the genotypes of a study are not those of people: alleles inverted, heterozygotes only, or REF only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>

#include "genotypes/genomics/sites/strand.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// The number of people from which on allele frequencies tell something of a study.
inline constexpr size_t kMinSamplesForFrequencies = 20;

// Counts over the sites of a study, whose alleles are coded as in the panel if there is one.
class GenotypeSigns {
 public:
  // Adds a site, which is marker `m` of the panel; `panel` is null for a site that no panel has. The sites of a contig
  // are in their order.
  void Add(const SampleTable& samples, std::span<const uint8_t> alleles, const HaplotypePanel* panel, size_t m);

  // Adds the counts of another contig.
  GenotypeSigns& operator+=(const GenotypeSigns& other);

  // A site is opposite if its allele frequency is clearly on the other side of a half than the panel's: as common as
  // ALT is in the panel, so rare is it in the study. 0.18 of them are with the most distant populations of the 1000
  // Genomes; there, linkage with sites that are not opposite has the panel's sign, and the other sign where alleles are
  // inverted.
  bool AreInverted() const;        // nearly all sites, so that all of them have to be inverted
  bool ArePartlyInverted() const;  // more than an unrelated population would have, but not all

  // The reason not to impute the study, for a message that begins with its name; empty if there is none.
  std::string Obstacle() const;

 private:
  void AddLinkage(StrandSite site, bool is_opposite);

  size_t sites_ = 0;
  size_t clear_in_panel_ = 0;           // sites whose frequency in the panel is clearly not a half
  size_t compared_ = 0, opposite_ = 0;  // those whose frequency in the study is also clear; on the other side
  size_t linked_ = 0, inverted_ = 0;    // opposite sites whose linkage is known; that is inverted
  std::deque<StrandSite> neighbors_;    // the last compared sites that are not opposite
  size_t genotypes_ = 0, hets_ = 0;     // genotypes of diploid people
  size_t refs_ = 0, alts_ = 0;
  double expected_refs_ = 0, expected_alts_ = 0;  // numbers by the panel's frequencies
};

}  // namespace haplospin
