#include "genotypes/imputation/models/pedigree/open_parents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace haplospin {
namespace {

using Person = std::optional<size_t>;

// Samples 0 to 7; 8 has no genotypes.
Pedigree PedigreeOf(const std::vector<Trio>& descent, size_t people = 8) {
  Pedigree pedigree;
  pedigree.num_people = people;
  for (size_t i = 8; i < people; ++i) pedigree.names_of_others.push_back("other");
  pedigree.descent = descent;
  const auto sample = [](const Person& person) { return person && *person < 8 ? person : std::nullopt; };
  for (const Trio& trio : descent) {
    const Trio sample_trio{trio.child, sample(trio.father), sample(trio.mother)};
    if (sample_trio.father || sample_trio.mother) pedigree.trios.push_back(sample_trio);
  }
  return pedigree;
}

// The parents of a child, who are samples, in both lists of a pedigree.
std::pair<Person, Person> ParentsIn(const Pedigree& pedigree, size_t child) {
  const auto found = std::ranges::find(pedigree.descent, child, &Trio::child);
  if (found == pedigree.descent.end()) return {};
  const auto trio = std::ranges::find(pedigree.trios, child, &Trio::child);
  EXPECT_NE(trio, pedigree.trios.end());
  EXPECT_EQ(trio->father, found->father);
  return {found->father, found->mother};
}

using Pair = std::pair<Person, Person>;

TEST(OpenParentsTest, TheSecondParentIsFilled) {
  const Pedigree sires = PedigreeOf({{2, 0, std::nullopt}, {3, 0, std::nullopt}, {6, std::nullopt, 1}});
  const Pedigree found = PedigreeOf({{2, 1, 0}, {3, 1, std::nullopt}, {4, 0, 1}, {6, 5, 1}});
  const Pedigree all = FillOpenParents(sires, found, OpenParents::kAll);
  EXPECT_EQ(ParentsIn(all, 2), Pair(0, 1));
  EXPECT_EQ(ParentsIn(all, 3), Pair(0, 1));
  EXPECT_EQ(ParentsIn(all, 4), Pair(0, 1));
  EXPECT_EQ(ParentsIn(all, 6), Pair(5, 1));
  const Pedigree second = FillOpenParents(sires, found, OpenParents::kSecond);
  EXPECT_EQ(ParentsIn(second, 3), Pair(0, 1));
  EXPECT_EQ(ParentsIn(second, 4), Pair());
}

TEST(OpenParentsTest, KnownParentsStay) {
  const Pedigree known = PedigreeOf({{2, 0, 1}, {3, 0, std::nullopt}, {4, 8, std::nullopt}}, 9);
  const Pedigree found = PedigreeOf({{2, 5, 6}, {3, 5, 6}, {4, 5, 6}});
  const Pedigree filled = FillOpenParents(known, found, OpenParents::kAll);
  EXPECT_EQ(ParentsIn(filled, 2), Pair(0, 1));
  EXPECT_EQ(ParentsIn(filled, 3), Pair(0, std::nullopt));  // the genotypes contradict the father
  EXPECT_EQ(filled.descent[2].father, Person(8));
  EXPECT_EQ(filled.descent[2].mother, std::nullopt);
  const Pedigree one = FillOpenParents(known, PedigreeOf({{4, 5, std::nullopt}}), OpenParents::kSecond);
  EXPECT_EQ(one.descent[2].mother, Person(5));
  EXPECT_EQ(std::ranges::find(one.trios, size_t{4}, &Trio::child)->mother, Person(5));
}

TEST(OpenParentsTest, RolesAndGenerationsHold) {
  const Pedigree known = PedigreeOf({{2, 0, 1}, {3, 0, std::nullopt}, {5, 2, std::nullopt}});
  // Sample 2, a father, is no mother; nobody is a parent of an ancestor.
  EXPECT_EQ(ParentsIn(FillOpenParents(known, PedigreeOf({{3, 2, 0}}), OpenParents::kAll), 3), Pair(0, std::nullopt));
  EXPECT_EQ(ParentsIn(FillOpenParents(known, PedigreeOf({{0, 5, std::nullopt}}), OpenParents::kAll), 0), Pair());
  EXPECT_EQ(ParentsIn(FillOpenParents(known, PedigreeOf({{4, 1, 0}}), OpenParents::kAll), 4), Pair(0, 1));
  const std::vector<std::string> names{"a", "b", "c", "d", "e", "f", "g", "h"};
  const SampleSexes sexes{.males = {"h"}, .females = {"g"}};
  EXPECT_EQ(ParentsIn(FillOpenParents(known, PedigreeOf({{4, 6, 7}}), OpenParents::kAll, names, sexes), 4), Pair(7, 6));
}

}  // namespace
}  // namespace haplospin
