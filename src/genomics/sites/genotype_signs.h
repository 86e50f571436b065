// Signs that the genotypes of a study are not those of people: alleles inverted, heterozygotes only, or REF only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "haplospin/haplotype_panel.h"

namespace haplospin {

// The number of people from which on allele frequencies tell something of a study.
inline constexpr size_t kMinSamplesForFrequencies = 20;

// Counts over the sites of a study, whose alleles are coded as in the panel if there is one.
class GenotypeSigns {
 public:
  // Adds a site, which is marker `m` of the panel; `panel` is null for a site that no panel has.
  void Add(const SampleTable& samples, std::span<const uint8_t> alleles, const HaplotypePanel* panel, size_t m);

  // The share of sites with an allele frequency that is clearly on the other side of a half than the panel's: as common
  // as ALT is in the panel, so rare is it in the study. 0.18 with the most distant populations of the 1000 Genomes.
  bool AreInverted() const;        // at nearly all sites, so that all of them have to be inverted
  bool ArePartlyInverted() const;  // at more than an unrelated population would have, but not at all

  // The reason not to impute the study, for a message that begins with its name; empty if there is none.
  std::string Obstacle() const;

 private:
  size_t sites_ = 0;
  size_t clear_in_panel_ = 0;           // sites whose frequency in the panel is clearly not a half
  size_t compared_ = 0, opposite_ = 0;  // those whose frequency in the study is also clear; on the other side
  size_t genotypes_ = 0, hets_ = 0;     // of diploid people
  size_t refs_ = 0, alts_ = 0;
  double expected_refs_ = 0, expected_alts_ = 0;  // by the panel's frequencies
};

}  // namespace haplospin
