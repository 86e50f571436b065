// The amino acids at a position of an HLA protein that a person most probably has.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace haplospin {

struct AminoAcidCall {
  std::array<char, 2> best{};  // in ascending order
  double probability = 0;
  std::vector<std::pair<char, double>> dosages;  // of each amino acid, ascending; they sum to the number of haplotypes
};

// Calls those of a person, for whom `probabilities` of each haplotype, [alleles], have a positive sum; they are scaled
// to sum to 1. `amino_acids`, [alleles], has the one of each allele (hla_proteins.h). There may be one haplotype, whose
// amino acid counts as both of the pair.
AminoAcidCall CallAminoAcids(std::string_view amino_acids, std::span<const std::span<const float>> probabilities);

}  // namespace haplospin
