// Chromosome Y: men have one haplotype and women none, who are written as missing and change nothing of the men. W: the
// same with females and males.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cli/impute_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

constexpr size_t kLacking = 1;  // S0 and S2 have the chromosome

// The haploid genotypes of all people; `is_absent` says whose are written as ".".
template <typename IsAbsent>
std::string Haploid(const VcfText& vcf, const IsAbsent& is_absent) {
  return WithGenotypes(vcf, [&](size_t sample, int64_t position, const std::string& genotype) {
    return is_absent(sample, position) ? "." : genotype.substr(0, 1);
  });
}

class LackingSexTest : public ImputeFiles, public testing::WithParamInterface<const char*> {
 protected:
  // Options to impute the study, in which S1 has no genotypes.
  std::vector<std::string> Files() const {
    const auto is_absent = [&](size_t sample, int64_t) { return sample == kLacking; };
    return {"--ref",
            Write("p.vcf", Haploid(PanelVcf(GetParam()), [](size_t, int64_t) { return false; })),
            "--target",
            Write("s.vcf", Haploid(StudyVcf(GetParam()), is_absent)),
            "--format",
            "GP,HDS,AP",
            "--empirical-dosages"};
  }

  static std::vector<std::string> With(std::vector<std::string> options, const std::vector<std::string>& further) {
    options.insert(options.end(), further.begin(), further.end());
    return options;
  }

  const std::string others_ = Write("others.txt", "S0\nS2\n");
};

TEST_P(LackingSexTest, TheyAreMissingAndOthersAsWithoutThem) {
  for (const std::string dosage : {"haploid", "diploid"}) {
    const auto options = With(Files(), {"--male-dosage", dosage});
    const auto all = VcfLines(ImputedText(options)).records;
    const auto others = VcfLines(ImputedText(With(options, {"--samples", others_}))).records;
    ASSERT_EQ(all.size(), 120u);
    ASSERT_EQ(others.size(), all.size());
    for (size_t r = 0; r < all.size(); ++r) {
      EXPECT_EQ(all[r][kInfo], others[r][kInfo]);
      EXPECT_EQ(all[r][kFirstSample], others[r][kFirstSample]);
      EXPECT_EQ(all[r][kFirstSample + 2], others[r][kFirstSample + 1]);
      EXPECT_EQ(Field(all[r], kLacking, "GT"), dosage == "haploid" ? "." : ".|.");
      EXPECT_EQ(Field(all[r], kLacking, "DS"), ".");
    }
  }
}

TEST_P(LackingSexTest, BgenMarksThemAsMissing) {
  const std::vector<std::string> files = Files();
  const ProgramResult result = Impute({files[0], files[1], files[2], files[3], "--out", out_ / "y.bgen"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const ProgramResult read = RunProgram({"phase", "--ref", files[1], "--target", out_ / "y.bgen", "--out", "-"});
  ASSERT_EQ(read.exit_code, 0) << read.err;
  for (const auto& record : VcfLines(read.out).records) EXPECT_EQ(Field(record, kLacking, "GT"), ".");
}

TEST_P(LackingSexTest, BatchesOfBothSexesAreWhatOneRunGives) {
  const VcfLines whole(ImputedText(Files()));
  const auto batch = [&](const std::string& file, const std::string& names) {
    const std::string path = out_ / file;
    const ProgramResult result = Impute(With(Files(), {"--samples", Write("names.txt", names), "--out", path}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return path;
  };
  const ProgramResult result =
      RunProgram({"merge", "--out", "-", batch("a.bcf", "S0\nS1\n"), batch("b.vcf.gz", "S2\n")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const VcfLines merged(result.out);
  ASSERT_EQ(merged.records.size(), whole.records.size());
  for (size_t r = 0; r < whole.records.size(); ++r) {
    for (const char* key : {"AF", "DR2"}) {
      const double expected = InfoNumber(whole.records[r][kInfo], key);
      if (std::isnan(expected)) continue;
      EXPECT_NEAR(InfoNumber(merged.records[r][kInfo], key), expected, 2e-3) << key;
    }
    for (size_t s = 0; s < 3; ++s) {
      for (const char* field : {"GT", "DS"}) {
        EXPECT_EQ(Field(merged.records[r], s, field), Field(whole.records[r], s, field)) << r << field;
      }
    }
  }
}

TEST_P(LackingSexTest, PhaseAndCheckDoNotCountThem) {
  const std::vector<std::string> files = Files();
  const ProgramResult phased =
      RunProgram({"phase", "--ref", files[1], "--target", files[3], "--out", out_ / "phased.vcf"});
  ASSERT_EQ(phased.exit_code, 0) << phased.err;
  for (const auto& record : VcfLines(ReadFile(out_ / "phased.vcf")).records)
    EXPECT_EQ(Field(record, kLacking, "GT"), ".");
  const ProgramResult check = RunProgram({"check", "--ref", files[1], "--target", files[3]});
  EXPECT_THAT(check.out, HasSubstr("0 diploid, 2 haploid, 0 of both, 1 without the contig"));
  EXPECT_THAT(check.out, testing::Not(HasSubstr("missing genotypes")));
}

TEST_P(LackingSexTest, WhoTheyAreIsSaid) {
  const ProgramResult result = Impute(Files());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string sex = GetParam() == std::string("W") ? "males" : "females";
  EXPECT_THAT(result.err, HasSubstr(fmt::format("1 sample without genotypes on chr{}, as {}:", GetParam(), sex)));
}

class FemaleCallsTest : public ImputeFiles {};

// Probes that also bind X call a few genotypes of females, who are known by --sex.
TEST_F(FemaleCallsTest, CallsOfFemalesOnYAreLeftOut) {
  const std::string panel = Write("p.vcf", Haploid(PanelVcf("Y"), [](size_t, int64_t) { return false; }));
  const std::string sexes = Write("s.fam", "f S0 0 0 1 -9\nf S1 0 0 2 -9\nf S2 0 0 1 -9\n");
  const auto study = [&](const std::string& name, int64_t every) {
    return Write(name, Haploid(StudyVcf("Y"), [every](size_t sample, int64_t position) {
                   return sample == kLacking && (every == 0 || position / 20000 % every != 0);
                 }));
  };
  const std::string clean = study("clean.vcf", 0), noisy = study("noisy.vcf", 3);
  const auto impute = [&](const std::string& target) {
    return Impute({"--ref", panel, "--target", target, "--sex", sexes});
  };
  EXPECT_THAT(impute(clean).err, testing::Not(HasSubstr("of females on Y")));
  const auto expected = VcfLines(ReadFile(imputed_path_)).records;
  const ProgramResult result = impute(noisy);
  EXPECT_THAT(result.err, testing::AllOf(HasSubstr("of females on Y are left out"),
                                         HasSubstr("1 sample without genotypes on chrY, as females")));
  EXPECT_EQ(VcfLines(ReadFile(imputed_path_)).records, expected);
  EXPECT_THAT(RunProgram({"check", "--ref", panel, "--target", noisy, "--sex", sexes}).out,
              HasSubstr("genotypes of females on Y"));
}

TEST_F(FemaleCallsTest, WithoutAPanelOneMaleIsWrittenAsHeIs) {
  const auto is_missing = [](int64_t position) { return position / 20000 % 3 == 0; };
  for (const std::string command : {"phase", "impute"}) {
    const auto run = [&](bool has_missing) {
      const auto is_absent = [&](size_t sample, int64_t position) {
        return sample != 0 || (has_missing && is_missing(position));
      };
      return RunProgram(
          {command, "--target", Write("s.vcf", Haploid(StudyVcf("Y"), is_absent)), "--out", out_ / "p.vcf"});
    };
    EXPECT_THAT(run(false).err, testing::Not(HasSubstr("alone has")));
    const ProgramResult result = run(true);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err,
                testing::AllOf(HasSubstr("S0 alone has contig Y"), HasSubstr("31 markers written as they are"),
                               HasSubstr("give a panel (--ref)"), testing::Not(HasSubstr("nothing to impute"))));
    const auto given = VcfLines(StudyVcf("Y").text()).records, written = VcfLines(ReadFile(out_ / "p.vcf")).records;
    ASSERT_EQ(written.size(), given.size());
    for (size_t r = 0; r < given.size(); ++r) {
      const bool is_absent = is_missing(std::stol(given[r][kPos]));
      EXPECT_EQ(Field(written[r], 0, "GT"), is_absent ? "." : Field(given[r], 0, "GT").substr(0, 1));
      EXPECT_EQ(Field(written[r], 1, "GT"), ".");
    }
  }
}

// A study of women, a few of whose genotypes are called on Y all the same.
TEST_F(FemaleCallsTest, WomenAloneAreMissingOnY) {
  const std::string panel = Write("p.vcf", Haploid(PanelVcf("Y"), [](size_t, int64_t) { return false; }));
  const std::string sexes = Write("s.fam", "f S0 0 0 2 -9\nf S1 0 0 2 -9\nf S2 0 0 2 -9\n");
  const std::string study = Write("s.vcf", Haploid(StudyVcf("Y"), [](size_t sample, int64_t position) {
                                    return sample != 1 || position / 20000 % 3 != 0;
                                  }));
  const auto expect_missing = [&](const ProgramResult& result, const std::string& path, size_t markers) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err,
                testing::AllOf(HasSubstr("warning: " + study + ": all samples are females, who have no chrY"),
                               testing::Not(HasSubstr("the panel's frequencies"))));
    const auto records = VcfLines(ReadFile(path)).records;
    EXPECT_EQ(records.size(), markers);
    for (const auto& record : records) {
      for (size_t s = 0; s < 3; ++s) EXPECT_EQ(Field(record, s, "GT"), ".");
    }
  };
  expect_missing(
      Impute({"--ref", panel, "--target", study, "--sex", sexes, "--format", "GP,HDS,AP", "--empirical-dosages"}),
      imputed_path_, 120);
  const std::string out = out_ / "o.vcf";
  expect_missing(RunProgram({"phase", "--ref", panel, "--target", study, "--sex", sexes, "--out", out}), out, 31);
  for (const std::string command : {"phase", "impute"}) {
    expect_missing(RunProgram({command, "--target", study, "--sex", sexes, "--out", out}), out, 31);
  }
  const ProgramResult bgen = Impute({"--ref", panel, "--target", study, "--sex", sexes, "--out", out_ / "women.bgen"});
  EXPECT_EQ(bgen.exit_code, 0) << bgen.err;
  EXPECT_THAT(RunProgram({"check", "--ref", panel, "--target", study, "--sex", sexes}).out,
              HasSubstr("3 without the contig"));
}

INSTANTIATE_TEST_SUITE_P(Contigs, LackingSexTest, testing::Values("Y", "W"));

}  // namespace
}  // namespace haplospin
