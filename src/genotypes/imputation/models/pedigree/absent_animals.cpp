#include "genotypes/imputation/models/pedigree/absent_animals.h"

#include "genotypes/imputation/models/pedigree/kinship.h"

namespace haplospin {

AbsentAnimals FindAbsentAnimals(const Pedigree& pedigree, size_t samples) {
  Kinship kinship(pedigree);
  std::vector<bool> is_known(pedigree.num_people), family_is_known(pedigree.num_people);
  const auto note_known = [&](size_t person) { is_known[person] = family_is_known[kinship.FamilyOf(person)] = true; };
  for (size_t s = 0; s < samples; ++s) note_known(s);
  for (const Pedigree::Other& other : pedigree.others) note_known(other.person);
  AbsentAnimals animals;
  std::vector<bool> is_listed = is_known;
  const auto list = [&](size_t person) {
    if (is_listed[person]) return;
    is_listed[person] = true;
    if (!family_is_known[kinship.FamilyOf(person)]) {
      ++animals.unrelated;
      return;
    }
    animals.people.push_back(person);
    animals.names.push_back(pedigree.names_of_others[person - samples]);
  };
  for (const size_t person : pedigree.lines) list(person);
  for (size_t person = samples; person < pedigree.num_people; ++person) list(person);
  return animals;
}

}  // namespace haplospin
