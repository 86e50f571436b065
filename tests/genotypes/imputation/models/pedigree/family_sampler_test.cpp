#include "genotypes/imputation/models/pedigree/family_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <vector>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kMarkers = 200;
constexpr double kGap = 0.5;  // cM between two markers

using Haplotypes = std::array<std::vector<uint8_t>, 2>;
using Parents = std::array<std::optional<size_t>, 2>;

// A family whose true haplotypes are known. Founders are dense, and phased by a copying model; children are typed at
// some markers, and the copying model knows nothing of the others.
class FamilySamplerTest : public testing::Test {
 protected:
  size_t AddFounder() {
    Haplotypes haplotypes;
    for (std::vector<uint8_t>& haplotype : haplotypes) {
      for (size_t j = 0; j < kMarkers; ++j) haplotype.push_back(static_cast<uint8_t>(rng_() & 1));
    }
    return Add({}, std::move(haplotypes), 1);
  }

  size_t AddChild(const Parents& parents, size_t density) {
    Haplotypes haplotypes;
    for (size_t side = 0; side < 2; ++side) haplotypes[side] = Gamete(*parents[side]);
    return Add(parents, std::move(haplotypes), density);
  }

  size_t Add(const Parents& parents, Haplotypes haplotypes, size_t density) {
    FamilyMember member{.parents = parents, .switch_error = std::vector<float>(kMarkers, 0.01f)};
    for (size_t j = 0; j < kMarkers; ++j) {
      const bool is_typed = j % density == 0;
      member.genotype.push_back(is_typed ? static_cast<uint8_t>(haplotypes[0][j] + haplotypes[1][j])
                                         : kUnknownGenotype);
      for (size_t c = 0; c < 2; ++c) member.alt[c].push_back(is_typed ? haplotypes[c][j] : 0.5f);
    }
    members_.push_back(std::move(member));
    truth_.push_back(std::move(haplotypes));
    return members_.size() - 1;
  }

  std::vector<uint8_t> Gamete(size_t parent) {
    std::vector<uint8_t> gamete;
    size_t c = rng_() & 1;
    for (size_t j = 0; j < kMarkers; ++j) {
      if (std::uniform_real_distribution<>()(rng_) < kGap / 100) c = 1 - c;
      gamete.push_back(truth_[parent][c][j]);
    }
    return gamete;
  }

  // Exchanges what the copying model found of a person from a marker on.
  void AddSwitch(size_t person, size_t from) {
    auto& alt = members_[person].alt;
    std::swap_ranges(alt[0].begin() + static_cast<std::ptrdiff_t>(from), alt[0].end(),
                     alt[1].begin() + static_cast<std::ptrdiff_t>(from));
  }

  std::vector<FamilyHaplotypes> Run(uint64_t seed = 1) const {
    std::vector<double> centimorgans;
    for (size_t j = 0; j < kMarkers; ++j) centimorgans.push_back(kGap * static_cast<double>(j));
    return FamilySampler(members_, centimorgans, seed).Run();
  }

  // Returns the share of a person's alleles that are wrong, if its haplotypes are in order.
  double WrongAlleles(const FamilyHaplotypes& found, size_t person) const {
    size_t wrong = 0;
    for (size_t c = 0; c < 2; ++c) {
      for (size_t j = 0; j < kMarkers; ++j) wrong += (found[c][j] > 0.5f) != (truth_[person][c][j] == 1);
    }
    return static_cast<double>(wrong) / (2 * kMarkers);
  }

  size_t Switches(const FamilyHaplotypes& found, size_t person) const {
    size_t switches = 0;
    std::optional<bool> before;
    for (size_t j = 0; j < kMarkers; ++j) {
      if (truth_[person][0][j] == truth_[person][1][j]) continue;
      const bool order = (found[0][j] > found[1][j]) == (truth_[person][0][j] == 1);
      switches += before && *before != order;
      before = order;
    }
    return switches;
  }

  std::mt19937 rng_{1};
  std::vector<FamilyMember> members_;
  std::vector<Haplotypes> truth_;
};

TEST_F(FamilySamplerTest, SparseChildrenOfDenseParents) {
  const Parents parents{AddFounder(), AddFounder()};
  for (int k = 0; k < 6; ++k) AddChild(parents, 10);
  const std::vector<FamilyHaplotypes> found = Run();
  double wrong = 0;
  for (size_t child = 2; child < found.size(); ++child) wrong += WrongAlleles(found[child], child);
  EXPECT_LT(wrong / 6, 0.03);  // half of the alleles between markers around a recombination
  for (size_t j = 0; j < kMarkers; ++j) EXPECT_EQ(found[0][0][j] > 0.5f, members_[0].alt[0][j] > 0.5f);
}

TEST_F(FamilySamplerTest, ChildrenCorrectThePhaseOfParents) {
  const Parents parents{AddFounder(), AddFounder()};
  for (int k = 0; k < 5; ++k) AddChild(parents, 1);
  for (const size_t from : {40, 41, 120}) AddSwitch(0, from);
  AddSwitch(1, 90);
  const std::vector<FamilyHaplotypes> found = Run();
  for (size_t parent = 0; parent < 2; ++parent) EXPECT_EQ(Switches(found[parent], parent), 0u);
  for (size_t child = 2; child < found.size(); ++child) EXPECT_EQ(WrongAlleles(found[child], child), 0);
}

// What a parent has is found from its children.
TEST_F(FamilySamplerTest, ParentWithoutGenotypes) {
  const Parents parents{AddFounder(), AddFounder()};
  for (int k = 0; k < 10; ++k) AddChild(parents, 1);
  members_[1].genotype.assign(kMarkers, kUnknownGenotype);
  for (std::vector<float>& alt : members_[1].alt) alt.assign(kMarkers, 0.5f);
  const FamilyHaplotypes found = Run()[1];
  size_t wrong = 0;
  for (size_t j = 0; j < kMarkers; ++j) {
    const double alts = found[0][j] + found[1][j];
    wrong += std::abs(alts - (truth_[1][0][j] + truth_[1][1][j])) > 0.5 ? 1 : 0;
  }
  EXPECT_LT(wrong, kMarkers / 20);
}

// Of a parent without genotypes and with one child, the haplotype that the child has is found, and nothing of the
// other.
TEST_F(FamilySamplerTest, OneHaplotypeOfAParent) {
  const size_t father = AddFounder(), mother = AddFounder();
  const size_t child = AddChild({father, mother}, 1);
  members_[mother].genotype.assign(kMarkers, kUnknownGenotype);
  members_[mother].has_one_haplotype = true;
  for (std::vector<float>& alt : members_[mother].alt) alt.assign(kMarkers, 0.3f);
  const FamilyHaplotypes found = Run()[mother];
  EXPECT_EQ(found[1], std::vector<float>(kMarkers, 0.3f));
  for (size_t j = 0; j < kMarkers; ++j) {
    if (truth_[father][0][j] != truth_[father][1][j]) continue;
    EXPECT_NEAR(found[0][j], truth_[child][1][j], 0.05) << j;
  }
}

TEST_F(FamilySamplerTest, ThreeGenerationsAndSelfing) {
  const size_t father = AddFounder(), mother = AddFounder(), other = AddFounder();
  const size_t child = AddChild({father, mother}, 1);
  const size_t grandchild = AddChild({child, other}, 20);
  const size_t selfed = AddChild({child, child}, 10);
  std::ranges::swap(members_[child].alt[0], members_[child].alt[1]);
  const std::vector<FamilyHaplotypes> found = Run();
  EXPECT_EQ(WrongAlleles(found[child], child), 0);
  EXPECT_LT(WrongAlleles(found[grandchild], grandchild), 0.1);
  size_t wrong = 0;
  for (size_t j = 0; j < kMarkers; ++j) {
    wrong += std::lround(found[selfed][0][j] + found[selfed][1][j]) != truth_[selfed][0][j] + truth_[selfed][1][j];
  }
  EXPECT_LT(wrong, kMarkers / 10);
}

// What children tell of a parent's haplotypes, also where nothing else does: of those that they have inherited.
TEST_F(FamilySamplerTest, WhatChildrenTell) {
  const size_t father = AddFounder(), mother = AddFounder();
  for (int k = 0; k < 4; ++k) AddChild({father, mother}, 5);
  members_[mother].genotype.assign(kMarkers, kUnknownGenotype);
  for (std::vector<float>& alt : members_[mother].alt) alt.assign(kMarkers, 0.5f);
  std::vector<double> centimorgans;
  for (size_t j = 0; j < kMarkers; ++j) centimorgans.push_back(kGap * static_cast<double>(j));
  FamilySampler sampler(members_, centimorgans, 1);
  const std::vector<FamilyHaplotypes> found = sampler.Run();
  const InferredHaplotypes inferred = sampler.Inferred(mother), of_father = sampler.Inferred(father);
  size_t num_told = 0;
  for (size_t j = 0; j < kMarkers; ++j) {
    const bool is_typed = j % 5 == 0, is_homozygous = truth_[father][0][j] == truth_[father][1][j];
    for (size_t c = 0; c < 2; ++c) {
      const uint8_t allele = inferred.alleles[c][j];
      EXPECT_TRUE(is_typed || allele == kMissingAllele);
      EXPECT_TRUE(allele == kMissingAllele || (allele == 1) == (found[mother][c][j] > 0.5f));
      num_told += allele != kMissingAllele ? 1 : 0;
      if (is_homozygous) {
        EXPECT_EQ(of_father.alleles[c][j], truth_[father][c][j]);
      } else {
        EXPECT_TRUE(is_typed || of_father.alleles[c][j] == kMissingAllele);
      }
    }
  }
  EXPECT_GT(num_told, kMarkers / 5);
}

// Of a parent with one child, what it passed on is as probable as the copying model has it, and not the mean of both of
// its haplotypes.
TEST_F(FamilySamplerTest, ParentOfOneChild) {
  const size_t father = AddFounder(), mother = AddFounder();
  const size_t child = AddChild({father, mother}, 5);
  members_[mother].genotype.assign(kMarkers, kUnknownGenotype);
  members_[mother].has_one_haplotype = true;
  for (size_t j = 0; j < kMarkers; ++j) members_[mother].alt[0][j] = j % 5 == 0 ? 0.5f : 0.3f;
  const std::vector<FamilyHaplotypes> found = Run();
  for (size_t j = 0; j < kMarkers; ++j) {
    if (truth_[father][0][j] != truth_[father][1][j]) continue;
    EXPECT_NEAR(found[child][0][j] + found[child][1][j], truth_[child][0][j] + (j % 5 == 0 ? truth_[child][1][j] : 0.3),
                0.01)
        << j;
  }
}

// What other data tell of a child's missing genotypes decides where its parents do not.
TEST_F(FamilySamplerTest, DataOfAChild) {
  const size_t father = AddFounder(), mother = AddFounder();
  const size_t child = AddChild({father, mother}, 5);
  members_[mother].genotype.assign(kMarkers, kUnknownGenotype);
  members_[mother].has_one_haplotype = true;
  members_[mother].alt[0].assign(kMarkers, 0.5f);
  for (size_t j = 0; j < kMarkers; ++j) {
    const auto genotype = static_cast<size_t>(truth_[child][0][j] + truth_[child][1][j]);
    std::array<float, 3> likelihood{1, 1, 1};
    for (size_t g = 0; g < 3 && j % 10 < 8; ++g) likelihood[g] = g == genotype ? 1 : 0.01f;
    members_[child].likelihood.push_back(likelihood);
  }
  const std::vector<FamilyHaplotypes> found = Run();
  for (size_t j = 0; j < kMarkers; ++j) {
    if (truth_[father][0][j] != truth_[father][1][j]) continue;
    const bool is_told = j % 5 == 0 || j % 10 < 8;
    EXPECT_NEAR(found[child][0][j], truth_[father][0][j], 0.02) << j;
    EXPECT_NEAR(found[child][1][j], is_told ? truth_[child][1][j] : 0.5, 0.1) << j;
  }
}

// Where no genotype tells what a parent passed on, it is as probable as the copying model has it, in several
// generations.
TEST_F(FamilySamplerTest, ProbabilitiesOfParentsWithoutGenotypes) {
  const size_t father = AddFounder(), mother = AddFounder(), other = AddFounder();
  const size_t child = AddChild({father, mother}, 10);
  AddChild({father, mother}, 10);
  const size_t grandchild = AddChild({child, other}, 10);
  members_[mother].genotype.assign(kMarkers, kUnknownGenotype);
  for (size_t j = 0; j < kMarkers; ++j) members_[mother].alt[0][j] = members_[mother].alt[1][j] = 0.3f;
  const std::vector<FamilyHaplotypes> found = Run();
  const auto is_homozygous = [&](size_t person, size_t j) { return truth_[person][0][j] == truth_[person][1][j]; };
  for (size_t j = 0; j < kMarkers; ++j) {
    if (j % 10 == 0 || !is_homozygous(father, j)) continue;
    EXPECT_NEAR(found[child][0][j] + found[child][1][j], truth_[father][0][j] + 0.3, 0.01) << j;
    if (!is_homozygous(other, j)) continue;
    const double alts = found[grandchild][0][j] + found[grandchild][1][j] - truth_[other][0][j];
    EXPECT_GE(alts, std::min<double>(truth_[father][0][j], 0.3) - 0.01) << j;
    EXPECT_LE(alts, std::max<double>(truth_[father][0][j], 0.3) + 0.01) << j;
  }
}

TEST_F(FamilySamplerTest, DrawsDependOnTheSeed) {
  const Parents parents{AddFounder(), AddFounder()};
  const size_t child = AddChild(parents, 20);
  EXPECT_EQ(Run(1)[child], Run(1)[child]);
  EXPECT_NE(Run(1)[child], Run(2)[child]);
}

}  // namespace
}  // namespace haplospin
