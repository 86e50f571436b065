// Names of the alleles of HLA genes: A*01:01:01:01 (Marsh et al. 2010, Tissue Antigens 75:291). Each field is a finer
// distinction; two of them name a protein.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "haplospin/marker.h"

namespace haplospin {

struct HlaAllele {
  std::string gene;                 // "A", "DRB1"
  std::vector<std::string> fields;  // one to four: "01", "101"
  std::string suffix;               // "G" or "P" of a group, "N" or another letter of its expression, or empty

  // Returns the allele with at most `count` fields. A suffix belongs to the last field, and goes with it.
  HlaAllele Truncated(size_t count) const;

  // Returns whether the other allele has all fields of this one, and may have more: 01:01 is the start of 01:01:02.
  bool IsStartOf(const HlaAllele& other) const;

  // "A*01:01"
  std::string Name() const;
};

// Reads "A*01:01", "HLA-A*01:01", "HLA_A*01:01:01G" or, of a gene that is known, "01:01" or the digits "0101". Four
// digits are two fields of two. Of five, which stand for a field of three, the first has three in DPB1, and otherwise
// the second. Returns nothing for other text, and where the gene is another one than `gene`, if that is given.
std::optional<HlaAllele> ParseHlaAllele(std::string_view text, std::string_view gene = {});

// An allele that a marker stands for.
struct HlaMarker {
  HlaAllele allele;
  bool is_ref;  // the haplotypes with REF have the allele, and those with ALT do not

  // Markers of one gene and resolution exclude each other: 0 for the ALTs of a gene's record, and otherwise the number
  // of fields, since such panels have a marker of A*01 beside those of A*01:01 and A*01:02.
  size_t resolution;
};

// Returns the allele of a marker of an HLA panel, or nothing for another marker. It is an ALT such as <HLA_A*01:01>, or
// a marker whose ID is such as HLA_A_0101 (SNP2HLA) or HLA_A*01:01 (HLA-TAPAS), one of whose alleles is P, or T beside
// A, for present.
std::optional<HlaMarker> HlaMarkerOf(const Marker& marker);

}  // namespace haplospin
