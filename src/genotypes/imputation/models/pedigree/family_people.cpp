#include "genotypes/imputation/models/pedigree/family_people.h"

#include <algorithm>
#include <utility>

#include "genotypes/imputation/models/pedigree/family_trios.h"
#include "genotypes/imputation/models/pedigree/kinship.h"

namespace haplospin {
namespace {

using Parents = FamilyPeople::Parents;

// Lists the people of families.
class PeopleList {
 public:
  PeopleList(const SampleTable& samples, const Pedigree& pedigree, FamilyPart part, std::vector<bool> has_genotypes)
      : samples_(samples), pedigree_(pedigree), known_parents_(pedigree.num_people) {
    people_.has_genotypes = std::move(has_genotypes);
    for (const Trio& trio : part == FamilyPart::kSamples ? TriosOfSamples() : pedigree_.descent) {
      if (trio.child < samples_.num_samples() && samples_.ploidy(trio.child) != 2) continue;
      known_parents_[trio.child] = {trio.father, trio.mother};
    }
    const size_t num_named = known_parents_.size();
    for (size_t i = 0; i < num_named; ++i) AddUnknownParent(i);
    member_.resize(known_parents_.size());
    part == FamilyPart::kSamples ? AddSamples(std::vector<bool>(samples.num_samples(), true)) : AddAnimals();
  }

  FamilyPeople Take() { return std::move(people_); }

 private:
  std::vector<Trio> TriosOfSamples() const {
    std::vector<bool> is_sample(pedigree_.num_people);
    std::fill_n(is_sample.begin(), samples_.num_samples(), true);
    return FamilyTrios(pedigree_, is_sample);
  }

  bool HasGenotypes(size_t person) const { return person < samples_.num_samples() && people_.has_genotypes[person]; }

  // Adds those of the wanted samples who have parents.
  void AddSamples(const std::vector<bool>& are_wanted) {
    for (size_t i = 0; i < samples_.num_samples(); ++i) {
      if (are_wanted[i] && known_parents_[i][0]) AddMember(i);
    }
  }

  // Adds people without genotypes, and the samples that they are related to.
  void AddAnimals() {
    Kinship kinship(pedigree_);
    std::vector<size_t> animals = pedigree_.animals;
    for (size_t s = 0; s < samples_.num_samples(); ++s) {
      if (!HasGenotypes(s) && samples_.ploidy(s) == 2) animals.push_back(s);
    }
    std::vector<bool> has_animal(pedigree_.num_people), are_wanted;
    for (const size_t animal : animals) has_animal[kinship.FamilyOf(animal)] = true;
    for (size_t s = 0; s < samples_.num_samples(); ++s) are_wanted.push_back(has_animal[kinship.FamilyOf(s)]);
    AddSamples(are_wanted);
    for (const size_t animal : pedigree_.animals) AddMember(animal);
  }

  void AddUnknownParent(size_t child) {
    const Parents parents = known_parents_[child];
    if (parents[0].has_value() == parents[1].has_value()) return;
    known_parents_[child][parents[0] ? 1 : 0] = known_parents_.size();
    known_parents_.emplace_back();
  }

  void AddMember(size_t person) {
    std::vector<std::pair<size_t, bool>> open{{person, false}};  // and whether its parents were added
    while (!open.empty()) {
      const auto [p, has_parents] = open.back();
      open.pop_back();
      if (member_[p]) continue;
      if (!has_parents) {
        open.emplace_back(p, true);
        for (const auto& parent : known_parents_[p]) {
          if (parent) open.emplace_back(*parent, false);
        }
        continue;
      }
      member_[p] = people_.samples.size();
      people_.samples.push_back(HasGenotypes(p) ? std::optional(p) : std::nullopt);
      people_.people.push_back(p);
      Parents& parents = people_.parents.emplace_back();
      for (size_t side = 0; side < 2; ++side) {
        if (known_parents_[p][side]) parents[side] = member_[*known_parents_[p][side]];
      }
    }
  }

  const SampleTable& samples_;
  const Pedigree& pedigree_;
  std::vector<Parents> known_parents_;         // [people]
  std::vector<std::optional<size_t>> member_;  // [people]
  FamilyPeople people_;
};

}  // namespace

FamilyPeople ListFamilyPeople(const SampleTable& samples, const Pedigree& pedigree, FamilyPart part,
                              std::vector<bool> has_genotypes) {
  return PeopleList(samples, pedigree, part, std::move(has_genotypes)).Take();
}

}  // namespace haplospin
