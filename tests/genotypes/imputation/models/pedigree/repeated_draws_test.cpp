#include "genotypes/imputation/models/pedigree/repeated_draws.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

// The genotype probabilities of the mean are the mean of those of the draws.
TEST(MeanGenotypes, GenotypesAreKept) {
  MeanGenotypes mean;
  mean.Add({std::vector{1.0f, 0.9f}, std::vector{0.0f, 0.2f}});
  mean.Add({std::vector{0.0f, 0.9f}, std::vector{0.0f, 0.4f}});
  const FamilyHaplotypes found = mean.Haplotypes();
  EXPECT_NEAR(found[0][0] + found[1][0], 0.5, 1e-6);
  EXPECT_NEAR(found[0][0] * found[1][0], 0, 1e-6);
  EXPECT_NEAR(found[0][1] + found[1][1], 1.2, 1e-6);
  EXPECT_NEAR(found[0][1] * found[1][1], 0.27, 1e-6);
}

TEST(RepeatedDraws, DecidedPeopleAreCertainAndAnimalsAreByPerson) {
  FamilyMember father{.parents = {}}, mother{.parents = {}}, child{.parents = {0, 1}};
  father.genotype = {2, 2};
  mother.genotype = {0, 0};
  child.genotype = {kUnknownGenotype, kUnknownGenotype};
  for (FamilyMember* member : {&father, &mother, &child}) {
    member->alt = {std::vector(2, 0.5f), std::vector(2, 0.5f)};
    member->switch_error.assign(2, 0);
  }
  const std::vector<double> centimorgans{0, 1};
  RepeatedDraws draws(centimorgans, 1);
  draws.Add({father, mother, child});
  FamilyPeople people;
  people.people = {7, 8, 3};
  const std::vector<FamilyHaplotypes> animals = draws.Animals({.animals = {3}}, people);
  ASSERT_EQ(animals.size(), 1u);
  for (size_t j = 0; j < 2; ++j) {
    EXPECT_GT(animals[0][0][j], 0.95f);
    EXPECT_LT(animals[0][1][j], 0.05f);
  }
}

}  // namespace
}  // namespace haplospin
