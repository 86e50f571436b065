// The amino acids of the HLA proteins of a study.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/output_file.h"
#include "genotypes/genomics/hla/hla_proteins.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// Writes a table, tab-separated, with a header and a row for each gene, person, and position of the protein at which
// the alleles of the panel differ: the best pair of amino acids, its probability, and the dosage of each amino acid
// (genomics/hla/amino_acid_calls.h).
class AminoAcidTable {
 public:
  // Throws InputError if the file cannot be written.
  AminoAcidTable(const std::string& path, const HlaProteins& proteins);

  // Adds a gene, with the probabilities of its alleles on each haplotype, [haplotypes][alleles]. Warns of a gene and of
  // alleles whose proteins are not known.
  void Add(const std::string& gene, std::span<const HlaAllele> alleles, const SampleTable& samples,
           std::span<const std::vector<float>> probabilities);

  // Completes the file. Throws InputError if the proteins of no gene are known.
  void Finish();

 private:
  const HlaProteins& proteins_;
  OutputFile file_;
  bool is_empty_ = true;
};

}  // namespace haplospin
