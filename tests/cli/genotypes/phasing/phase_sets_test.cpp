// Phase sets (FORMAT PS) of the study: haplospin phase, as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/genotypes/phasing/phase_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class PhaseSetsCommandTest : public PhaseFiles {
 protected:
  // Sets of `length` markers, every second one in the other orientation than the truth; `gap` markers between two are
  // not phased.
  Genotypes InSets(size_t length, size_t gap) const {
    Genotypes genotypes = Truth();
    for (size_t r = 0; r < genotypes.size(); ++r) {
      const size_t set = r / (length + gap);
      for (std::string& genotype : genotypes[r]) {
        if (r % (length + gap) >= length) {
          genotype = Sorted(genotype) + ":.";
        } else {
          genotype = (set % 2 == 1 ? Exchanged(genotype) : genotype) + ":" + std::to_string(set);
        }
      }
    }
    return genotypes;
  }

  // The heterozygotes of a set have, all or none, the order of the truth; how many sets have more than one.
  size_t ExpectKept(const Genotypes& found, size_t length, size_t gap) const {
    const Genotypes truth = Truth();
    size_t sets = 0;
    for (size_t s = 0; s < study_.names.size(); ++s) {
      for (size_t first = 0; first < truth.size(); first += length + gap) {
        std::vector<bool> agree;
        for (size_t r = first; r < std::min(first + length, truth.size()); ++r) {
          EXPECT_EQ(Sorted(found[r][s]), Sorted(truth[r][s]));
          EXPECT_EQ(found[r][s][1], '|');
          if (IsHeterozygous(truth[r][s])) agree.push_back(found[r][s] == truth[r][s]);
        }
        if (agree.size() < 2) continue;
        ++sets;
        EXPECT_EQ(std::ranges::count(agree, agree[0]), static_cast<std::ptrdiff_t>(agree.size())) << s << " " << first;
      }
    }
    return sets;
  }

  // Neighboring heterozygotes whose phase differs from the truth.
  size_t SwitchErrors(const Genotypes& found) const {
    const Genotypes truth = Truth();
    size_t errors = 0;
    for (size_t s = 0; s < study_.names.size(); ++s) {
      int last = -1;
      for (size_t r = 0; r < truth.size(); ++r) {
        if (!IsHeterozygous(truth[r][s])) continue;
        const int agrees = found[r][s] == truth[r][s] ? 1 : 0;
        errors += last >= 0 && agrees != last;
        last = agrees;
      }
    }
    return errors;
  }
};

TEST_F(PhaseSetsCommandTest, PhaseWithinASetIsKept) {
  const std::string study = WriteStudy(InSets(6, 2), "GT:PS");
  const Phased phased = Phase(study);
  EXPECT_GT(ExpectKept(phased.genotypes, 6, 2), 5u);
  EXPECT_THAT(phased.messages, testing::Not(HasSubstr("phase sets")));
  // The sets were given in orientations that alternate.
  EXPECT_LE(SwitchErrors(phased.genotypes), 6u);
  const VcfLines imputed(ImputedText({"--target", study}));
  for (size_t r = 0; r < typed_.size(); ++r) {
    const auto& record = imputed.At(std::to_string(mosaic_.markers[typed_[r]].position));
    for (size_t s = 0; s < study_.names.size(); ++s) EXPECT_EQ(Field(record, s, "GT"), phased.genotypes[r][s]);
  }
}

TEST_F(PhaseSetsCommandTest, PhaseWithinASetIsKeptAcrossWindows) {
  const std::string study = WriteStudy(InSets(9, 1), "GT:PS");
  EXPECT_GT(ExpectKept(Phase(study, {"--window", "0.2", "--overlap", "0.1"}).genotypes, 9, 1), 5u);
  EXPECT_GT(ExpectKept(Phase(study, {"--window", "0.1", "--overlap", "0"}).genotypes, 9, 1), 5u);
}

// GATK writes the position and the alleles of the first variant of a set as PID, and may leave out PS.
TEST_F(PhaseSetsCommandTest, PidOfGatkIsTheSetWithoutPs) {
  Genotypes sets = InSets(6, 2), ids = sets;
  for (auto& record : ids) {
    for (std::string& genotype : record) {
      if (!genotype.ends_with('.')) genotype += "_A_T";
    }
  }
  const Phased expected = Phase(WriteStudy(sets, "GT:PS")), phased = Phase(WriteStudy(ids, "GT:PID"));
  EXPECT_EQ(phased.genotypes, expected.genotypes);
  EXPECT_THAT(phased.messages, testing::AllOf(HasSubstr("no PS: the phase sets of"), HasSubstr("are those of PID")));
  // As BCF, and with PS, which goes before it.
  std::string text = ReadFile(WriteStudy(ids, "GT:PID"));
  text.insert(text.find('\n') + 1, "##FORMAT=<ID=PID,Number=1,Type=String,Description=\"Phasing ID\">\n");
  const std::string bcf = in_ / "ids.bcf";
  const ProgramResult concat = RunProgram({"concat", "--out", bcf, Write("declared.vcf", text)});
  ASSERT_EQ(concat.exit_code, 0) << concat.err;
  EXPECT_EQ(Phase(bcf).genotypes, expected.genotypes);
  for (size_t r = 0; r < ids.size(); ++r) {
    for (size_t s = 0; s < ids[r].size(); ++s) ids[r][s] = sets[r][s] + ":7_A_T";
  }
  const Phased both = Phase(WriteStudy(ids, "GT:PS:PID"));
  EXPECT_EQ(both.genotypes, expected.genotypes);
  EXPECT_THAT(both.messages, testing::Not(HasSubstr("PID")));
}

// Both alleles of 1/2 are ALT, so that they are on different haplotypes, which is no phase of the file.
TEST_F(PhaseSetsCommandTest, AnUnphasedGenotypeOfTwoAltsOverlapsNoSet) {
  const Genotypes given = InSets(6, 0);
  VcfText vcf(study_.names, {"20"});
  for (size_t r = 0; r < given.size(); ++r) {
    const Marker& marker = mosaic_.markers[typed_[r]];
    std::string columns;
    for (const std::string& genotype : given[r]) columns += genotype + " ";
    vcf.Add("20", marker.position, marker.ref, marker.alt, columns, "GT:PS");
    vcf.Add("20", marker.position + 1, "G", "T,C", "1/2:. 1/2:. 1/2:.", "GT:PS");
  }
  const Phased phased = Phase(Write("alts.vcf", vcf.text()));
  EXPECT_THAT(phased.messages, testing::Not(HasSubstr("overlap others")));
}

TEST_F(PhaseSetsCommandTest, OneSetIsAPhasedStudy) {
  Genotypes given = Truth();
  for (auto& record : given) {
    for (std::string& genotype : record) genotype += ":7";
  }
  EXPECT_EQ(Phase(WriteStudy(given, "GT:PS")).genotypes, Truth());
}

TEST_F(PhaseSetsCommandTest, RephaseIgnoresThem) {
  const std::string study = WriteStudy(InSets(6, 2), "GT:PS");
  Genotypes without = Truth();
  for (auto& record : without) {
    for (std::string& genotype : record) genotype = Sorted(genotype);
  }
  const Phased phased = Phase(study, {"--rephase"});
  ExpectKept(phased.genotypes, 1, 0);
  EXPECT_LE(SwitchErrors(phased.genotypes), SwitchErrors(Phase(WriteStudy(without)).genotypes) + 3);
}

TEST_F(PhaseSetsCommandTest, SetsInsideOthersAreSaid) {
  // Of every three markers, one is in a set that spans all, and two are in sets of two.
  Genotypes given = Truth();
  for (size_t r = 0; r < given.size(); ++r) {
    for (std::string& genotype : given[r]) genotype += r % 3 == 0 ? ":0" : ":" + std::to_string(r / 3 + 1);
  }
  const Phased phased = Phase(WriteStudy(given, "GT:PS"));
  EXPECT_THAT(phased.messages,
              HasSubstr("genotypes in phase sets (PS or PID) that overlap others, the first of sample"));
  const Genotypes truth = Truth();
  for (size_t r = 0; r < truth.size(); r += 3) EXPECT_EQ(phased.genotypes[r], truth[r]);
  ExpectKept(phased.genotypes, 1, 0);
}

// Beside a marker that the panel does not have.
TEST_F(PhaseSetsCommandTest, MarkersThatThePanelDoesNotHave) {
  const Genotypes given = InSets(6, 2);
  VcfText vcf(study_.names, {"20"});
  vcf.Add("20", 1, "G", "T", "0|1:99 0|1:99 0/1:.", "GT:PS");
  for (size_t r = 0; r < given.size(); ++r) {
    const Marker& marker = mosaic_.markers[typed_[r]];
    std::string columns;
    for (const std::string& genotype : given[r]) columns += genotype + " ";
    vcf.Add("20", marker.position, marker.ref, marker.alt, columns, "GT:PS");
    if (r == 11) vcf.Add("20", marker.position + 1, "G", "T", "0|1:1 0|1:77 0/0:1", "GT:PS");
  }
  const Phased phased = Phase(Write("sets.vcf", vcf.text()));
  EXPECT_EQ(phased.genotypes[0][0], "0|1");  // the first set of a sample has the orientation given
  EXPECT_EQ(phased.genotypes[0][2], "0/1");
  const std::vector<std::string>& between = phased.genotypes[13];
  EXPECT_EQ(between[1], "0/1");  // in a set by itself: its phase with the others is not known
  const Genotypes truth = Truth();
  for (size_t r = 8; r < 12; ++r) {
    if (!IsHeterozygous(truth[r][0])) continue;
    EXPECT_EQ(between[0], phased.genotypes[r + 1][0] == Exchanged(truth[r][0]) ? "0|1" : "1|0") << r;
  }
}

TEST_F(PhaseSetsCommandTest, InvalidPhaseSets) {
  Genotypes given = Truth();
  for (auto& record : given) {
    for (std::string& genotype : record) genotype += ":7";
  }
  for (const std::string value : {"-3", "x1", "1.5", "99999999999", "1,2"}) {
    Genotypes invalid = given;
    for (size_t r = 3; r < invalid.size(); ++r) invalid[r][1] = invalid[r][1].substr(0, 3) + ":" + value;
    for (std::string& genotype : invalid[2]) genotype = "0/1:" + value;  // not phased: PS has no meaning
    const std::string study = WriteStudy(invalid, "GT:PS");
    ExpectPhaseError(study, {}, "sample S1 has the phase set (PS) \"" + value + "\"; expected a whole number from 0");
    std::filesystem::remove(imputed_path_);
    Phase(study, {"--rephase"});
    std::filesystem::remove(imputed_path_);
  }
}

}  // namespace
}  // namespace haplospin
