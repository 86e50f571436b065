#include "genotypes/imputation/models/pedigree/family_search.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "genotypes/imputation/models/pedigree/gene_drop.h"

namespace haplospin {
namespace {

using Parents = std::map<size_t, std::set<size_t>>;

Parents ParentsIn(const FoundFamilies& found) {
  Parents parents;
  for (const Trio& trio : found.pedigree.descent) {
    for (const std::optional<size_t>& parent : {trio.father, trio.mother}) {
      if (parent) parents[trio.child].insert(*parent);
    }
  }
  return parents;
}

// A herd: founders 0 to 19, their children 20 to 49, and children of these.
class FamilySearchTest : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr size_t kFounders = 20, kFirst = 30, kSecond = 30;

  FamilySearchTest() : drop_(20, 400, GetParam()) {
    for (size_t i = 0; i < kFounders; ++i) people_.push_back(drop_.AddFounder());
    for (size_t i = 0; i < kFirst; ++i) Mate(i % 5, 5 + i % 15);
    for (size_t i = 0; i < kSecond; ++i) Mate(kFounders + 2 * (i % 7), kFounders + 1 + 2 * (i % 13));
  }

  void Mate(size_t father, size_t mother) {
    people_.push_back(drop_.AddChild(father, mother));
    true_[people_.back()] = {father, mother};
  }

  // The samples are the people from `first` on.
  Parents FindFrom(size_t first, const std::vector<size_t>& sparse = {}) {
    const std::vector<size_t> samples(people_.begin() + static_cast<std::ptrdiff_t>(first), people_.end());
    Parents parents;
    for (const auto& [child, found] : ParentsIn(FindFamilies(drop_.Genotypes(samples, sparse, 4)))) {
      for (const size_t parent : found) parents[child + first].insert(parent + first);
    }
    return parents;
  }

  GeneDrop drop_;
  std::vector<size_t> people_;
  Parents true_;
};

TEST_P(FamilySearchTest, FindsBothParentsOfAll) {
  EXPECT_EQ(FindFrom(0), true_);
  std::vector<size_t> last(people_.end() - kSecond, people_.end());
  EXPECT_EQ(FindFrom(0, last), true_);
}

// Sibs, half-sibs, uncles and grandparents of those whose parents are not there are not taken for their parents.
TEST_P(FamilySearchTest, FindsNoFalseParents) {
  for (const auto& [child, parents] : FindFrom(kFounders)) EXPECT_EQ(parents, true_[child]) << child;
  EXPECT_EQ(FindFrom(kFounders + kFirst), Parents());
  for (size_t i = 0; i < kFirst; ++i) people_.erase(people_.begin() + kFounders);
  std::vector<size_t> samples = people_;
  EXPECT_EQ(ParentsIn(FindFamilies(drop_.Genotypes(samples))), Parents());
}

INSTANTIATE_TEST_SUITE_P(Seeds, FamilySearchTest, testing::Range(1u, 6u));

TEST(FamilyKindsTest, TheChildrenOfOneParentAreToldByTheirNumberOrTheirChip) {
  GeneDrop drop(20, 400, 7);
  std::vector<size_t> people;
  for (int i = 0; i < 16; ++i) people.push_back(drop.AddFounder());
  const size_t first = people.size();
  for (size_t i = 1; i <= 5; ++i) people.push_back(drop.AddChild(0, i));
  people.push_back(drop.AddChild(6, 7));
  // Without the dams: 0 has five children, and 6 has one.
  std::vector<size_t> samples{0, 6};
  samples.insert(samples.end(), people.begin() + 8, people.end());
  const auto find = [&](const std::vector<size_t>& sparse) {
    Parents parents;
    for (const auto& [child, found] : ParentsIn(FindFamilies(drop.Genotypes(samples, sparse, 2)))) {
      for (const size_t parent : found) parents[samples[child]].insert(samples[parent]);
    }
    return parents;
  };
  Parents expected;
  for (size_t i = 0; i < 5; ++i) expected[first + i] = {0};
  EXPECT_EQ(find({}), expected);
  expected[first + 5] = {6};
  EXPECT_EQ(find({first, first + 1, first + 2, first + 3, first + 4, first + 5}), expected);
}

TEST(FamilyKindsTest, OnePersonTypedTwiceIsNoParent) {
  GeneDrop drop(20, 400, 8);
  std::vector<size_t> people;
  for (int i = 0; i < 20; ++i) people.push_back(drop.AddFounder());
  for (size_t i = 0; i < 5; ++i) people.push_back(drop.AddCopy(i));
  EXPECT_EQ(ParentsIn(FindFamilies(drop.Genotypes(people))), Parents());
}

TEST(FamilyKindsTest, FindsTheParentOfSelfedPlants) {
  GeneDrop drop(20, 400, 9);
  std::vector<size_t> people;
  for (int i = 0; i < 20; ++i) people.push_back(drop.AddFounder());
  for (int i = 0; i < 4; ++i) people.push_back(drop.AddChild(3, 3));
  const FoundFamilies found = FindFamilies(drop.Genotypes(people));
  EXPECT_EQ(found.pedigree.selfed.size(), 4u);
  EXPECT_TRUE(found.pedigree.trios.empty());
  for (const Trio& trio : found.pedigree.selfed) {
    EXPECT_EQ(trio.father, 3u);
    EXPECT_EQ(trio.mother, 3u);
  }
}

TEST(FamilyKindsTest, AParentIsTheFatherOfAllItsChildrenOrTheMother) {
  GeneDrop drop(20, 400, 10);
  std::vector<size_t> people;
  for (int i = 0; i < 12; ++i) people.push_back(drop.AddFounder());
  for (size_t i = 0; i < 30; ++i) people.push_back(drop.AddChild(i % 3 == 0 ? 1 : 5, 6 + i % 4));
  const FoundFamilies found = FindFamilies(drop.Genotypes(people));
  EXPECT_EQ(found.trios, 30u);
  std::set<size_t> fathers, mothers;
  for (const Trio& trio : found.pedigree.trios) {
    fathers.insert(*trio.father);
    mothers.insert(*trio.mother);
  }
  for (const size_t father : fathers) EXPECT_FALSE(mothers.contains(father));
}

TEST(FamilyKindsTest, AShortGenomeIsUndecided) {
  GeneDrop drop(2, 600, 11);
  std::vector<size_t> people;
  for (int i = 0; i < 10; ++i) people.push_back(drop.AddFounder());
  for (size_t i = 0; i < 10; ++i) people.push_back(drop.AddChild(i % 5, 5 + i % 5));
  const FoundFamilies found = FindFamilies(drop.Genotypes(people));
  EXPECT_EQ(found.trios + found.duos, 0u);
  EXPECT_GT(found.undecided, 10u);
  EXPECT_EQ(found.contigs, 2u);
  EXPECT_NEAR(found.centimorgans, 299.5, 1e-9);
}

TEST(FamilyKindsTest, NothingIsFoundWithoutMarkers) {
  const FoundFamilies found = FindFamilies(MarkerChoice(5).Finish());
  EXPECT_EQ(found.trios + found.duos + found.undecided, 0u);
}

}  // namespace
}  // namespace haplospin
