// PLINK files of samples (.fam): sexes and families.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "genotypes/genomics/pedigree.h"
#include "genotypes/variant_io/oxford_samples.h"

namespace haplospin {

struct FamFile {
  std::vector<std::string> families;
  std::vector<std::string> samples;  // IDs within the family
  std::vector<bool> is_male, is_female;
};

// Columns family, sample, father, mother, sex (1: male, 2: female), and further ones. Throws InputError if a line has
// fewer. https://www.cog-genomics.org/plink/1.9/formats#fam
FamFile LoadFamFile(const std::string& path);

// Reads the pedigrees of PLINK and of breeders (pedigree_rows.h). People have the names of samples, or those names
// begin with the family and "_", as PLINK writes them. Throws InputError if a line has fewer columns, a sample occurs
// twice or is an ancestor of itself, or if none is in `samples`. People are looked for in `others`, the samples of a
// panel, too.
Pedigree LoadPedigree(const std::string& path, std::span<const std::string> samples,
                      std::span<const std::string> others = {});

// Returns the sexes that the column of a pedigree tells, by the names that LoadPedigree() knows people by; none if a
// father is female by it, or a mother male. Throws InputError if a line has too few columns.
SampleSexes LoadPedigreeSexes(const std::string& path);

// Returns the lines of a .fam file of all samples, without families and phenotypes, and with the sexes that are known.
std::string FamText(const Pedigree& pedigree, std::span<const std::string> samples, const SampleSexes& sexes);

}  // namespace haplospin
