// The proteins that the alleles of HLA genes stand for.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "genotypes/genomics/hla/hla_allele.h"

namespace haplospin {

// What stands at a position where an allele has no amino acid, and where its amino acid is not known.
inline constexpr char kNoAminoAcid = '.', kUnknownAminoAcid = '*';

// The proteins of a gene's alleles, aligned.
struct HlaAlignment {
  // Names of the columns: "1" is the first amino acid of the mature protein, "-1" the one before it, and "45.2" the
  // second of those that some alleles have between the 45th and 46th.
  std::vector<std::string> positions;

  std::vector<HlaAllele> alleles;
  std::vector<std::string> sequences;  // [alleles], a letter for each column: an amino acid, X for a stop, "." or "*"

  // Returns the protein of an allele, or null. It is that of the allele's own name, or else of the first allele that
  // begins with it, or with its first two fields, which name a protein: with one field there is none. An allele with a
  // suffix of its expression, such as N, has only that of an allele with the same suffix.
  const std::string* Find(const HlaAllele& allele) const;
};

// By gene: "A".
using HlaProteins = std::map<std::string, HlaAlignment, std::less<>>;

}  // namespace haplospin
