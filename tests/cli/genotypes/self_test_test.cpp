// How good each person's dosages are, as a user asks for it: `impute --self-test` and `--min-gp`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/impute_files.h"
#include "cli/run_program.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class SelfTestCommandTest : public ImputeFiles {
 protected:
  // Runs with --self-test, and returns the table.
  std::string TableOf(std::vector<std::string> options) const {
    options.insert(options.end(), {"--self-test", out_ / "table.tsv"});
    const ProgramResult result = Impute(options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("table.tsv: estimated r2 of the imputed dosages of 3 samples"));
    return ReadFile(out_ / "table.tsv");
  }
};

TEST_F(SelfTestCommandTest, TypedMarkersAreImputedAndCompared) {
  const VcfLines plain(ImputedText());
  const std::string table = TableOf({"--threads", "1"});
  const VcfLines tested(ImputedText({"--self-test", out_ / "table.tsv", "--threads", "2"}));
  EXPECT_TRUE(tested.records == plain.records);
  EXPECT_EQ(ReadFile(out_ / "table.tsv"), table);
  std::istringstream rows(table);
  std::string name, min_maf, max_maf, line;
  std::getline(rows, line);
  size_t count = 0;
  for (size_t imputed = 0, typed = 0; std::getline(rows, line); ++count) {
    std::istringstream row(line);
    std::string r2, typed_r2;
    row >> name >> min_maf >> max_maf >> imputed >> r2 >> typed >> typed_r2;
    if (max_maf != "0.5" || min_maf != "0") continue;
    EXPECT_EQ(typed, typed_.size()) << line;
    EXPECT_GT(imputed, 0u) << line;
    EXPECT_GT(std::stod(r2), 0) << line;
    EXPECT_LE(std::stod(r2), 1) << line;
  }
  EXPECT_EQ(count, 4 * study_.num_samples());
}

TEST_F(SelfTestCommandTest, ThePageHasWhatTheTableHas) {
  const ProgramResult result = Impute({"--self-test-html", out_ / "page.html"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("page.html: estimated r2 of the imputed dosages of 3 samples"));
  EXPECT_THAT(ReadFile(out_ / "page.html"), testing::AllOf(HasSubstr("r2 of each person, all markers"),
                                                           HasSubstr("errors at what is known"), HasSubstr("<td>S2")));
}

// The people are those of the panel, but nearly all genotypes of one of them are missing.
TEST_F(SelfTestCommandTest, PeopleFarFromTheOthersAreNamedInThePicture) {
  const auto hide = [](size_t sample, int64_t position, const std::string& genotype) {
    const bool is_missing = position / 20'000 % 20 != 0 && (sample == 4 || position / 20'000 % 3 == 0);
    return is_missing ? std::string(".|.") : genotype;
  };
  const std::string study = Write("missing.vcf", WithGenotypes(PanelVcf(), hide));
  const ProgramResult result = Impute({"--target", study, "--self-test-html", out_ / "page.html"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string& name = reference_.names[4];
  EXPECT_THAT(result.err, HasSubstr("1 sample is imputed far less accurately than the others (r2): " + name));
  EXPECT_THAT(ReadFile(out_ / "page.html"),
              testing::AllOf(HasSubstr("<li>" + name + ": r2 0."), HasSubstr(">" + name + "</text>"),
                             testing::Not(HasSubstr(">" + reference_.names[5] + "</text>"))));
}

// Without a panel, frequencies are those of the study, and missing genotypes are what is imputed.
TEST_F(SelfTestCommandTest, WithoutAPanel) {
  const auto hide = [](size_t sample, int64_t position, const std::string& genotype) {
    return (position / 20'000 + static_cast<int64_t>(sample)) % 5 == 0 ? std::string(".|.") : genotype;
  };
  const std::string study = Write("missing.vcf", WithGenotypes(PanelVcf(), hide));
  const ProgramResult result =
      RunProgram({"impute", "--target", study, "--out", out_ / "o.vcf", "--self-test", out_ / "table.tsv"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string table = ReadFile(out_ / "table.tsv");
  EXPECT_THAT(table, testing::ContainsRegex("\t0\t0.5\t[1-9][0-9]*\t[01]\\.[0-9]+\t0\t\\.\t\\.\t\\.\t0\t\\.\n"));
}

TEST_F(SelfTestCommandTest, WrongOptions) {
  ExpectUserError({"--self-test", out_ / "table.tsv", "--resume"},
                  {"--self-test and --resume cannot be given together"});
  ExpectUserError({"--self-test", out_ / "absent/table.tsv"}, {"absent"});
  ExpectUserError({"--self-test-html", out_ / "absent/page.html"}, {"absent"});
  ExpectUserError({"--self-test", imputed_path_}, {"--self-test", imputed_path_});
  ExpectUserError({"--min-gp", "1.4"}, {"--min-gp", "1.4"});
}

TEST_F(SelfTestCommandTest, UncertainGenotypesAreMissing) {
  const VcfLines all(ImputedText({"--format", "GP"})), certain(ImputedText({"--format", "GP", "--min-gp", "0.95"}));
  ASSERT_EQ(all.records.size(), certain.records.size());
  size_t missing = 0, called = 0;
  for (size_t k = 0; k < all.records.size(); ++k) {
    for (size_t s = 0; s < study_.num_samples(); ++s) {
      double largest = 0;
      std::istringstream gp(Field(all.records[k], s, "GP"));
      for (std::string p; std::getline(gp, p, ',');) largest = std::max(largest, std::stod(p));
      const std::string call = Field(certain.records[k], s, "GT");
      EXPECT_EQ(call, largest < 0.95 ? ".|." : Field(all.records[k], s, "GT"));
      EXPECT_EQ(Field(certain.records[k], s, "DS"), Field(all.records[k], s, "DS"));
      ++(call == ".|." ? missing : called);
    }
  }
  EXPECT_GT(missing, 0u);
  EXPECT_GT(called, 0u);
}

}  // namespace
}  // namespace haplospin
