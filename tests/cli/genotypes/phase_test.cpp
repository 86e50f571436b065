// Studies that are not phased: haplospin phase and haplospin impute, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/impute_files.h"
#include "genotypes/imputation/mosaic_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

// A genotype without phase: "0/1" for "1|0".
std::string WithoutPhase(std::string genotype) {
  if (genotype.size() == 3 && genotype[0] > genotype[2]) std::swap(genotype[0], genotype[2]);
  if (genotype.size() == 3) genotype[1] = '/';
  return genotype;
}

class PhaseCommandTest : public ImputeFiles {
 protected:
  // The study without phase, except for the records that `keep` names by their number.
  VcfText Unphased(const std::vector<size_t>& keep = {}) const {
    const VcfLines phased(StudyVcf().text());
    VcfText vcf(study_.names, {"20"});
    for (size_t r = 0; r < phased.records.size(); ++r) {
      const auto& record = phased.records[r];
      const bool is_kept = std::ranges::find(keep, r) != keep.end();
      std::string genotypes;
      for (size_t s = 0; s < study_.names.size(); ++s) {
        const std::string& genotype = record[kFirstSample + s];
        genotypes += (s == 0 ? "" : " ") + (is_kept ? genotype : WithoutPhase(genotype));
      }
      vcf.Add("20", std::stoll(record[kPos]), record[kRef], record[kAlt], genotypes);
    }
    return vcf;
  }

  std::string Phase(const std::string& study, std::vector<std::string> options = {}) const {
    const bool has_panel = std::ranges::find(options, "--ref") != options.end();
    options.insert(options.begin(), {"phase", "--target", study, "--out", imputed_path_});
    if (!has_panel) options.insert(options.end(), {"--ref", panel_path_});
    const ProgramResult result = RunProgram(options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return ReadFile(imputed_path_);
  }

  // The records of `vcf` have the study's genotypes, phased.
  void ExpectPhased(const VcfLines& vcf) const {
    const VcfLines study(StudyVcf().text());
    for (const auto& record : study.records) {
      for (size_t s = 0; s < study_.names.size(); ++s) {
        const std::string genotype = Field(vcf.At(record[kPos]), s, "GT");
        EXPECT_THAT(genotype, testing::MatchesRegex("[01]\\|[01]"));
        EXPECT_EQ(WithoutPhase(genotype), WithoutPhase(record[kFirstSample + s])) << record[kPos];
      }
    }
  }
};

std::string WithoutHeader(const std::string& vcf) { return vcf.substr(vcf.find("\n#CHROM")); }

TEST_F(PhaseCommandTest, ImputesAStudyThatIsNotPhased) {
  const std::string study = Write("unphased.vcf", Unphased().text());
  const std::string text = ImputedText({"--target", study});
  const VcfLines vcf(text);
  EXPECT_EQ(vcf.records.size(), mosaic_.markers.size());
  ExpectPhased(vcf);
  EXPECT_EQ(WithoutHeader(ImputedText({"--target", study, "--threads", "1"})), WithoutHeader(text));
  EXPECT_EQ(WithoutHeader(ImputedText({"--target", study, "--seed", "1"})), WithoutHeader(text));
}

TEST_F(PhaseCommandTest, WritesTheStudyAlone) {
  const std::string study = Write("unphased.vcf", Unphased().text());
  const std::string text = Phase(study);
  const VcfLines vcf(text);
  EXPECT_EQ(vcf.records.size(), typed_.size());
  ExpectPhased(vcf);
  EXPECT_EQ(WithoutHeader(Phase(study, {"--threads", "1"})), WithoutHeader(text));
}

TEST_F(PhaseCommandTest, APhasedStudyStaysAsItIs) {
  const VcfLines before(StudyVcf().text()), after(Phase(study_path_));
  ASSERT_EQ(after.records.size(), before.records.size());
  for (size_t r = 0; r < before.records.size(); ++r) {
    for (size_t s = 0; s < study_.names.size(); ++s) {
      EXPECT_EQ(after.records[r][kFirstSample + s], before.records[r][kFirstSample + s]);
    }
  }
  ExpectPhased(VcfLines(Phase(study_path_, {"--rephase"})));
}

TEST_F(PhaseCommandTest, PhasedGenotypesAmongOthersKeepTheirOrder) {
  std::vector<size_t> kept;
  for (size_t r = 0; r < typed_.size(); r += 3) kept.push_back(r);
  const VcfLines after(Phase(Write("mixed.vcf", Unphased(kept).text())));
  const VcfLines before(StudyVcf().text());
  ExpectPhased(after);
  for (const size_t r : kept) {
    for (size_t s = 0; s < study_.names.size(); ++s) {
      EXPECT_EQ(after.records[r][kFirstSample + s], before.records[r][kFirstSample + s]);
    }
  }
}

TEST_F(PhaseCommandTest, MissingGenotypesAndMarkersThatThePanelDoesNotHave) {
  VcfText vcf(study_.names, {"20"});
  const VcfLines study(StudyVcf().text());
  vcf.Add("20", 1000, "G", "T", "0/1 1/1 ./.");
  for (size_t r = 0; r < study.records.size(); ++r) {
    const auto& record = study.records[r];
    std::string genotypes = r == 5 ? "./." : WithoutPhase(record[kFirstSample]);
    for (size_t s = 1; s < study_.names.size(); ++s) genotypes += " " + WithoutPhase(record[kFirstSample + s]);
    vcf.Add("20", std::stoll(record[kPos]), record[kRef], record[kAlt], genotypes);
  }
  const std::string path = Write("missing.vcf", vcf.text());
  const VcfLines after(Phase(path));
  EXPECT_EQ(Field(after.records[0], 0, "GT"), "0/1");
  EXPECT_EQ(WithoutPhase(Field(after.records[0], 1, "GT")), "1/1");
  EXPECT_EQ(WithoutPhase(Field(after.records[0], 2, "GT")), "./.");
  EXPECT_THAT(Field(after.At(study.records[5][kPos]), 0, "GT"), testing::MatchesRegex("[01]\\|[01]"));
  const VcfLines imputed(ImputedText({"--target", path}));
  EXPECT_EQ(Field(imputed.At("1000"), 0, "GT"), "0/1");
}

TEST_F(PhaseCommandTest, UnusualStudies) {
  // No heterozygote; one heterozygote; everything missing.
  const std::vector<uint32_t> some(typed_.begin(), typed_.begin() + 6);
  VcfText vcf({"hom", "one", "missing"}, {"20"});
  for (size_t k = 0; k < some.size(); ++k) {
    const Marker& marker = mosaic_.markers[some[k]];
    vcf.Add("20", marker.position, marker.ref, marker.alt, std::string("0/0 ") + (k == 2 ? "0/1" : "1/1") + " ./.");
  }
  const VcfLines after(Phase(Write("unusual.vcf", vcf.text())));
  ASSERT_EQ(after.records.size(), some.size());
  for (const auto& record : after.records) {
    EXPECT_EQ(Field(record, 0, "GT"), "0|0");
    EXPECT_THAT(Field(record, 2, "GT"), testing::MatchesRegex("[01]\\|[01]"));
  }
  EXPECT_EQ(WithoutPhase(Field(after.records[2], 1, "GT")), "0/1");
}

TEST_F(PhaseCommandTest, WindowsKeepTheOrientation) {
  const std::string study = Write("unphased.vcf", Unphased().text());
  const VcfLines truth(StudyVcf().text());
  const auto switches = [&](const std::vector<std::string>& options) {
    const VcfLines phased(Phase(study, options));
    size_t errors = 0;
    for (size_t s = 0; s < study_.names.size(); ++s) {
      int last = -1;
      for (size_t r = 0; r < truth.records.size(); ++r) {
        const std::string& genotype = truth.records[r][kFirstSample + s];
        if (genotype[0] == genotype[2]) continue;
        const int agrees = phased.records[r][kFirstSample + s] == genotype ? 1 : 0;
        errors += last >= 0 && last != agrees;
        last = agrees;
      }
    }
    return errors;
  };
  // Eight windows: random orientations would be twelve errors more, about.
  EXPECT_LE(switches({"--window", "0.3", "--overlap", "0.3"}), switches({}) + 5);
}

TEST_F(PhaseCommandTest, ProbabilityOfThePhase) {
  const std::string study = Write("mixed.vcf", Unphased({0, 1, 2}).text());
  const VcfLines text(ImputedText({"--target", study, "--format", "PPH"}));
  const std::string bcf = out_ / "imputed.bcf";
  ASSERT_EQ(Impute({"--target", study, "--format", "PPH", "--out", bcf}).exit_code, 0);
  size_t found = 0;
  for (const auto& record : text.records) {
    for (size_t s = 0; s < study_.names.size(); ++s) {
      const std::string value = Field(record, s, "PPH");
      if (value.empty() || value == ".") continue;
      EXPECT_NE(Field(record, s, "GT")[0], Field(record, s, "GT")[2]);
      EXPECT_GT(std::stod(value), 0);
      EXPECT_LE(std::stod(value), 1);
      ++found;
    }
  }
  EXPECT_GT(found, 10u);
}

// The result is that for files without these samples.
TEST_F(PhaseCommandTest, SamplesThatAreLeftOut) {
  const std::string study = Write("unphased.vcf", Unphased().text());
  const VcfLines all(Phase(study));
  const VcfLines fewer(Phase(study, {"--exclude-samples", Write("excluded.txt", "S1\n")}));
  EXPECT_THAT(std::vector(fewer.columns.begin() + kFirstSample, fewer.columns.end()), testing::ElementsAre("S0", "S2"));
  ASSERT_EQ(fewer.records.size(), all.records.size());
  for (size_t r = 0; r < all.records.size(); ++r) {
    EXPECT_EQ(fewer.records[r][kFirstSample], all.records[r][kFirstSample]);
    EXPECT_EQ(fewer.records[r][kFirstSample + 1], all.records[r][kFirstSample + 2]);
  }

  const SampleTable half = DiploidSamples("R", 10);
  const std::string part = Write("part.vcf", MosaicVcf(mosaic_, half, 0, AllMarkers(mosaic_)).text());
  std::string names;
  for (const std::string& name : half.names) names += name + '\n';
  const VcfLines with_half(Phase(study, {"--panel-samples", Write("half.txt", names)}));
  EXPECT_EQ(with_half.records, VcfLines(Phase(study, {"--ref", part})).records);
  EXPECT_NE(with_half.records, all.records);
}

TEST_F(PhaseCommandTest, AStudyThatThePanelDoesNotHave) {
  const VcfLines study(Unphased().text());
  VcfText moved(study_.names, {"20"});
  for (size_t r = 0; r < study.records.size(); ++r) {
    const auto& record = study.records[r];
    std::string genotypes = record[kFirstSample];
    for (size_t s = 1; s < study_.names.size(); ++s) genotypes += " " + record[kFirstSample + s];
    moved.Add("20", std::stoll(record[kPos]) + (r % 10 == 0 ? 0 : 1), record[kRef], record[kAlt], genotypes);
  }
  const std::string path = Write("moved.vcf", moved.text());
  ExpectRefused(
      RunProgram({"phase", "--ref", panel_path_, "--target", path, "--out", imputed_path_, "--min-ratio", "0.2"}),
      {"are in the panel", "a lower --min-ratio (now 0.2)"});
  EXPECT_EQ(out_.NumFiles(), 0u);
  EXPECT_EQ(VcfLines(Phase(path, {"--min-ratio", "0"})).records.size(), study.records.size());
}

TEST_F(PhaseCommandTest, InvalidInput) {
  const auto expect = [&](std::vector<std::string> options, const std::string& message) {
    options.insert(options.begin(), "phase");
    ExpectRefused(RunProgram(options), {message});
  };
  expect({"--ref", panel_path_, "--target", panel_path_, "--out", imputed_path_}, "two different files");
  VcfText haploid(study_.names, {"20"});
  haploid.Add("20", 20'000, "A", "C", "0 0/1 0/1").Add("20", 40'000, "A", "C", "0/1 0/1 0/1");
  expect({"--ref", panel_path_, "--target", Write("haploid.vcf", haploid.text()), "--out", imputed_path_},
         "sample S0 has two alleles here, but one at position 20000");
}

TEST_F(PhaseCommandTest, NeedsNoPanel) {
  const std::string study = Write("unphased.vcf", Unphased().text());
  const auto phase = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"phase", "--target", study, "--out", imputed_path_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunProgram(arguments);
  };
  const ProgramResult result = phase({});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("without a panel (--ref); fewer than 100 carry few of the haplotypes of a "
                                    "population, so that what is phased and imputed from them is unreliable"));
  const std::string text = ReadFile(imputed_path_);
  ExpectPhased(VcfLines(text));
  ASSERT_EQ(phase({"--threads", "1"}).exit_code, 0);
  EXPECT_EQ(WithoutHeader(ReadFile(imputed_path_)), WithoutHeader(text));

  ExpectRefused(phase({"--panel-samples", study}), {"--panel-samples needs a panel; give --ref"});
  ExpectRefused(RunProgram({"phase", "--target", "-", "--out", imputed_path_}), {"is read twice"});
}

TEST_F(PhaseCommandTest, OneSampleNeedsAPanel) {
  ExpectRefused(RunProgram({"phase", "--target", Write("unphased.vcf", Unphased().text()), "--exclude-samples",
                            Write("others.txt", "S1\nS2\n"), "--out", imputed_path_}),
                {"a single sample cannot be phased without other haplotypes; give a panel (--ref)"});
}

}  // namespace
}  // namespace haplospin
