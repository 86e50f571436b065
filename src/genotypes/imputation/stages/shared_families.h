// Which families of a pedigree have people of the panel, and people who are in the study alone; or people without
// genotypes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "genotypes/imputation/models/pedigree/family_people.h"
#include "genotypes/imputation/models/pedigree/kinship.h"
#include "genotypes/variant_io/fam_file.h"

namespace haplospin {

class SharedFamilies {
 public:
  // `animals` are people without genotypes, for FamilyPart::kAnimals.
  SharedFamilies(const Pedigree& pedigree, size_t study_samples, FamilyPart part, std::span<const size_t> animals);

  bool IsInPanel(size_t person) const { return is_in_panel_[person]; }

  // Returns whether the person is in such a family.
  bool Have(size_t person);

 private:
  const FamilyPart part_;
  Kinship kinship_;
  std::vector<bool> has_panel_, has_study_, has_animals_;  // [people] of the family that has this number
  std::vector<bool> is_in_panel_;                          // [people]
};

}  // namespace haplospin
