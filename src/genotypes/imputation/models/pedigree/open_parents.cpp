#include "genotypes/imputation/models/pedigree/open_parents.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "genotypes/imputation/models/pedigree/ancestors.h"

namespace haplospin {
namespace {

using Parents = std::array<std::optional<size_t>, 2>;  // father, mother

class ParentFilling {
 public:
  ParentFilling(const Pedigree& known, std::span<const std::string> samples, const SampleSexes& sexes)
      : pedigree_(known), parents_(known.num_people), roles_(known.num_people) {
    for (size_t s = 0; s < samples.size(); ++s) {
      roles_[s] = {sexes.males.contains(samples[s]), sexes.females.contains(samples[s])};
    }
    for (const Trio& trio : known.descent) Set(trio.child, {trio.father, trio.mother});
  }

  void Fill(const Trio& found, OpenParents open) {
    const Parents& known = parents_[found.child];
    if (known[0] && known[1]) return;
    const bool is_founder = !known[0] && !known[1];
    if (is_founder && open == OpenParents::kSecond) return;
    const Parents parents = is_founder ? InRoles({found.father, found.mother}) : WithSecond(known, found);
    if (MayBe(found.child, parents)) Add(found.child, parents);
  }

  Pedigree Take() { return std::move(pedigree_); }

 private:
  void Set(size_t child, const Parents& parents) {
    parents_[child] = parents;
    if (parents[0] == parents[1]) return;  // a selfed plant
    for (size_t role = 0; role < 2; ++role) {
      if (parents[role]) roles_[*parents[role]][role] = true;
    }
  }

  bool IsOfOtherRole(const std::optional<size_t>& person, size_t role) const {
    return person && roles_[*person][1 - role] && !roles_[*person][role];
  }

  // Who of two found parents is the father is not known.
  Parents InRoles(Parents parents) const {
    if (IsOfOtherRole(parents[0], 0) || IsOfOtherRole(parents[1], 1)) std::swap(parents[0], parents[1]);
    return parents;
  }

  // Returns the known parent, and the found one that is another person.
  static Parents WithSecond(const Parents& known, const Trio& found) {
    Parents parents = known;
    const size_t open = known[0] ? 1 : 0, person = *known[1 - open];
    if (found.father == person || found.mother == person) {
      parents[open] = found.father == person ? found.mother : found.father;
    } else if (!found.father || !found.mother) {
      parents[open] = found.father ? found.father : found.mother;
    }
    return parents;
  }

  bool MayBe(size_t child, const Parents& parents) const {
    const auto for_each_parent = [this](size_t person, const auto& visit) {
      for (const auto& parent : parents_[person]) {
        if (parent) visit(*parent);
      }
    };
    for (size_t role = 0; role < 2; ++role) {
      if (!parents[role] || parents[role] == parents_[child][role]) continue;
      const bool is_selfed = parents[0] == parents[1];
      if (!is_selfed && IsOfOtherRole(parents[role], role)) return false;
      if (IsAncestor(child, *parents[role], parents_.size(), for_each_parent)) return false;
    }
    return parents != parents_[child];
  }

  void Add(size_t child, const Parents& parents) {
    Set(child, parents);
    const auto put = [&](std::vector<Trio>& trios, const Trio& trio) {
      const auto before = std::ranges::find(trios, child, &Trio::child);
      before == trios.end() ? trios.push_back(trio) : void(*before = trio);
    };
    put(pedigree_.descent, {child, parents[0], parents[1]});
    const auto sample = [&](const std::optional<size_t>& person) {
      return person && *person < NumSamples() ? person : std::nullopt;
    };
    const Trio sample_trio{child, sample(parents[0]), sample(parents[1])};
    put(parents[0] == parents[1] ? pedigree_.selfed : pedigree_.trios, sample_trio);
  }

  size_t NumSamples() const { return pedigree_.num_people - pedigree_.names_of_others.size(); }

  Pedigree pedigree_;
  std::vector<Parents> parents_;            // [people]
  std::vector<std::array<bool, 2>> roles_;  // [people] of fathers, or males; of mothers, or females
};

}  // namespace

Pedigree FillOpenParents(const Pedigree& known, const Pedigree& found, OpenParents open,
                         std::span<const std::string> samples, const SampleSexes& sexes) {
  ParentFilling filling(known, samples, sexes);
  for (const Trio& trio : found.descent) filling.Fill(trio, open);
  return filling.Take();
}

}  // namespace haplospin
