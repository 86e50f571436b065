#include "genotypes/imputation/stages/phasing/family_phase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/stages/phasing/marker_facts.h"
#include "genotypes/imputation/stages/phasing/study_phase.h"
#include "haplospin/genetic_map.h"

namespace haplospin {
namespace {

using testing::ElementsAre;

constexpr size_t kMarkers = 60, kUnrelated = 3;

// A child, its mother and its father, in this order, and somebody else. The child has a typed marker in five; its
// parents are phased, and transmit their first haplotypes.
class FamilyPhaseTest : public testing::Test {
 protected:
  FamilyPhaseTest() {
    for (size_t j = 0; j < kMarkers; ++j) {
      panel_.Append({static_cast<int64_t>(1000 * (j + 1)), "", "A", "C"}, nullptr);
      const auto mother = static_cast<uint8_t>(j % 2), father = static_cast<uint8_t>(j / 2 % 2);
      const bool is_typed = j % 5 == 0;
      const uint8_t first = is_typed ? mother : kMissingAllele, second = is_typed ? father : kMissingAllele;
      const auto other = static_cast<uint8_t>(j / 4 % 2);
      rows_.push_back({.alleles = {first, second, mother, other, father, static_cast<uint8_t>(1 - other), 0, 1},
                       .unphased = {1, 0, 0, 1}});
    }
    std::vector<WindowStudy::Site> sites;
    for (uint32_t j = 0; j < kMarkers; ++j) sites.push_back({j, &rows_[j]});
    study_.emplace(samples_, std::move(sites), MarkerRange(), WindowStudy::Progress(), &pedigree_);
    window_.emplace(panel_, map_, study_->typed(), MarkerRange());
    for (size_t s = 0; s < samples_.num_samples(); ++s) {
      PhaseVersion version;
      for (size_t c = 0; c < 2; ++c) {
        std::vector<uint8_t> alleles;
        for (const GenotypeRow& row : rows_) alleles.push_back(row.alleles[2 * s + c]);
        version.haplotypes.emplace_back(std::move(alleles));
      }
      targets_.push_back({.versions = {std::move(version)}});
    }
  }

  void Refine() {
    const FamilyRefinement families(*study_, TypedCentimorgans(*window_), 1, targets_, FamilyPart::kSamples);
    founders_ = families.founders().samples().names;
    families.Refine(GivenTargets(families.founders(), 0, founders_.size()), targets_);
  }

  uint8_t Allele(size_t sample, size_t haplotype, size_t j) const {
    return targets_[sample].most_probable()[haplotype].alleles[j];
  }

  const SampleTable samples_ = SampleTable::Diploid({"child", "mother", "father", "other"});
  Pedigree pedigree_{.descent = {{.child = 0, .father = 2, .mother = 1}}, .num_people = 4};
  const GeneticMap map_ = GeneticMap::Uniform();
  MutablePanel panel_{"1", {}};
  std::vector<GenotypeRow> rows_;
  std::optional<WindowStudy> study_;
  std::optional<PanelWindow> window_;
  std::vector<SampleTargets> targets_;
  std::vector<std::string> founders_;  // the samples that were phased again
};

TEST_F(FamilyPhaseTest, ChildrenHaveTheHaplotypesOfTheirParents) {
  Refine();
  for (size_t j = 0; j < kMarkers; ++j) {
    EXPECT_EQ(Allele(0, 0, j), Allele(2, 0, j)) << j;
    EXPECT_EQ(Allele(0, 1, j), Allele(1, 0, j)) << j;
    for (size_t c = 0; c < 2; ++c) EXPECT_EQ(Allele(kUnrelated, c, j), rows_[j].alleles[2 * kUnrelated + c]);
  }
  EXPECT_TRUE(targets_[kUnrelated].phase_probability.empty());
  EXPECT_THAT(founders_, ElementsAre("mother", "father", "other"));
}

// Where missing alleles have probabilities, those that families find take their place.
TEST_F(FamilyPhaseTest, Probabilities) {
  targets_[0].alt_probability.assign(2, std::vector<float>(kMarkers, 0.5f));
  Refine();
  for (size_t j = 0; j < kMarkers; ++j) {
    EXPECT_EQ(Allele(0, 0, j) == kMissingAllele, j % 5 != 0);
    EXPECT_NEAR(targets_[0].alt_probability[0][j], Allele(2, 0, j), 0.05);
    EXPECT_NEAR(targets_[0].alt_probability[1][j], Allele(1, 0, j), 0.05);
  }
}

// The mother has no genotypes, and another child of hers is not in the study at all.
TEST_F(FamilyPhaseTest, PeopleWithoutGenotypes) {
  for (GenotypeRow& row : rows_) row.alleles[2] = row.alleles[3] = kMissingAllele;
  for (size_t j = 0; j < kMarkers; ++j) {
    rows_[j].alleles[0] = static_cast<uint8_t>(j % 2);
    rows_[j].alleles[1] = static_cast<uint8_t>(j / 2 % 2);
    for (size_t c = 0; c < 2; ++c) targets_[0].versions[0].haplotypes[c].alleles[j] = rows_[j].alleles[c];
  }
  targets_[1].alt_probability.assign(2, std::vector<float>(kMarkers, 0.5f));
  pedigree_.descent.push_back({.child = 4, .father = std::nullopt, .mother = 1});
  pedigree_.num_people = 5;
  pedigree_.animals = {4};
  const FamilyRefinement families(*study_, TypedCentimorgans(*window_), 1, targets_, FamilyPart::kAnimals);
  ASSERT_TRUE(families.HasAny());
  const std::vector<SampleTargets> before = targets_;
  const std::vector<SampleTargets> founders =
      GivenTargets(families.founders(), 0, families.founders().samples().num_samples());
  const std::vector<FamilyHaplotypes> animals = families.FindAnimals(founders, targets_);
  ASSERT_EQ(animals.size(), 1u);
  size_t transmitted = 0;
  for (size_t j = 0; j < kMarkers; ++j) {
    const auto allele = static_cast<float>(j % 2);  // that the child has of its mother
    transmitted += std::abs(targets_[1].alt_probability[0][j] - allele) < 0.1f ||
                   std::abs(targets_[1].alt_probability[1][j] - allele) < 0.1f;
    EXPECT_EQ(targets_[0].most_probable()[0].alleles[j], before[0].most_probable()[0].alleles[j]);
    EXPECT_LE(animals[0][0][j] * animals[0][1][j], 0.9f);  // half of it, at most, is told
  }
  EXPECT_GT(transmitted, kMarkers * 9 / 10);
}

// Copying alone is too certain of a haplotype whose parent has no genotypes.
TEST_F(FamilyPhaseTest, HaplotypesOfAbsentParentsAreLessCertainThanCopied) {
  pedigree_.descent = {{.child = 0, .father = 2, .mother = std::nullopt}};
  targets_[0].alt_probability.assign(2, std::vector<float>(kMarkers, 0.5f));
  const FamilyRefinement families(*study_, TypedCentimorgans(*window_), 1, targets_, FamilyPart::kSamples);
  const SampleTable& samples = families.founders().samples();
  std::vector<SampleTargets> founders = GivenTargets(families.founders(), 0, samples.num_samples());
  for (size_t s = 0; s < founders.size(); ++s) {
    if (samples.ploidy(s) == 1) founders[s].alt_probability.assign(1, std::vector<float>(kMarkers, 1));
  }
  families.Refine(founders, targets_);
  for (size_t j = 0; j < kMarkers; ++j) {
    if (j % 5 == 0) continue;
    EXPECT_GT(targets_[0].alt_probability[1][j], 0.5f) << j;
    EXPECT_LT(targets_[0].alt_probability[1][j], 0.9f) << j;
  }
}

// Of an unknown parent, the child most probably has what was imputed for it before, in the order that the known parent
// tells; people with all genotypes are phased again with the founders, as they may be that parent.
TEST_F(FamilyPhaseTest, UnknownParent) {
  pedigree_.descent = {{.child = 0, .father = 2, .mother = std::nullopt}};
  targets_[0].alt_probability.resize(2);
  for (size_t j = 0; j < kMarkers; ++j) {
    for (size_t c = 0; c < 2; ++c) targets_[0].alt_probability[c].push_back(Allele(c == 0 ? 1 : 2, 0, j) == 1 ? 1 : 0);
  }
  Refine();
  for (size_t j = 0; j < kMarkers; ++j) {
    EXPECT_NEAR(targets_[0].alt_probability[0][j], Allele(2, 0, j), 0.05) << j;
    EXPECT_EQ(targets_[0].alt_probability[1][j] > 0.5f, Allele(1, 0, j) == 1) << j;
  }
  EXPECT_THAT(founders_, testing::IsSupersetOf({"mother", "father", "other"}));
}

// If all ancestors of a child have few genotypes, what was imputed for it before tells what these do not know.
TEST_F(FamilyPhaseTest, SparseParents) {
  for (size_t s = 0; s < 3; ++s) {
    targets_[s].alt_probability.assign(2, std::vector<float>(kMarkers, 0.5f));
    for (size_t j = 0; j < kMarkers; ++j) {
      for (size_t c = 0; c < 2; ++c) {
        if (j % 5 != 0) rows_[j].alleles[2 * s + c] = targets_[s].versions[0].haplotypes[c].alleles[j] = kMissingAllele;
        const uint8_t allele = Allele(s, c, j);
        if (allele != kMissingAllele) targets_[s].alt_probability[c][j] = allele;
      }
    }
  }
  for (size_t j = 1; j < kMarkers; j += 5) {
    for (size_t c = 0; c < 2; ++c) targets_[0].alt_probability[c][j] = 0.999f;
  }
  Refine();
  const auto mean = [&](size_t sample, size_t first) {
    float sum = 0;
    for (size_t j = first; j < kMarkers; j += 5) {
      for (size_t c = 0; c < 2; ++c) sum += targets_[sample].alt_probability[c][j];
    }
    return sum / (2 * kMarkers / 5);
  };
  for (const size_t sample : {0, 1, 2}) {
    EXPECT_GT(mean(sample, 1), 0.53f);
    EXPECT_NEAR(mean(sample, 2), 0.5f, 0.01);
  }
}

// People in no family are taken from the second phase, in the orientation of the first.
TEST_F(FamilyPhaseTest, OthersArePhasedAgain) {
  const FamilyRefinement families(*study_, TypedCentimorgans(*window_), 1, targets_, FamilyPart::kSamples);
  const size_t count = families.founders().samples().num_samples();
  ASSERT_EQ(families.founders().samples().names.back(), "other");
  std::vector<SampleTargets> phased = GivenTargets(families.founders(), 0, count);
  std::vector<TargetHaplotype>& other = phased.back().versions[0].haplotypes;
  std::swap(other[0], other[1]);
  for (auto& haplotype : other) haplotype.alleles[7] = 1 - haplotype.alleles[7];
  families.Refine(phased, targets_);
  for (size_t j = 0; j < kMarkers; ++j) {
    for (size_t c = 0; c < 2; ++c) {
      const uint8_t before = rows_[j].alleles[2 * kUnrelated + c];
      EXPECT_EQ(Allele(kUnrelated, c, j), j == 7 ? 1 - before : before) << j;
    }
  }
}

}  // namespace
}  // namespace haplospin
