#include "genotypes/imputation/families/relatives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace haplospin {
namespace {

constexpr size_t kMarkers = 6000;

// Samples whose markers are inherited independently, which is more than those of a genome tell.
class RelativesTest : public testing::Test {
 protected:
  using Haplotypes = std::array<std::vector<uint8_t>, 2>;

  size_t AddFounder() {
    Haplotypes haplotypes;
    for (std::vector<uint8_t>& haplotype : haplotypes) {
      for (size_t j = 0; j < kMarkers; ++j) haplotype.push_back(rng_() % 5 < 2 ? 1 : 0);
    }
    return Add(std::move(haplotypes), 1);
  }

  size_t AddChild(size_t father, size_t mother, size_t density = 1) {
    Haplotypes haplotypes;
    for (size_t j = 0; j < kMarkers; ++j) {
      haplotypes[0].push_back(truth_[father][rng_() & 1][j]);
      haplotypes[1].push_back(truth_[mother][rng_() & 1][j]);
    }
    return Add(std::move(haplotypes), density);
  }

  size_t Add(Haplotypes haplotypes, size_t density) {
    truth_.push_back(std::move(haplotypes));
    density_.push_back(density);
    return truth_.size() - 1;
  }

  Pedigree Find() {
    RelativeFinder finder(truth_.size());
    for (size_t j = 0; j < kMarkers; ++j) {
      GenotypeRow row;
      for (size_t s = 0; s < truth_.size(); ++s) {
        for (const std::vector<uint8_t>& haplotype : truth_[s]) {
          const bool is_wrong = rng_() % 1000 == 0;
          row.alleles.push_back(j % density_[s] != 0 ? kMissingAllele : is_wrong ? 1 - haplotype[j] : haplotype[j]);
        }
      }
      finder.Add(row);
    }
    return finder.Find();
  }

  std::vector<std::array<int, 3>> Trios() {
    std::vector<std::array<int, 3>> trios;
    for (const Trio& trio : Find().trios) {
      const auto number = [](std::optional<size_t> parent) { return parent ? static_cast<int>(*parent) : -1; };
      trios.push_back({static_cast<int>(trio.child), number(trio.father), number(trio.mother)});
    }
    return trios;
  }

  std::mt19937 rng_{1};
  std::vector<Haplotypes> truth_;
  std::vector<size_t> density_;
};

using Found = std::vector<std::array<int, 3>>;

TEST_F(RelativesTest, TriosOfThreeGenerations) {
  const size_t a = AddFounder(), b = AddFounder(), c = AddFounder();
  const size_t child = AddChild(a, b), sib = AddChild(a, b);
  AddChild(child, c);
  AddChild(child, c, 5);
  static_cast<void>(sib);
  EXPECT_EQ(Trios(), (Found{{3, 0, 1}, {4, 0, 1}, {5, 2, 3}, {6, 2, 3}}));
}

// Who is the child of two samples tells a third one, or the number of its genotypes.
TEST_F(RelativesTest, DuosAreDecidedByOthers) {
  const size_t a = AddFounder(), b = AddFounder(), unknown = AddFounder();
  const size_t child = AddChild(a, b);
  AddChild(child, unknown);  // 4: its other parent leaves the study
  AddChild(unknown, unknown, 10);
  truth_[unknown] = {std::vector<uint8_t>(kMarkers, 0), std::vector<uint8_t>(kMarkers, 0)};
  density_[unknown] = kMarkers;
  EXPECT_EQ(Trios(), (Found{{3, 0, 1}, {4, 3, -1}}));
}

TEST_F(RelativesTest, HalfSibsOfOneSire) {
  const size_t sire = AddFounder();
  for (int k = 0; k < 4; ++k) AddChild(sire, AddFounder());
  for (size_t dam = 1; dam < truth_.size(); dam += 2) density_[dam] = kMarkers;
  EXPECT_EQ(Trios(), (Found{{2, 0, -1}, {4, 0, -1}, {6, 0, -1}, {8, 0, -1}}));
}

TEST_F(RelativesTest, UndecidedPairsUnrelatedSamplesFullSibsAndTwins) {
  const size_t a = AddFounder(), b = AddFounder();
  AddChild(a, AddFounder());  // either may be the child
  const size_t first = AddChild(b, a);
  truth_.push_back(truth_[first]);  // the same animal twice
  density_ = {1, kMarkers, kMarkers, 1, kMarkers, 1};
  EXPECT_EQ(Trios(), Found());
  EXPECT_TRUE(RelativeFinder(3).Find().trios.empty());
}

}  // namespace
}  // namespace haplospin
