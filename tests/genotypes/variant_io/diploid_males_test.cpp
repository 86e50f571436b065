#include "genotypes/variant_io/reading/diploid_males.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

enum class Kind { kWoman, kHaploidMan, kDiploidMan };

struct Study {
  std::vector<Kind> people;
  size_t markers = 300;
  int64_t spacing = 3000;   // bp
  double heterozygous = 1;  // share of the heterozygotes of a woman that are written as such
};

DiploidMales Find(const Study& study) {
  SampleTable samples{{}, {0}};
  for (const Kind kind : study.people) {
    samples.Add("S" + std::to_string(samples.num_samples()), kind == Kind::kHaploidMan ? 1 : 2);
  }
  DiploidMaleSearch search(samples);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  for (size_t m = 0; m < study.markers; ++m) {
    const double frequency = 0.2 + 0.5 * uniform(random);
    const auto draw = [&] { return static_cast<uint8_t>(uniform(random) < frequency ? 1 : 0); };
    std::vector<uint8_t> alleles;
    for (const Kind kind : study.people) {
      alleles.push_back(draw());
      if (kind == Kind::kHaploidMan) continue;
      const bool is_same = kind == Kind::kDiploidMan || uniform(random) >= study.heterozygous;
      alleles.push_back(is_same ? alleles.back() : draw());
    }
    search.Add(static_cast<int64_t>(m) * study.spacing, alleles);
  }
  return search.Find();
}

std::vector<Kind> People(size_t women, size_t haploid, size_t diploid) {
  std::vector<Kind> people(women, Kind::kWoman);
  people.insert(people.end(), haploid, Kind::kHaploidMan);
  people.insert(people.end(), diploid, Kind::kDiploidMan);
  return people;
}

TEST(DiploidMalesTest, MenOfTwoAllelesBesideMenOfOneAreFound) {
  const DiploidMales found = Find({.people = People(20, 10, 5)});
  EXPECT_EQ(found.samples, 5u);
  EXPECT_EQ(found.haploid, 10u);
  EXPECT_EQ(found.first, "S30");
}

TEST(DiploidMalesTest, WomenAreNot) {
  EXPECT_EQ(Find({.people = People(30, 30, 0)}).samples, 0u);
  // Children of relatives have a fifth of the heterozygotes.
  EXPECT_EQ(Find({.people = People(30, 30, 0), .heterozygous = 0.2}).samples, 0u);
}

TEST(DiploidMalesTest, MenWhoAreAllWrittenAlikeAreNot) {
  EXPECT_EQ(Find({.people = People(20, 0, 20)}).samples, 0u);
  EXPECT_EQ(Find({.people = People(20, 20, 0)}).samples, 0u);
}

// A woman may be homozygous throughout a short region, and everybody at few markers.
TEST(DiploidMalesTest, FewOnesAreFoundOverALongStretchAlone) {
  EXPECT_EQ(Find({.people = People(20, 10, 2)}).samples, 0u);
  EXPECT_EQ(Find({.people = People(20, 10, 2), .spacing = 100'000}).samples, 2u);
  EXPECT_EQ(Find({.people = People(100, 10, 4)}).samples, 0u);
  EXPECT_EQ(Find({.people = People(20, 10, 10), .markers = 50}).samples, 0u);
}

}  // namespace
}  // namespace haplospin
