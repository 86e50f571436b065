// Tables of HLA types: the two alleles of each gene that people were typed for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "genotypes/genomics/hla/hla_genes.h"

namespace haplospin {

// The alleles that a haplotype may have, as ascending indices. Empty: it may have any.
using HlaCandidates = std::vector<uint32_t>;

// The types of a gene. Which haplotype of a person has which of the two alleles is not known.
struct HlaGeneTypes {
  std::string gene;
  std::vector<std::string> alleles;                  // names, ascending: "A*01:01"
  std::vector<std::array<HlaCandidates, 2>> people;  // [samples]

  size_t CountTyped() const;  // people with an allele that is known
};

struct HlaTypes {
  std::vector<HlaGeneTypes> genes;    // ascending by name
  size_t people_not_in_panel = 0;     // people of the table that are not among the samples
  std::vector<std::string> unplaced;  // genes of the table that `genes` lacks
};

// Reads the types of `samples`, with at most `fields` fields, of the genes whose place is known. The table, plain or
// gzipped, has columns separated by blanks in one of these forms, which its first row tells:
//
//   sample gene allele allele         one row for each person and gene, with or without a header
//   sample allele allele ...          all alleles of a person, with their genes: A*01:01:01G A*02:01 B*...
//   family sample 0 0 sex phenotype   and 16 alleles of A, B, C, DPA1, DPB1, DQA1, DQB1 and DRB1: .hped of SNP2HLA
//
// Several alleles that are possible are separated by "/". An allele with fewer fields than asked for may be any of the
// table's alleles that begin with it. Missing ones are 0, NA, ".", "-" or "?". Throws InputError, with the line, for
// what is none of these, for a person who has two different types, and if none of the samples is in the table.
HlaTypes LoadHlaTypes(const std::string& path, std::span<const std::string> samples, size_t fields,
                      const HlaGenes& places);

// Reads rows "gene position", bp. Throws InputError for a file without any, and for a gene that is named twice.
HlaGenes LoadHlaGenes(const std::string& path);

}  // namespace haplospin
