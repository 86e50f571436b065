// PLINK files of samples (.fam): sexes and families.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

// A child with one or both of its parents; indices of samples.
struct Trio {
  size_t child;
  std::optional<size_t> father;
  std::optional<size_t> mother;
};

struct Pedigree {
  std::vector<Trio> trios;          // trios and duos, in the order of the file
  std::vector<Trio> selfed;         // children whose two parents are one person
  std::vector<std::string> absent;  // people of the file that are not among the samples, nor among the others

  // Parents whose sex in the file is not that of their role.
  std::vector<std::string> female_fathers, male_mothers;
  // The person and the parents of the first line where they are in no other one, as the words of a header are that this
  // program does not know; else empty.
  std::vector<std::string> perhaps_header;

  // All people who have a parent in the file. Those who are not among the samples have the numbers from that of the
  // samples to num_people.
  std::vector<Trio> descent;
  size_t num_people = 0;
  std::vector<std::string> names_of_others = {};  // those who are not among the samples, as FAMILY_NAME if need be

  // Those who are also, or only, among others, as those of a panel.
  struct Other {
    size_t person;
    size_t sample;  // of the others
  };
  std::vector<Other> others;

  std::vector<size_t> lines = {};  // [lines of the file] the person that each is of

  // People without genotypes who are to be found, in the order of the output (models/pedigree/absent_animals.h).
  std::vector<size_t> animals = {};
};

// Reads the pedigrees of PLINK and of breeders (pedigree_rows.h). People have the names of samples, or those names
// begin with the family and "_", as PLINK writes them. Throws InputError if a line has fewer columns, a sample occurs
// twice or is an ancestor of itself, or if none is in `samples`. People are looked for in `others`, the samples of a
// panel, too.
Pedigree LoadPedigree(const std::string& path, std::span<const std::string> samples,
                      std::span<const std::string> others = {});

// Returns the lines of a .fam file of all samples, without families and phenotypes, and with the sexes that are known.
std::string FamText(const Pedigree& pedigree, std::span<const std::string> samples, const SampleSexes& sexes);

}  // namespace haplospin
