// Files of the proteins of HLA alleles.
#pragma once

#include <span>
#include <string>

#include "genotypes/genomics/hla/hla_proteins.h"

namespace haplospin {

// Reads files, plain or gzipped, each of one of these forms:
//
//   A*01:01 GSHSMRYFFT...   a table with an allele and its protein per line. Proteins of a gene have the same length:
//   "."
//                           is no amino acid, "*" or "x" an unknown one, and X a stop. The first letter is position 1,
//                           or that of the last line "allele -24" before.
//   Prot    -30       1     an alignment of IPD-IMGT/HLA, A_prot.txt: blocks of columns, with the place of position 1
//                           marked in the first; "-" is the amino acid of the first allele.
//
// Columns in which the first allele of the gene or of the alignment has no amino acid are inserted ones. A gene that is
// in several files is taken from the one with most of its alleles: an alignment may have an allele of another gene as
// its first. Throws InputError, with the line, for what is none of these.
HlaProteins LoadHlaProteins(std::span<const std::string> paths);

}  // namespace haplospin
