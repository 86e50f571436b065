#include "genotypes/imputation/models/pedigree/family_people.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

// Samples 0 to 3, of which 1 is a child of 0 and of nobody known, and 2 is in no family; 4 and 5 are a pair without
// genotypes whose child is 3.
const Pedigree kPedigree{.descent = {{1, 0, {}}, {3, 4, 5}}, .num_people = 6, .animals = {5}};

FamilyPeople List(FamilyPart part) {
  return ListFamilyPeople(SampleTable::Diploid({"a", "b", "c", "d"}), kPedigree, part, std::vector<bool>(4, true));
}

TEST(FamilyPeople, ParentsComeBeforeChildrenAndAreTwo) {
  const FamilyPeople people = List(FamilyPart::kSamples);
  EXPECT_THAT(people.people, UnorderedElementsAre(0, 6, 1));  // 3 has no relatives with genotypes
  ASSERT_EQ(people.people.back(), 1u);
  for (const std::optional<size_t>& parent : people.parents.back()) EXPECT_LT(parent.value(), 2u);
  EXPECT_EQ(people.people[*people.parents.back()[0]], 0u);  // the father
  EXPECT_EQ(people.samples[*people.parents.back()[1]], std::nullopt);
}

TEST(FamilyPeople, RelativesOfPeopleWithoutGenotypes) {
  const FamilyPeople people = List(FamilyPart::kAnimals);
  EXPECT_THAT(people.people, UnorderedElementsAre(4, 5, 3));
  EXPECT_EQ(people.people.back(), 3u);
}

}  // namespace
}  // namespace haplospin
