#include "genotypes/imputation/run/contig_phase.h"

#include <gtest/gtest.h>

#include "genotypes/genomics/sites/panel_alignment.h"

namespace haplospin {
namespace {

using Genotype = std::vector<uint8_t>;

// A study of one sample whose heterozygotes are all given as 0|1.
class ContigPhaseTest : public testing::Test {
 protected:
  // Reads a heterozygote of a phase set, or of none if `set` is 0.
  void Read(uint32_t set, bool is_unphased = false, bool is_in_panel = true) {
    const size_t s = study_.markers.size();
    study_.markers.push_back({10 * static_cast<int64_t>(s), "", "A", "C"});
    study_.alleles.push_back({0, 1});
    study_.unphased.push_back({is_unphased ? uint8_t{1} : uint8_t{0}});
    study_.phase_sets.push_back(set == 0 ? std::vector<uint32_t>{} : std::vector<uint32_t>{set});
    panel_marker_.push_back(is_in_panel ? static_cast<uint32_t>(s) : kNotInPanel);
    phase_.Read(study_, s);
  }

  // Passes on the phase of a window of markers [begin, end), with the alleles of the first haplotype.
  void Set(size_t begin, size_t end, const std::vector<int>& alleles) {
    WindowDosages dosages({begin, end}, 2);
    for (size_t m = begin; m < end; ++m) {
      dosages.alt.Set(0, m - begin, static_cast<float>(alleles[m - begin]));
      dosages.alt.Set(1, m - begin, 1 - static_cast<float>(alleles[m - begin]));
    }
    phase_.Learn(dosages, panel_marker_, study_.markers[end - 1].position, study_);
  }

  // Returns the first allele of each marker, or '?' if its phase is unknown, with a blank after it if it is in a set.
  std::string Order() const {
    std::string order;
    for (size_t s = 0; s < study_.markers.size(); ++s) {
      const StudyRow row = phase_.Row(study_, s);
      order += (*row.unphased)[0] != 0 ? '?' : (*row.alleles)[0] == 0 ? '0' : '1';
      if (!row.phase_sets->empty() && (*row.phase_sets)[0] != 0) order += ' ';
    }
    return order;
  }

  StudyGenotypes study_{.contig = "20", .samples = {{"a"}, {0, 2}}};
  std::vector<uint32_t> panel_marker_;
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
  EXPECT_EQ(*phase_.Row(study_, 0).alleles, (Genotype{1, 0}));
  EXPECT_EQ(*phase_.Row(study_, 1).alleles, (Genotype{0, 1}));
  EXPECT_EQ(study_.alleles, (std::vector<Genotype>{{0, 1}, {0, 1}}));  // unchanged
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
