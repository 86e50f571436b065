// Which people of a pedigree are related to each other, in how many steps whatever.
#pragma once

#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

#include "genotypes/genomics/pedigree.h"

namespace haplospin {

class Kinship {
 public:
  explicit Kinship(const Pedigree& pedigree) : family_(pedigree.num_people) {
    std::iota(family_.begin(), family_.end(), size_t{0});
    for (const Trio& trio : pedigree.descent) {
      for (const std::optional<size_t>& parent : {trio.father, trio.mother}) {
        if (parent) family_[FamilyOf(*parent)] = FamilyOf(trio.child);
      }
    }
  }

  size_t FamilyOf(size_t person) {
    while (family_[person] != person) person = family_[person] = family_[family_[person]];
    return person;
  }

 private:
  std::vector<size_t> family_;  // [people] somebody of the same family
};

}  // namespace haplospin
