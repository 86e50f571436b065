#include "genotypes/imputation/window/allele_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "genotypes/genomics/mutable_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::FloatNear;

// Two alleles at 10 that no haplotype has both of, and some have neither, and a third that goes with the first; one at
// 20.
HaplotypePanel FourAlleles() {
  MutablePanel panel("6", SampleTable::Diploid({"A", "B", "C"}));
  for (const auto& [position, bits] : {std::pair<int64_t, uint64_t>{10, 0b0011}, {10, 0b1100}, {10, 0b0001}, {20, 1}}) {
    panel.Append({position, ".", "A", "T"}, &bits);
  }
  return panel;
}

TEST(AlleleSums, AreAtMostOneWhereNoHaplotypeHasTwo) {
  const HaplotypePanel panel = FourAlleles();
  const std::vector<const std::vector<uint8_t>*> typed(4);
  std::vector<float> alt{0.9f, 0.3f, 0.6f, 0.3f, 0.8f, 0.2f, 0.7f, 1};
  ScaleAlleleSums(panel, {0, 4}, typed, alt);
  // A panel haplotype has the third allele beside the first.
  EXPECT_THAT(alt, ElementsAre(FloatNear(0.6f, 1e-6f), 0.3f, FloatNear(0.4f, 1e-6f), 0.3f, 0.8f, 0.2f, 0.7f, 1));
}

// A SNV that a haplotype has together with one ALT of a record at its position leaves the ALTs of the record together.
TEST(AlleleSums, AltsOfOneSiteStayTogether) {
  MutablePanel panel("6", SampleTable::Diploid({"A", "B", "C"}));
  const uint64_t snv = 0b000011, first = 0b000101, second = 0b011000;
  panel.Append({10, ".", "A", "C"}, &snv);
  panel.Append({10, ".", "AT", "A"}, &first);
  panel.Append({10, ".", "AT", "ATT"}, &second);
  const std::vector<const std::vector<uint8_t>*> typed(3);
  std::vector<float> alt{0.9f, 0.8f, 0.7f};
  EXPECT_EQ(ScaleAlleleSums(panel, {0, 3}, typed, alt), (std::vector<bool>{false, true, true}));
  EXPECT_THAT(alt, ElementsAre(0.9f, FloatNear(0.8f / 1.5f, 1e-6f), FloatNear(0.7f / 1.5f, 1e-6f)));
}

// Where every haplotype has one of the alleles, there is no REF that could have the rest.
TEST(AlleleSums, AreOneWhereEachHaplotypeHasOne) {
  MutablePanel panel("6", SampleTable::Diploid({"A", "B"}));
  for (const uint64_t bits : {0b0011, 0b0100, 0b1000}) panel.Append({10, "HLA_A", "N", "<HLA_A*01:01>"}, &bits);
  const std::vector<const std::vector<uint8_t>*> typed(3);
  std::vector<float> alt{0.3f, 0.9f, 0.1f, 0.6f, 0.1f, 0};
  EXPECT_EQ(ScaleAlleleSums(panel, {0, 3}, typed, alt), (std::vector<bool>{true, true, true}));
  EXPECT_THAT(alt, ElementsAre(FloatNear(0.6f, 1e-6f), FloatNear(0.6f, 1e-6f), FloatNear(0.2f, 1e-6f),
                               FloatNear(0.4f, 1e-6f), FloatNear(0.2f, 1e-6f), 0));
}

// SNP2HLA has a marker for each allele of one field and of two, with P where it is present.
TEST(AlleleSums, OfHlaMarkersAreThoseOfOneGeneAndResolution) {
  MutablePanel panel("6", SampleTable::Diploid({"A", "B"}));
  const auto append = [&](const char* id, const char* ref, const char* alt, uint64_t bits) {
    panel.Append({10, id, ref, alt}, &bits);
  };
  append("HLA_A_0101", "A", "P", 0b0011);
  append("HLA_A_02", "A", "P", 0b1100);
  append("HLA_A_0201", "A", "P", 0b0100);
  append("HLA_A_01", "P", "A", 0b1100);
  append("HLA_A_0205", "A", "P", 0b1000);
  const std::vector<const std::vector<uint8_t>*> typed(5);
  // [markers, haplotypes], of which there is one. A*01 is absent with a probability of 0.6.
  std::vector<float> alt{0.2f, 0.4f, 0.1f, 0.6f, 0.1f};
  ScaleAlleleSums(panel, {0, 5}, typed, alt);
  EXPECT_THAT(alt, ElementsAre(FloatNear(0.5f, 1e-6f), FloatNear(0.5f, 1e-6f), FloatNear(0.25f, 1e-6f),
                               FloatNear(0.5f, 1e-6f), FloatNear(0.25f, 1e-6f)));
}

TEST(AlleleSums, KeepWhatTheStudyKnows) {
  const HaplotypePanel panel = FourAlleles();
  const std::vector<uint8_t> alleles{1, kMissingAllele};
  const std::vector<const std::vector<uint8_t>*> typed{&alleles, nullptr, nullptr, nullptr};
  std::vector<float> alt{1, 0.8f, 0.6f, 0.4f, 0.8f, 0.2f, 0.7f, 1};
  ScaleAlleleSums(panel, {0, 4}, typed, alt);
  EXPECT_THAT(alt,
              ElementsAre(1, FloatNear(0.8f / 1.2f, 1e-6f), 0, FloatNear(0.4f / 1.2f, 1e-6f), 0.8f, 0.2f, 0.7f, 1));
}

// Without haplotypes, only the ALTs of one site exclude each other: markers of a linkage map that are at one position
// do not, nor do two probes of one SNP.
TEST(AlleleSums, WithoutHaplotypesTheAllelesTellWhatExcludesWhat) {
  MutablePanel panel("6", {});
  for (const auto& [ref, alt] : {std::pair{"A", "T"}, {"A", "G"}, {"C", "T"}, {"A", "T"}}) {
    panel.Append({10, ".", ref, alt}, nullptr);
  }
  const std::vector<const std::vector<uint8_t>*> typed(4);
  std::vector<float> alt{0.9f, 0.6f, 0.9f, 0.9f};
  EXPECT_EQ(ScaleAlleleSums(panel, {0, 4}, typed, alt), (std::vector<bool>{true, true, false, false}));
  EXPECT_THAT(alt, ElementsAre(FloatNear(0.6f, 1e-6f), FloatNear(0.4f, 1e-6f), 0.9f, 0.9f));
}

TEST(AlleleSums, PositionsAreWhole) {
  const HaplotypePanel panel = FourAlleles();
  EXPECT_EQ(EndOfPosition(panel, 1), 3u);
  EXPECT_EQ(EndOfPosition(panel, 3), 3u);
  EXPECT_EQ(EndOfPosition(panel, 4), 4u);
  EXPECT_EQ(EndOfPosition(panel, 0), 0u);
}

}  // namespace
}  // namespace haplospin
