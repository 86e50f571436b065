#include "genotypes/imputation/models/pedigree/mendels_laws.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

using Alleles = std::vector<uint8_t>;
constexpr uint8_t kNone = kMissingAllele;

TEST(MendelsLaws, TellWhichAlleleIsOfWhichParent) {
  const Alleles child = {0, 1}, ref = {0, 0}, alt = {1, 1}, both = {0, 1}, missing = {kNone, kNone};
  EXPECT_EQ(FindTransmitted({child, {alt, ref}}, "1"), (Transmitted{1, 0}));
  EXPECT_EQ(FindTransmitted({child, {both, ref}}, "1"), (Transmitted{1, 0}));
  EXPECT_EQ(FindTransmitted({child, {ref, {}}}, "1"), (Transmitted{0, 1}));
  EXPECT_EQ(FindTransmitted({child, {both, both}}, "1"), (Transmitted{kNone, kNone}));
  EXPECT_EQ(FindTransmitted({child, {missing, {}}}, "1"), (Transmitted{kNone, kNone}));
  EXPECT_EQ(FindTransmitted({missing, {ref, ref}}, "1"), (Transmitted{kNone, kNone}));
  EXPECT_EQ(FindTransmitted({child, {ref, ref}}, "1"), std::nullopt);
  EXPECT_EQ(FindTransmitted({ref, {both, alt}}, "1"), std::nullopt);
}

TEST(MendelsLaws, OneHaplotypeIsOfTheParentWhoGivesIt) {
  const Alleles son = {1}, ref = {0, 0}, alt = {1, 1}, father = {0};
  EXPECT_EQ(FindTransmitted({son, {father, alt}}, "X"), (Transmitted{kNone, 1}));
  EXPECT_EQ(FindTransmitted({son, {father, ref}}, "X"), std::nullopt);
  EXPECT_EQ(FindTransmitted({son, {father, {}}}, "Y"), std::nullopt);
}

TEST(MendelsLaws, InformativeMarkersHaveKnownAndDifferentAlleles) {
  const Alleles ref = {0, 0}, both = {0, 1}, missing = {kNone, kNone};
  EXPECT_FALSE((FamilyAlleles{ref, {ref, ref}}.IsInformative()));
  EXPECT_TRUE((FamilyAlleles{ref, {both, ref}}.IsInformative()));
  EXPECT_TRUE((FamilyAlleles{both, {}}.IsInformative()));
  EXPECT_FALSE((FamilyAlleles{both, {missing, ref}}.IsInformative()));
}

}  // namespace
}  // namespace haplospin
