#include "genotypes/imputation/models/pedigree/transmission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "genotypes/genomics/sites/split_sites.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using Order = RecentPhaseSets::Order;

TEST(RecentPhaseSetsTest, InterruptedSets) {
  RecentPhaseSets sets(2);
  EXPECT_FALSE(sets.HasAny(0));
  EXPECT_FALSE(sets.Visit(0, 7));
  EXPECT_TRUE(sets.HasAny(0));
  EXPECT_FALSE(sets.HasAny(1));
  EXPECT_FALSE(sets.Visit(0, 7));
  EXPECT_FALSE(sets.Visit(0, 0));
  EXPECT_FALSE(sets.Visit(1, 0));
  EXPECT_TRUE(sets.Visit(0, 7));
  EXPECT_FALSE(sets.Visit(0, 7));
  EXPECT_TRUE(sets.Visit(0, 0));
}

// The two ALTs of 1/2 are a set of their site, however many there are within a set of the file.
TEST(RecentPhaseSetsTest, SetsOfSitesInterruptNothing) {
  RecentPhaseSets sets(1);
  sets.Visit(0, 7);
  sets.SetOrder(0, Order::kExchanged);
  for (uint32_t position = 100; position < 110; ++position) {
    EXPECT_FALSE(sets.Visit(0, kFirstSetOfSite | position));
    EXPECT_FALSE(sets.Visit(0, kFirstSetOfSite | position));
  }
  EXPECT_FALSE(sets.Visit(0, 7));
  EXPECT_EQ(sets.order(0), Order::kExchanged);
  sets.Visit(0, 8);
  sets.Visit(0, kFirstSetOfSite | 200);
  EXPECT_TRUE(sets.Visit(0, 7));
}

TEST(RecentPhaseSetsTest, OrdersAreThoseOfSets) {
  RecentPhaseSets sets(1);
  sets.Visit(0, 1);
  EXPECT_EQ(sets.order(0), Order::kUnknown);
  sets.SetOrder(0, Order::kExchanged);
  sets.Visit(0, 2);
  EXPECT_EQ(sets.order(0), Order::kUnknown);
  sets.Visit(0, 1);
  EXPECT_EQ(sets.order(0), Order::kExchanged);
  for (uint32_t set = 10; set < 30; ++set) sets.Visit(0, set);  // long ago
  sets.Visit(0, 1);
  EXPECT_EQ(sets.order(0), Order::kUnknown);
}

TEST(RecentPhaseSetsTest, LearnsWhatIsKnown) {
  RecentPhaseSets sets(1), other(1);
  sets.Visit(0, 1);
  sets.SetOrder(0, Order::kAsGiven);
  sets.Visit(0, 2);
  other.Visit(0, 1);
  other.Visit(0, 2);
  other.SetOrder(0, Order::kExchanged);
  other.Visit(0, 3);
  other.SetOrder(0, Order::kExchanged);
  sets.Learn(other);
  EXPECT_EQ(sets.order(0), Order::kExchanged);
  sets.Visit(0, 1);
  EXPECT_EQ(sets.order(0), Order::kAsGiven);
  EXPECT_FALSE(sets.Visit(0, 3));
  EXPECT_EQ(sets.order(0), Order::kUnknown);
}

constexpr uint8_t kNone = kMissingAllele;

// Samples 0, 1 and 2 are father, mother and child.
class TransmissionTest : public testing::Test {
 protected:
  using Alleles = std::vector<uint8_t>;

  // Adds a marker, unphased by default, and returns its alleles after phasing.
  Alleles Phase(Alleles alleles, std::vector<uint8_t> unphased = {1, 1, 1}, std::vector<uint32_t> phase_sets = {}) {
    study_.markers.push_back({{static_cast<int64_t>(study_.markers.size()) + 1, "", "A", "C"},
                              {std::move(alleles), std::move(unphased), std::move(phase_sets)}});
    families_.Phase(study_, study_.markers.size() - 1, sets_);
    return Last().alleles;
  }

  const GenotypeRow& Last() const { return study_.markers.back().genotypes; }
  bool IsUnphased(size_t sample) const { return Last().IsUnphased(sample); }

  StudyGenotypes study_{.contig = "20", .samples = {{"dad", "mum", "kid"}, {0, 2, 4, 6}}};
  TransmissionPhaser families_{{{{2, 0, 1}}, {}}, 3};
  RecentPhaseSets sets_{3};
};

TEST_F(TransmissionTest, AChildHasItsFathersAlleleFirst) {
  EXPECT_EQ(Phase({1, 1, 0, 1, 0, 1}), (Alleles{1, 1, 0, 1, 1, 0}));
  EXPECT_FALSE(IsUnphased(2));
  EXPECT_FALSE(IsUnphased(1));  // transmitted REF
  EXPECT_EQ(Phase({0, 1, 1, 1, 0, 1}), (Alleles{0, 1, 1, 1, 0, 1}));
  EXPECT_EQ(Phase({0, 0, 1, 1, 1, 0}), (Alleles{0, 0, 1, 1, 0, 1}));
  EXPECT_EQ(families_.num_errors(), 0u);
}

TEST_F(TransmissionTest, AParentHasTheTransmittedAlleleFirst) {
  EXPECT_EQ(Phase({0, 1, 0, 1, 1, 1}), (Alleles{1, 0, 1, 0, 1, 1}));
  EXPECT_FALSE(IsUnphased(0) || IsUnphased(1));
  EXPECT_EQ(Phase({0, 1, 0, 0, 0, 1}), (Alleles{1, 0, 0, 0, 1, 0}));
}

TEST_F(TransmissionTest, WhatIsNotDecidedStaysUnphased) {
  EXPECT_EQ(Phase({0, 1, 0, 1, 0, 1}), (Alleles{0, 1, 0, 1, 0, 1}));
  EXPECT_TRUE(IsUnphased(0) && IsUnphased(1) && IsUnphased(2));
  Phase({kNone, kNone, 0, 1, 0, 1}, {0, 1, 1});
  EXPECT_TRUE(IsUnphased(1) && IsUnphased(2));
  Phase({0, 1, 0, 1, kNone, kNone}, {1, 1, 0});
  EXPECT_TRUE(IsUnphased(0) && IsUnphased(1));
  // A parent alone decides where it is homozygous.
  EXPECT_EQ(Phase({kNone, kNone, 1, 1, 1, 0}, {0, 0, 1})[4], 0);
}

TEST_F(TransmissionTest, MendelianErrorsBecomeMissing) {
  const Alleles missing(6, kNone);
  EXPECT_EQ(Phase({0, 0, 0, 0, 0, 1}), missing);
  EXPECT_FALSE(IsUnphased(2));
  EXPECT_EQ(Phase({0, 0, 0, 1, 1, 1}), missing);
  EXPECT_EQ(Phase({1, 1, kNone, kNone, 0, 0}, {0, 0, 0}), missing);
  EXPECT_EQ(Phase({0, 1, 0, 1, 1, 1}), (Alleles{1, 0, 1, 0, 1, 1}));
  EXPECT_EQ(families_.num_errors(), 3u);
  EXPECT_EQ(families_.first_error(), "kid at 20:1");
}

// One wrong genotype of a child does not take that of a parent of many away.
TEST(TransmissionOfManyTest, AParentOfManyKeepsItsGenotype) {
  constexpr size_t kChildren = 9;
  StudyGenotypes study{.contig = "1", .samples = SampleTable::Diploid({"dad", "mum"})};
  Pedigree pedigree;
  for (size_t c = 0; c < kChildren; ++c) {
    pedigree.trios.push_back({study.samples.num_samples(), 0, std::nullopt});
    study.samples.Add("child" + std::to_string(c), 2);
  }
  pedigree.trios[0].mother = 1;
  TransmissionPhaser families(pedigree, study.samples.num_samples());
  RecentPhaseSets sets(study.samples.num_samples());
  // Returns the genotypes of both parents and the children, which are homozygous at first.
  const auto phase = [&](std::vector<uint8_t> genotypes) {
    GenotypeRow row;
    for (const uint8_t genotype : genotypes) row.alleles.insert(row.alleles.end(), 2, genotype);
    study.markers.push_back({{static_cast<int64_t>(study.markers.size()) + 1, "", "A", "C"}, row});
    families.Phase(study, study.markers.size() - 1, sets);
    std::vector<uint8_t> result;
    for (size_t s = 0; s < genotypes.size(); ++s) result.push_back(study.markers.back().genotypes.alleles[2 * s]);
    return result;
  };
  EXPECT_THAT(phase({0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}), testing::ElementsAre(0, kNone, kNone, 0, 0, 0, 0, 0, 0, 0, 0));
  // With two of nine, it is the parent's that is wrong.
  EXPECT_THAT(phase({0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0}),
              testing::ElementsAre(kNone, 0, 0, kNone, kNone, 0, 0, 0, 0, 0, 0));
  // A child without a genotype does not agree.
  EXPECT_THAT(phase({0, 0, 1, 0, 0, 0, 0, 0, 0, 0, kNone}),
              testing::ElementsAre(kNone, kNone, kNone, 0, 0, 0, 0, 0, 0, 0, kNone));
  EXPECT_EQ(families.num_errors(), 4u);
}

TEST_F(TransmissionTest, SetsAreToldTheirOrder) {
  // Exchanged at the first marker, where they say so; phased in no set at the second, which is a set of its own here.
  Phase({1, 1, 0, 1, 0, 1}, {0, 0, 0}, {0, 0, 9});
  EXPECT_EQ(sets_.order(2), Order::kExchanged);
  EXPECT_EQ(Last().phase_sets[2], 0u);
  EXPECT_EQ(sets_.order(1), Order::kAsGiven);
  Phase({0, 1, 0, 1, 0, 1}, {0, 0, 0}, {0, 0, 9});
  EXPECT_EQ(Last().phase_sets[2], 9u);
  EXPECT_NE(Last().phase_sets[1], 0u);
  EXPECT_FALSE(sets_.Visit(1, Last().phase_sets[1]));
  EXPECT_EQ(sets_.order(1), Order::kAsGiven);
}

TEST(TransmissionOfManyTest, ThreeGenerationsAndTwoChildren) {
  // 0 and 1 have the children 2 and 3; 2 and 4 have 5.
  const Pedigree pedigree{{{5, 2, 4}, {2, 0, 1}, {3, 0, 1}}, {}};
  TransmissionPhaser families(pedigree, 7);
  EXPECT_TRUE(families.Orders(2) && families.Orders(3) && families.Orders(4) && families.Orders(5));
  EXPECT_FALSE(families.Orders(0) || families.Orders(1) || families.Orders(6));
  StudyGenotypes study{.contig = "20",
                       .samples = {{"a", "b", "c", "d", "e", "f", "g"}, {0, 2, 4, 6, 8, 10, 12, 14}},
                       .markers = {{.marker = {1, "", "A", "C"},
                                    .genotypes = {.alleles = {0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1},
                                                  .unphased = std::vector<uint8_t>(7, 1)}}}};
  RecentPhaseSets sets(7);
  families.Phase(study, 0, sets);
  // 0 has two children, so that FamilySampler orders it. It gave REF to 2, which has it first although it gave ALT
  // to 5.
  EXPECT_EQ(study.markers[0].genotypes.alleles, (std::vector<uint8_t>{0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1}));
  EXPECT_EQ(study.markers[0].genotypes.unphased, (std::vector<uint8_t>{1, 1, 0, 1, 1, 1, 1}));
}

TEST(TransmissionOfManyTest, HaploidGenotypes) {
  // The genotypes are on X: a daughter gets her father's X, and a son does not.
  for (const bool is_son : {false, true}) {
    TransmissionPhaser families({{{2, 0, 1}}, {}}, 3);
    StudyGenotypes study{.contig = "X",
                         .samples = {{"dad", "mum", "kid"}, {0, 1, 3, is_son ? 4u : 5u}},
                         .markers = {{.marker = {1, "", "A", "C"}}, {.marker = {2, "", "A", "C"}}}};
    using Alleles = std::vector<uint8_t>;
    study.markers[0].genotypes = {.alleles = is_son ? Alleles{1, 0, 1, 0} : Alleles{1, 0, 1, 0, 1},
                                  .unphased = {0, 1, is_son ? uint8_t{0} : uint8_t{1}}};
    study.markers[1].genotypes.alleles = is_son ? Alleles{1, 0, 0, 1} : Alleles{1, 1, 1, 0, 0};
    RecentPhaseSets sets(3);
    families.Phase(study, 0, sets);
    EXPECT_EQ(study.markers[0].genotypes.alleles, is_son ? (Alleles{1, 0, 1, 0}) : (Alleles{1, 0, 1, 1, 0}));
    EXPECT_EQ(study.markers[0].genotypes.unphased, (std::vector<uint8_t>{0, 0, 0}));
    families.Phase(study, 1, sets);
    EXPECT_EQ(families.num_errors(), 1u) << is_son;
  }
}

// Where daughters have Z and W, a daughter has one Z, which is her father's, and a son has two.
TEST(TransmissionOfManyTest, ZOfADaughterIsFromHerFather) {
  for (const bool is_daughter : {true, false}) {
    TransmissionPhaser families({{{2, 0, 1}}, {}}, 3);
    using Alleles = std::vector<uint8_t>;
    StudyGenotypes study{
        .contig = "chrZ",
        .samples = {{"dad", "mum", "kid"}, {0, 2, 3, is_daughter ? 4u : 5u}},
        .markers = {{{1, "", "A", "C"}, {.alleles = is_daughter ? Alleles{0, 0, 1, 0} : Alleles{0, 1, 1, 0, 1}}},
                    {{2, "", "A", "C"}, {.alleles = is_daughter ? Alleles{0, 0, 1, 1} : Alleles{0, 1, 1, 0, 0}}}}};
    RecentPhaseSets sets(3);
    families.Phase(study, 0, sets);
    EXPECT_EQ(families.num_errors(), 0u) << is_daughter;
    families.Phase(study, 1, sets);
    EXPECT_EQ(families.num_errors(), 1u) << is_daughter;
  }
}

// A son has his Y from his father, whatever a Y that was called in his mother.
TEST(TransmissionOfManyTest, YIsFromTheFather) {
  for (const uint8_t fathers : {0, 1}) {
    TransmissionPhaser families({{{2, 0, 1}}, {}}, 3);
    StudyGenotypes study{.contig = "chrY",
                         .samples = {{"dad", "mum", "kid"}, {0, 1, 3, 4}},
                         .markers = {{{1, "", "A", "C"}, {.alleles = {fathers, 0, 0, 1}}}}};
    RecentPhaseSets sets(3);
    families.Phase(study, 0, sets);
    EXPECT_EQ(families.num_errors(), fathers == 1 ? 0u : 1u);
  }
}

// Whatever the genotypes of a family that transmits: no error, and what is decided is the truth.
TEST(TransmissionOfManyTest, WhatIsDecidedIsTrue) {
  std::mt19937 random(1);
  const auto allele = [&] { return static_cast<uint8_t>(random() % 2); };
  TransmissionPhaser families({{{2, 0, 1}}, {}}, 3);
  StudyGenotypes study{.contig = "20", .samples = {{"dad", "mum", "kid"}, {0, 2, 4, 6}}};
  RecentPhaseSets sets(3);
  size_t decided = 0;
  for (size_t s = 0; s < 500; ++s) {
    // Transmitted alleles first.
    const uint8_t dad = allele(), mum = allele();
    const std::vector<uint8_t> truth{dad, allele(), mum, allele(), dad, mum};
    study.markers.push_back({{static_cast<int64_t>(s), "", "A", "C"}, {.alleles = truth}});
    GenotypeRow& row = study.markers.back().genotypes;
    for (size_t sample = 0; sample < 3; ++sample) {
      uint8_t* alleles = &row.alleles[2 * sample];
      if (random() % 2 == 0) std::swap(alleles[0], alleles[1]);
      row.unphased.push_back(alleles[0] != alleles[1] ? 1 : 0);
    }
    families.Phase(study, s, sets);
    for (size_t sample = 0; sample < 3; ++sample) {
      if (row.IsUnphased(sample)) continue;
      ++decided;
      EXPECT_EQ(row.alleles[2 * sample], truth[2 * sample]);
      EXPECT_EQ(row.alleles[2 * sample + 1], truth[2 * sample + 1]);
    }
  }
  EXPECT_EQ(families.num_errors(), 0u);
  EXPECT_GT(decided, 1000u);
}

TEST(TransmissionPhaserTest, PeopleWhoAreNotRelatedAreNoTrio) {
  std::mt19937 random(4);
  for (const bool is_related : {true, false}) {
    TransmissionPhaser families({{{2, 0, 1}}, {}}, 3);
    RecentPhaseSets sets(3);
    const SampleTable samples = SampleTable::Diploid({"F", "M", "C"});
    for (int m = 0; m < 200; ++m) {
      std::vector<uint8_t> alleles(6);
      for (uint8_t& allele : alleles) allele = random() % 2;
      if (is_related) {
        alleles[4] = alleles[random() % 2];
        alleles[5] = alleles[2 + random() % 2];
      }
      StudyGenotypes study{.contig = "20", .samples = samples, .markers = {{{m, ".", "A", "C"}, {.alleles = alleles}}}};
      families.Phase(study, 0, sets);
    }
    const std::string error = ErrorOf([&] { families.CheckFamilies("ped.fam", samples.names, {}); });
    if (is_related) {
      EXPECT_EQ(error, "");
    } else {
      EXPECT_THAT(error, testing::HasSubstr("ped.fam: C is not the child of F and M: their genotypes break"));
    }
  }
}

// Ten families, of which one has another father, or of which all have some wrong genotypes.
TEST(TransmissionPhaserTest, ChildrenOfOthersAreNamed) {
  constexpr size_t kFamilies = 10, kOther = 3, kMarkers = 100;
  std::mt19937 random(6);
  Pedigree pedigree{.num_people = 3 * kFamilies};
  std::vector<std::string> names;
  for (size_t f = 0; f < kFamilies; ++f) {
    pedigree.trios.push_back({3 * f + 2, 3 * f, 3 * f + 1});
    for (const char* role : {"F", "M", "C"}) names.push_back(role + std::to_string(f));
  }
  for (const bool has_other : {true, false}) {
    TransmissionPhaser families(pedigree, names.size());
    RecentPhaseSets sets(names.size());
    for (size_t m = 0; m < kMarkers; ++m) {
      std::vector<uint8_t> alleles(2 * names.size());
      for (uint8_t& allele : alleles) allele = random() % 2;
      for (size_t f = 0; f < kFamilies; ++f) {
        const size_t father = has_other && f == kOther ? f + 1 : f;
        uint8_t* child = &alleles[6 * f + 4];
        child[0] = alleles[6 * father + random() % 2];
        child[1] = alleles[6 * f + 2 + random() % 2];
        if (!has_other && random() % 10 == 0) child[0] = 1 - child[0];
      }
      StudyGenotypes study{.contig = "20",
                           .samples = SampleTable::Diploid(names),
                           .markers = {{{static_cast<int64_t>(m), ".", "A", "C"}, {.alleles = alleles}}}};
      families.Phase(study, 0, sets);
    }
    EXPECT_GT(families.num_errors(), 4u);
    const auto found = families.ChildrenOfOthers(names);
    if (has_other) {
      EXPECT_THAT(found, testing::ElementsAre(testing::StartsWith("C3 (")));
    } else {
      EXPECT_THAT(found, testing::IsEmpty());
    }
  }
}

// Samples 0 to 3; 4 and 5 are in the panel, 6 is nowhere.
TEST(TransmissionPhaser, ChildrenOfOthersAreOrdered) {
  const Pedigree pedigree{
      .descent = {{0, 4, {}}, {1, 5, 5}, {2, {}, 6}, {6, 4, 5}}, .num_people = 7, .others = {{4, 0}, {5, 1}}};
  const TransmissionPhaser families(pedigree, 4);
  EXPECT_TRUE(families.Orders(0));
  EXPECT_FALSE(families.Orders(1)) << "selfed";
  EXPECT_TRUE(families.Orders(2)) << "by grandparents";
  EXPECT_FALSE(families.Orders(3));
}

}  // namespace

}  // namespace haplospin
