#include "genotypes/imputation/contig/contig_phase.h"

#include <gtest/gtest.h>

#include "genotypes/genomics/sites/panel_alignment.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

using Genotype = std::vector<uint8_t>;

// A study of one sample whose heterozygotes are all given as 0|1.
class ContigPhaseTest : public testing::Test {
 protected:
  // Reads a heterozygote of a phase set, or of none if `set` is 0.
  void Read(uint32_t set, bool is_unphased = false, bool is_in_panel = true) {
    const size_t s = markers_.size();
    read_.markers = {{{10 * static_cast<int64_t>(s), "", "A", "C"},
                      {.alleles = {0, 1},
                       .unphased = {is_unphased ? uint8_t{1} : uint8_t{0}},
                       .phase_sets = set == 0 ? std::vector<uint32_t>{} : std::vector<uint32_t>{set}}}};
    phase_.Read(read_, 0);
    markers_.push_back({read_.markers[0]});
    column_.push_back(is_in_panel ? static_cast<uint32_t>(s) : kNotInPanel);
  }

  // Passes on the phase of a window of markers [begin, end), with the alleles of the first haplotype.
  void Set(size_t begin, size_t end, const std::vector<int>& alleles) {
    WindowDosages dosages({begin, end}, 2);
    for (size_t m = begin; m < end; ++m) {
      dosages.alt.Set(0, m - begin, static_cast<float>(alleles[m - begin]));
      dosages.alt.Set(1, m - begin, 1 - static_cast<float>(alleles[m - begin]));
    }
    phase_.Learn(dosages, column_, markers_[end - 1].marker.position, read_.samples, markers_);
  }

  // Returns the first allele of each marker, or '?' if its phase is unknown, with a blank after it if it is in a set.
  std::string Order() const {
    std::string order;
    for (const ContigMarker& marker : markers_) {
      const GenotypeRow& row = marker.genotypes;
      order += row.IsUnphased(0) ? '?' : row.alleles[0] == 0 ? '0' : '1';
      if (row.PhaseSet(0) != 0) order += ' ';
    }
    return order;
  }

  StudyGenotypes read_{.contig = "20", .samples = {{"a"}, {0, 2}}};
  std::deque<ContigMarker> markers_;
  std::vector<uint32_t> column_;
  ContigPhase phase_{1, nullptr};
};

TEST_F(ContigPhaseTest, TheFirstSetIsAsGiven) {
  for (const uint32_t set : {5, 5, 8, 5, 9}) Read(set);
  EXPECT_EQ(Order(), "000 00 ");
}

TEST_F(ContigPhaseTest, NoSetIsTheFirstWhereSomeArePhasedWithoutOne) {
  Read(0);
  Read(5);
  EXPECT_EQ(Order(), "00 ");
}

TEST_F(ContigPhaseTest, ASetGoesOnInTheNextWindow) {
  for (const uint32_t set : {0, 5, 5, 6, 5}) Read(set);
  EXPECT_EQ(Order(), "00 0 0 0 ");
  Set(0, 3, {0, 1, 1});
  EXPECT_EQ(Order(), "0110 1");
  Read(5);
  Read(6);
  Read(7);
  EXPECT_EQ(Order(), "0110 110 0 ");
  Set(3, 7, {1, 1, 1, 1});
  EXPECT_EQ(Order(), "01111110 ");
}

TEST_F(ContigPhaseTest, UnphasedGenotypesTakeTheOrderFound) {
  Read(0, true);
  Read(0, true);
  Set(0, 2, {1, 0});
  EXPECT_EQ(markers_[0].genotypes.alleles, (Genotype{1, 0}));
  EXPECT_EQ(markers_[1].genotypes.alleles, (Genotype{0, 1}));
  for (const ContigMarker& marker : markers_)
    EXPECT_TRUE(marker.genotypes.IsUnphased(0)) << "the next window may turn it";
}

// The known allele of a half-missing genotype is that of the haplotype whose dosage is certain, and stays what it is.
TEST_F(ContigPhaseTest, AHalfMissingGenotypeTakesTheOrderFound) {
  Read(0, true);
  Read(0, true);
  markers_[0].genotypes.alleles = markers_[1].genotypes.alleles = {kMissingAllele, 1};
  WindowDosages dosages({0, 2}, 2);
  const float alt[2][2] = {{1, 0.3f}, {0.3f, 1}};  // [markers][haplotypes]
  for (size_t m = 0; m < 2; ++m) {
    for (size_t h = 0; h < 2; ++h) dosages.alt.Set(h, m, alt[m][h]);
  }
  phase_.Learn(dosages, column_, 10, read_.samples, markers_);
  EXPECT_EQ(markers_[0].genotypes.alleles, (Genotype{1, kMissingAllele}));
  EXPECT_EQ(markers_[1].genotypes.alleles, (Genotype{kMissingAllele, 1}));
}

TEST_F(ContigPhaseTest, AHalfMissingGenotypeGoesWithItsSet) {
  for (const uint32_t set : {0, 5, 5}) Read(set);
  Set(0, 2, {0, 1});
  EXPECT_EQ(Order(), "011");
  read_.markers = {{{30, "", "A", "C"}, {.alleles = {kMissingAllele, 1}, .unphased = {0}, .phase_sets = {5}}}};
  phase_.Read(read_, 0);
  EXPECT_EQ(read_.markers[0].genotypes.alleles, (Genotype{1, kMissingAllele}));
}

TEST_F(ContigPhaseTest, MarkersThatThePanelDoesNotHave) {
  Read(0);
  Read(5, false, false);  // the order of its set is not yet known
  Read(5);
  Read(5, false, false);
  Read(6, false, false);
  Read(6);
  Set(0, 5, {0, 0, 1, 0, 0});
  EXPECT_EQ(Order(), "0?11?0 ");
}

TEST_F(ContigPhaseTest, InterruptedSetsAreCounted) {
  for (const uint32_t set : {5, 6, 6, 5, 5, 7, 6}) Read(set);
  EXPECT_EQ(phase_.num_interrupted(), 2u);
  EXPECT_EQ(phase_.first_interrupted(), "sample a at 20:30");
}

}  // namespace
}  // namespace haplospin
