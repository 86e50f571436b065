// check, evaluate, panel build and panel adapt with "{contig}" in the names of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/impute_files.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ContigNamesTest : public ImputeFiles {
 protected:
  ContigNamesTest() {
    for (const std::string contig : {"chr20", "chr21"}) {
      Write("panel." + contig + ".vcf", PanelVcf(contig).text());
      Write("study." + contig + ".vcf", StudyVcf(contig).text());
    }
    Write("study.vcf", StudyVcf("20").text());
  }

  void ExpectFiles(std::vector<std::string> names) const {
    std::vector<std::string> found;
    for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(out_ / "x").parent_path())) {
      found.push_back(file.path().filename());
    }
    EXPECT_THAT(found, testing::UnorderedElementsAreArray(names));
  }
};

TEST_F(ContigNamesTest, APanelFileForEachContig) {
  const ProgramResult built =
      RunProgram({"panel", "build", "--panel", in_ / "panel.{contig}.vcf", "--out", out_ / "built.chr{contig}.hsp"});
  ASSERT_EQ(built.exit_code, 0) << built.err;
  ExpectFiles({"built.chr20.hsp", "built.chr21.hsp"});
  EXPECT_THAT(RunProgram({"panel", "info", "--panel", out_ / "built.chr21.hsp"}).out,
              AllOf(HasSubstr("chr21"), testing::Not(HasSubstr("chr20"))));
  const ProgramResult adapted =
      RunProgram({"panel", "adapt", "--panel", out_ / "built.chr{contig}.hsp", "--sites", in_ / "study.{contig}.vcf",
                  "--model", weights_path_, "--device", "cpu", "--out", out_ / "adapted.{contig}.hsp"});
  ASSERT_EQ(adapted.exit_code, 0) << adapted.err;
  ExpectFiles({"built.chr20.hsp", "built.chr21.hsp", "adapted.20.hsp", "adapted.21.hsp"});
}

TEST_F(ContigNamesTest, ACheckOfEachContigOfBoth) {
  const ProgramResult result =
      RunProgram({"check", "--ref", in_ / "panel.{contig}.vcf", "--target", study_path_, "--json",
                  out_ / "check.{contig}.json", "--fix", out_ / "fixed.chr{contig}.vcf"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  ExpectFiles({"check.chr20.json", "fixed.chr20.vcf"});  // the study has no other contig
  EXPECT_EQ(RunProgram({"check", "--ref", in_ / "panel.{contig}.vcf", "--target", in_ / "study.{contig}.vcf", "--json",
                        out_ / "both.{contig}.json"})
                .exit_code,
            0);
  ExpectFiles({"check.chr20.json", "fixed.chr20.vcf", "both.chr20.json", "both.chr21.json"});
}

// The accuracy of all contigs together is that of one file with all of them.
TEST_F(ContigNamesTest, AnEvaluationOfAllContigs) {
  for (const std::string kind : {"panel", "study"}) {
    ASSERT_EQ(RunProgram({"concat", "--out", in_ / (kind + ".all.vcf"), in_ / (kind + ".chr20.vcf"),
                          in_ / (kind + ".chr21.vcf")})
                  .exit_code,
              0);
  }
  const auto evaluate = [&](const std::string& truth, const std::string& imputed, const std::string& reference,
                            const std::string& target) {
    std::vector<std::string> arguments{
        "evaluate", "--phase", "--truth", in_ / truth, "--imputed", "x=" + (in_ / imputed), "--tsv", "-"};
    if (!reference.empty()) arguments.insert(arguments.end(), {"--ref", in_ / reference});
    if (!target.empty()) arguments.insert(arguments.end(), {"--target", in_ / target});
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  const std::string expected = evaluate("study.all.vcf", "study.all.vcf", "panel.all.vcf", "");
  EXPECT_NE(expected, evaluate("study.chr20.vcf", "study.chr20.vcf", "panel.chr20.vcf", ""));
  const std::string by_contig = "study.chr{contig}.vcf", panels = "panel.chr{contig}.vcf";
  EXPECT_EQ(evaluate(by_contig, by_contig, panels, ""), expected);
  EXPECT_EQ(evaluate("study.all.vcf", by_contig, "panel.all.vcf", ""), expected);
  EXPECT_EQ(evaluate(by_contig, "study.all.vcf", panels, ""), expected);
  EXPECT_EQ(evaluate(by_contig, by_contig, "", "study.chr21.vcf"),
            evaluate("study.all.vcf", "study.all.vcf", "", "study.chr21.vcf"));
}

TEST_F(ContigNamesTest, NamesThatDoNotFitAreErrors) {
  const auto error = [&](const std::vector<std::string>& arguments) {
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(out_.NumFiles(), 0u);
    return result.err;
  };
  EXPECT_THAT(error({"panel", "build", "--panel", in_ / "panel.{contig}.vcf", "--out", out_ / "all.hsp"}),
              HasSubstr("there is one for each contig; give a name with {contig}"));
  EXPECT_THAT(error({"panel", "build", "--panel", panel_path_, "--out", out_ / "p.{contig}.hsp"}),
              HasSubstr("{contig} stands for the contig of an input with it; there is none"));
  EXPECT_THAT(error({"panel", "build", "--panel", in_ / "none.{contig}.vcf", "--out", out_ / "p.{contig}.hsp"}),
              HasSubstr("no file has such a name"));
  Write("map.chr20.txt", "20 . 0 1\n");
  EXPECT_THAT(error({"panel", "build", "--panel", panel_path_, "--correct-phase", "--map", in_ / "map.chr{contig}.txt",
                     "--out", out_ / "p.{contig}.hsp"}),
              HasSubstr("is of each contig, but --panel"));
  EXPECT_THAT(
      error({"check", "--ref", in_ / "panel.{contig}.vcf", "--target", study_path_, "--pedigree-out", out_ / "p.fam"}),
      HasSubstr("--pedigree-out is for all contigs"));
}

}  // namespace
}  // namespace haplospin
