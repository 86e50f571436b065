#include "genotypes/variant_io/alignments/damage_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.h"

namespace haplospin {
namespace {

constexpr uint8_t kA = 1, kC = 2, kG = 4, kT = 8;  // HTSlib's codes
constexpr uint8_t kBases[] = {kA, kC, kG, kT};

uint8_t Complement(uint8_t code) { return code == kA ? kT : code == kC ? kG : code == kG ? kC : kA; }

struct Library {
  bool is_single_stranded = false;
  double at_end = 0, inside = 0;  // deamination
  double scale = 3;
  double error = 0.001, told = 0.001;  // of any base, and as the qualities tell
};

// Bases of reads of 50 bp at SNVs, most of which are REF.
class Simulation {
 public:
  Simulation(const Library& library, uint64_t key) : library_(library), random_(1, {key}) {}

  SubstitutionCounts Counts(size_t bases) {
    SubstitutionCounts counts;
    for (size_t i = 0; i < bases; ++i) {
      const uint8_t ref = kBases[Draw(4)];
      uint8_t alt = ref;
      while (alt == ref) alt = kBases[Draw(4)];
      ReadBase base = Place();
      base.code = Read(random_.Uniform() < 0.1 ? alt : ref, base);
      counts.Add(base, ref, alt);
    }
    return counts;
  }

  ReadBase Place() {
    constexpr size_t kLength = 50;
    const size_t before = Draw(kLength);
    const auto quality = static_cast<uint8_t>(std::lround(-10 * std::log10(library_.told)));
    return {.quality = quality,
            .is_reverse = random_.Uniform() < 0.5,
            .from_start = before,
            .from_end = kLength - 1 - before};
  }

  // The probability that `code` on the strand that was sequenced is deaminated.
  double Deaminated(uint8_t code, const ReadBase& base) const {
    const auto near = [&](size_t distance) {
      return library_.at_end * std::exp(-static_cast<double>(distance) / library_.scale);
    };
    const double start = near(base.from_start), end = near(base.from_end);
    if (library_.is_single_stranded) return code == kC ? library_.inside + start + end : 0;
    return code == kC ? library_.inside + start : code == kG ? library_.inside + end : 0;
  }

 private:
  size_t Draw(size_t count) { return static_cast<size_t>(random_.UniformInt(count)); }

  uint8_t Read(uint8_t allele, const ReadBase& base) {
    uint8_t code = base.is_reverse ? Complement(allele) : allele;
    if (random_.Uniform() < Deaminated(code, base)) code = code == kC ? kT : kA;
    if (random_.Uniform() < library_.error) {
      const uint8_t before = code;
      while (code == before) code = kBases[Draw(4)];
    }
    return base.is_reverse ? Complement(code) : code;
  }

  const Library library_;
  RandomStream random_;
};

TEST(ErrorModelTest, DamageOfDoubleStrandsIsFound) {
  Simulation simulation({.at_end = 0.3, .inside = 0.01}, 1);
  const ErrorModel model(simulation.Counts(200000));
  EXPECT_TRUE(model.HasDamage());
  EXPECT_EQ(model.ExtraError(), 0);
  for (const size_t i : {0, 1, 2, 4, 8, 20}) {
    const double expected = 0.01 + 0.3 * std::exp(-static_cast<double>(i) / 3);
    EXPECT_NEAR(model.Damage(kCToT, kReadStart, i), expected, 0.03) << i;
    EXPECT_NEAR(model.Damage(kGToA, kReadEnd, i), expected, 0.03) << i;
    EXPECT_NEAR(model.Damage(kCToT, kReadEnd, i), 0.01, 0.01) << i;
    EXPECT_NEAR(model.Damage(kGToA, kReadStart, i), 0.01, 0.01) << i;
  }
}

TEST(ErrorModelTest, DamageOfSingleStrandsIsFound) {
  Simulation simulation({.is_single_stranded = true, .at_end = 0.3, .inside = 0.01}, 2);
  const ErrorModel model(simulation.Counts(200000));
  EXPECT_TRUE(model.HasDamage());
  for (const size_t i : {0, 1, 2, 4, 8, 20}) {
    const double expected = 0.01 + 0.3 * std::exp(-static_cast<double>(i) / 3);
    EXPECT_NEAR(model.Damage(kCToT, kReadStart, i), expected, 0.03) << i;
    EXPECT_NEAR(model.Damage(kCToT, kReadEnd, i), expected, 0.03) << i;
    EXPECT_LT(model.Damage(kGToA, kReadStart, i), 0.003) << i;
    EXPECT_LT(model.Damage(kGToA, kReadEnd, i), 0.003) << i;
  }
}

TEST(ErrorModelTest, FewBasesTellDamage) {
  for (uint64_t key = 0; key < 20; ++key) {
    Simulation simulation({.at_end = 0.3, .inside = 0.01}, key);
    const ErrorModel model(simulation.Counts(1500));
    EXPECT_TRUE(model.HasDamage()) << key;
    EXPECT_NEAR(model.Damage(kCToT, kReadStart, 0), 0.3, 0.25) << key;
    EXPECT_LT(model.Damage(kCToT, kReadStart, 20), 0.06) << key;
  }
}

TEST(ErrorModelTest, ReadsWithoutDamageKeepTheirQualities) {
  for (uint64_t key = 0; key < 200; ++key) {
    Simulation simulation({}, key);
    const ErrorModel model(simulation.Counts(20000));
    EXPECT_FALSE(model.HasDamage()) << key;
    EXPECT_EQ(model.ExtraError(), 0) << key;
    const ReadBase base = simulation.Place();
    for (const uint8_t shown : kBases) {
      for (const uint8_t other : kBases) {
        if (shown == other) continue;
        EXPECT_EQ(model.Quality(base, shown, other), base.quality);
      }
    }
  }
}

TEST(ErrorModelTest, ErrorsThatQualitiesLeaveOutAreFound) {
  Simulation simulation({.error = 0.011, .told = 0.001}, 3);
  const ErrorModel model(simulation.Counts(200000));
  EXPECT_FALSE(model.HasDamage());
  EXPECT_NEAR(model.ExtraError(), 0.01, 0.001);
  EXPECT_EQ(model.Quality(simulation.Place(), kA, kT), 20);
}

TEST(ErrorModelTest, ErrorsAndDamageAreToldApart) {
  Simulation simulation({.at_end = 0.2, .inside = 0.01, .error = 0.011, .told = 0.001}, 4);
  const ErrorModel model(simulation.Counts(200000));
  EXPECT_NEAR(model.ExtraError(), 0.01, 0.001);
  EXPECT_NEAR(model.Damage(kCToT, kReadStart, 20), 0.01, 0.003);
  EXPECT_NEAR(model.Damage(kCToT, kReadStart, 0), 0.21, 0.03);
}

TEST(ErrorModelTest, NoReadsKeepTheirQualities) {
  const ErrorModel model{SubstitutionCounts()};
  EXPECT_FALSE(model.HasDamage());
  EXPECT_EQ(model.Quality({.code = kT, .quality = 37}, kT, kC), 37);
}

TEST(ErrorModelTest, PartsOfTheCountsGiveTheModelOfAll) {
  Simulation simulation({.at_end = 0.3, .inside = 0.01, .error = 0.02}, 5);
  SubstitutionCounts all;
  for (int part = 0; part < 5; ++part) all.Add(simulation.Counts(10000));
  EXPECT_EQ(all.bases(), 50000);
  const ErrorModel model(all);
  EXPECT_NEAR(model.Damage(kGToA, kReadEnd, 0), 0.31, 0.06);
}

// The quality of a base is the ratio of what both alleles give.
TEST(ErrorModelTest, OnlyWhatDamageMakesIsMuchLessCertain) {
  Simulation simulation({.at_end = 0.3, .inside = 0.01}, 6);
  const ErrorModel model(simulation.Counts(200000));
  const ReadBase forward{.quality = 30, .from_start = 0, .from_end = 49};
  const uint8_t usual = model.Quality(forward, kT, kA);  // errors that no base tells grow with the damage
  EXPECT_GE(usual, 15);
  EXPECT_LT(usual, 30);
  const double any = std::pow(10, -0.1 * usual), damage = model.Damage(kCToT, kReadStart, 0);
  const double ratio = (any + damage) / (1 - any);
  EXPECT_NEAR(model.Quality(forward, kT, kC), -10 * std::log10(ratio / (1 + ratio)), 1);
  EXPECT_EQ(model.Quality(forward, kA, kC), usual);
  EXPECT_NEAR(model.Quality(forward, kC, kT), usual - 1, 1);  // C may have become T there

  // The other strand was sequenced: its start is the right end, and its C is G of the reference.
  const ReadBase reverse{.quality = 30, .is_reverse = true, .from_start = 0, .from_end = 49};
  EXPECT_EQ(model.Quality(reverse, kA, kG), model.Quality(forward, kT, kC));
  EXPECT_NEAR(model.Quality(reverse, kT, kC), usual - 2, 2);  // G to A near its start: what is inside, which is little
}

TEST(ErrorModelTest, ReadsOfAMoleculeShareItsDamage) {
  Simulation simulation({.at_end = 0.3, .inside = 0.01}, 7);
  const ErrorModel model(simulation.Counts(200000));
  const ReadBase base{.quality = 40, .from_start = 0, .from_end = 49};
  EXPECT_LE(std::abs(model.MoleculeQuality(base, kT, kC) - model.Quality(base, kT, kC)), 1);
  EXPECT_EQ(model.MoleculeQuality(base, kA, kC), kMaxQuality);
}

}  // namespace
}  // namespace haplospin
