#include "genotypes/imputation/stages/shared_families.h"

namespace haplospin {

SharedFamilies::SharedFamilies(const Pedigree& pedigree, size_t study_samples, FamilyPart part,
                               std::span<const size_t> animals)
    : part_(part),
      kinship_(pedigree),
      has_panel_(pedigree.num_people),
      has_study_(pedigree.num_people),
      has_animals_(pedigree.num_people),
      is_in_panel_(pedigree.num_people) {
  for (const size_t animal : animals) has_animals_[kinship_.FamilyOf(animal)] = true;
  for (const Pedigree::Other& other : pedigree.others) {
    has_panel_[kinship_.FamilyOf(other.person)] = is_in_panel_[other.person] = true;
  }
  for (size_t s = 0; s < study_samples; ++s) {
    if (!is_in_panel_[s]) has_study_[kinship_.FamilyOf(s)] = true;
  }
}

bool SharedFamilies::Have(size_t person) {
  const size_t family = kinship_.FamilyOf(person);
  return part_ == FamilyPart::kAnimals ? has_animals_[family] : has_panel_[family] && has_study_[family];
}

}  // namespace haplospin
