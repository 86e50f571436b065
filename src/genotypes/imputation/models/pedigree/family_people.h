// Who is in the families of a study.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "genotypes/genomics/pedigree.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// Whose haplotypes are found: those of the samples, or those of people whose genotypes are to be found from their
// relatives alone, Pedigree::animals and samples without any genotype. To find these, the families consist of all
// people who are related to them, in how many steps whatever.
enum class FamilyPart { kSamples, kAnimals };

// The people of families, each after its parents.
struct FamilyPeople {
  using Parents = std::array<std::optional<size_t>, 2>;

  std::vector<std::optional<size_t>> samples;  // [members] none: without genotypes
  std::vector<Parents> parents;                // [members] members; either both or none
  std::vector<size_t> people;                  // [members] of the pedigree, or beyond it
  std::vector<bool> has_genotypes;             // [samples]
};

// Lists the people of the families of diploid samples. The other parent of somebody with one parent is a person without
// genotypes. `has_genotypes`: [samples].
FamilyPeople ListFamilyPeople(const SampleTable& samples, const Pedigree& pedigree, FamilyPart part,
                              std::vector<bool> has_genotypes);

}  // namespace haplospin
