#include "genotypes/imputation/models/pedigree/family_trios.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

namespace haplospin {

std::vector<Trio> FamilyTrios(const Pedigree& pedigree, const std::vector<bool>& has_genotypes) {
  std::vector<bool> has_parent(pedigree.num_people);  // with genotypes
  const auto has_any = [](const Trio& trio, const std::vector<bool>& people) {
    return (trio.father && people[*trio.father]) || (trio.mother && people[*trio.mother]);
  };
  for (const Trio& trio : pedigree.descent) has_parent[trio.child] = has_any(trio, has_genotypes);
  std::vector<Trio> trios;
  std::ranges::copy_if(pedigree.descent, std::back_inserter(trios), [&](const Trio& trio) {
    return has_parent[trio.child] || (has_genotypes[trio.child] && has_any(trio, has_parent));
  });
  return trios;
}

}  // namespace haplospin
