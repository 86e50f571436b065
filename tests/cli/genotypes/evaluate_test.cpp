// haplospin evaluate, as a user runs it, on the small files in golden/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/golden.h"
#include "cli/run_program.h"
#include "core/file_contents.h"
#include "core/temporary_folder.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

ProgramResult Evaluate(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "evaluate");
  return RunProgram(arguments);
}

std::vector<std::string> With(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

class EvaluateCommandTest : public testing::Test {
 protected:
  // Expects exit code 2, one line that contains `message`, and no output.
  void ExpectUserError(const std::vector<std::string>& arguments, const std::string& message) {
    ExpectRefused(Evaluate(With(arguments, {"--tsv", folder_ / "out.tsv", "--json", folder_ / "out.json"})), {message});
    EXPECT_EQ(folder_.NumFiles(), num_files_) << message;
  }

  std::string WriteVcf(const std::string& name, const std::string& samples, const std::string& records) {
    std::ofstream(folder_ / name) << "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t"
                                  << samples << "\n"
                                  << records;
    ++num_files_;
    return folder_ / name;
  }

  const GoldenFolder golden_;
  TemporaryFolder folder_;
  size_t num_files_ = 0;
  const std::vector<std::string> one_{"--truth", "truth.vcf",     "--imputed", "first.vcf",
                                      "--ref",   "reference.vcf", "--target",  "study.vcf"};
  const std::vector<std::string> two_ = With(one_, {"--imputed", "gp=second.vcf"});
};

// bcftools merge without -0 leaves these genotypes missing.
TEST_F(EvaluateCommandTest, ATruthWithoutGenotypesOfRefIsSaid) {
  const auto evaluate = [&](const std::string& ref) {
    std::string truth, imputed;
    for (int m = 0; m < 300; ++m) {
      const std::string site = "20\t" + std::to_string(100 * m + 100) + "\t.\tA\tC\t.\t.\t.\tGT\t";
      truth += site + (m % 2 == 0 ? "0/1\t" + ref + "\t1/1\n" : ref + "\t0/1\t0/1\n");
      imputed += site + (m % 2 == 0 ? "0/1\t0/0\t1/1\n" : "0/0\t0/1\t0/1\n");
    }
    return Evaluate(
        {"--truth", WriteVcf("t.vcf", "A\tB\tC", truth), "--imputed", WriteVcf("i.vcf", "A\tB\tC", imputed)});
  };
  const ProgramResult result = evaluate("./.");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, testing::AllOf(HasSubstr("t.vcf: no genotype is 0/0"), HasSubstr("bcftools merge -0")));
  EXPECT_THAT(evaluate("0/0").err, testing::Not(HasSubstr("no genotype is 0/0")));
}

// The sections are those of two files, with the numbers of --json.
TEST_F(EvaluateCommandTest, SectionsForMultiqc) {
  const ProgramResult result = Evaluate(With(two_, {"--json", "-", "--multiqc", folder_ / "chr20"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  const auto section = [&](const std::string& kind) {
    return nlohmann::json::parse(Contents(folder_ / ("chr20." + kind + "_mqc.json")));
  };
  const auto accuracy = section("accuracy"), r2 = section("r2"), dr2 = section("dr2");
  EXPECT_EQ(accuracy["plot_type"], "table");
  EXPECT_EQ(r2["plot_type"], "linegraph");
  for (const auto& file : json["imputed"]) {
    const std::string name = file["name"];
    const auto& row = accuracy["data"][name];
    for (const auto& [column, value] : row.items()) EXPECT_TRUE(accuracy["headers"].contains(column)) << column;
    EXPECT_EQ(row["samples"], json["samples"]);
    const auto& all = file["groups"].back();
    EXPECT_EQ(row["r2"], all["r2"]);
    size_t points = 0;
    for (const auto& group : file["groups"]) {
      const bool is_bin = std::string(group["group"]).starts_with("(");
      if (is_bin && !group["r2"].is_null()) ++points;
    }
    EXPECT_EQ(r2["data"][name].size(), points);
  }
  EXPECT_TRUE(dr2["data"].contains("first"));
}

TEST_F(EvaluateCommandTest, OneFile) {
  const ProgramResult result = Evaluate(one_);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  ExpectGolden(result.out, "evaluate_one.txt");
}

TEST_F(EvaluateCommandTest, TwoFiles) {
  const ProgramResult result = Evaluate(two_);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  ExpectGolden(result.out, "evaluate_two.txt");
}

TEST_F(EvaluateCommandTest, FilesAreWrittenBesideTheTable) {
  const ProgramResult result = Evaluate(With(two_, {"--tsv", folder_ / "groups.tsv", "--per-sample",
                                                    folder_ / "samples.tsv", "--json", folder_ / "all.json"}));
  EXPECT_EQ(result.exit_code, 0);
  ExpectGolden(result.out, "evaluate_two.txt");
  ExpectGolden(Contents(folder_ / "groups.tsv"), "evaluate_two.tsv");
  ExpectGolden(Contents(folder_ / "samples.tsv"), "evaluate_two.samples.tsv");
  ExpectGolden(Contents(folder_ / "all.json"), "evaluate_two.json");
  EXPECT_EQ(folder_.NumFiles(), 3u);
}

TEST_F(EvaluateCommandTest, EverySiteAndOwnBins) {
  const ProgramResult result =
      Evaluate(With(one_, {"--per-site", folder_ / "sites.tsv", "--bins", "0.1,0.3", "--tsv", "-"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  // The rows of all measures over all sites, and of the bins that --bins adds.
  const auto lines = [](const std::string& text) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      std::istringstream cells(line);
      rows.emplace_back();
      for (std::string cell; std::getline(cells, cell, '\t');) rows.back().push_back(cell);
    }
    return rows;
  };
  const auto groups = lines(result.out), sites = lines(Contents(folder_ / "sites.tsv"));
  ASSERT_EQ(groups.size(), 1u + 14 + 3);
  EXPECT_EQ(groups[15][1], "(0,0.1]");
  EXPECT_EQ(groups[17][1], "(0.3,0.5]");
  size_t in_bins = 0;
  for (size_t g = 15; g < groups.size(); ++g) in_bins += std::stoul(groups[g][4]);
  EXPECT_EQ(std::to_string(in_bins), groups[14][4]);
  EXPECT_EQ(sites.size() - 1, in_bins);
  EXPECT_THAT(sites[0], testing::ElementsAre("imputed", "contig", "position", "id", "ref", "alt", "maf", "genotypes",
                                             "r2", "mse", "dr2"));
  double sum = 0, varying = 0;
  for (size_t s = 1; s < sites.size(); ++s) {
    if (sites[s][8] == "NA") continue;
    sum += std::stod(sites[s][8]);
    ++varying;
  }
  EXPECT_NEAR(sum / varying, std::stod(groups[14][9]), 1e-5);
  num_files_ = 1;
  ExpectUserError(With(one_, {"--bins", "0.3,0.1"}), "--bins 0.3,0.1: expected minor-allele frequencies");
}

TEST_F(EvaluateCommandTest, StandardOutputReplacesTheTable) {
  ExpectGolden(Evaluate(With(two_, {"--tsv", "-"})).out, "evaluate_two.tsv");
  ExpectGolden(Evaluate(With(two_, {"--per-sample", "-"})).out, "evaluate_two.samples.tsv");
  ExpectGolden(Evaluate(With(two_, {"--json", "-"})).out, "evaluate_two.json");
}

TEST_F(EvaluateCommandTest, TheReportIsAPageOfItsOwn) {
  std::ofstream(folder_ / "populations.tsv") << "S1\tP\nS2\tP\nS3\tP\nS4\tP\nS5\t<Q>\nS6\tP\nS7\tP\nS8\tP\n";
  const ProgramResult result = Evaluate(
      With(two_, {"--report", folder_ / "out.html", "--populations", folder_ / "populations.tsv", "--json", "-"}));
  EXPECT_EQ(result.exit_code, 0);
  const std::string html = Contents(folder_ / "out.html");
  for (const char* section :
       {"Accuracy by allele frequency", "Calibration", "Accuracy along the chromosome", "Populations", "Samples"}) {
    EXPECT_THAT(html, HasSubstr(std::string("<h2>") + section + "</h2>"));
  }
  EXPECT_THAT(html,
              testing::AllOf(HasSubstr(">first</text>"), HasSubstr(">gp</text>"), HasSubstr("&lt;Q&gt;"),
                             HasSubstr("Genotype probability (GP)"), HasSubstr("contig 20"),
                             HasSubstr("Dosage of the minor allele, MAF 0 - 0.5 %"), HasSubstr("GP, MAF 5 - 50 %"),
                             HasSubstr("first: error of DS, %"), testing::EndsWith("</body></html>\n")));
  EXPECT_THAT(html, testing::AllOf(testing::Not(HasSubstr("http")), testing::Not(HasSubstr("<script")),
                                   testing::Not(HasSubstr("nan"))));
  const auto json = nlohmann::json::parse(result.out);
  const auto& populations = json["imputed"][0]["per_population"];
  ASSERT_EQ(populations.size(), 2u);
  EXPECT_EQ(populations[0]["samples"], 7);
  EXPECT_EQ(populations[1]["population"], "<Q>");
  EXPECT_EQ(populations[1]["r2"], json["imputed"][0]["per_sample"][4]["r2"]);
}

TEST_F(EvaluateCommandTest, TheReportNamesTheModels) {
  std::string text = Contents("first.vcf");
  text.insert(text.find('\n') + 1, "##source=haplospin 1\n##haplospin_model=sha256:ab\n##haplospin_model_file=m\n");
  std::ofstream(folder_ / "with-model.vcf") << text;
  EXPECT_EQ(Evaluate(With(two_, {"--imputed", folder_ / "with-model.vcf", "--report", folder_ / "out.html"})).exit_code,
            0);
  EXPECT_THAT(Contents(folder_ / "out.html"), HasSubstr("<br>Model: with-model: haplospin 1, m, sha256:ab</p>"));
}

TEST_F(EvaluateCommandTest, PopulationsAreShownBelowTheTable) {
  const ProgramResult result = Evaluate(With(one_, {"--populations", "populations.txt"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, testing::ContainsRegex("population  samples +r2\nP +7 +0\\.[0-9]+\nQ +1 +0\\.[0-9]+\n"));
}

// The output of an independent implementation for these files.
TEST_F(EvaluateCommandTest, AgreesWithTheIndependentScorer) {
  const auto json = nlohmann::json::parse(Evaluate(With(two_, {"--json", "-"})).out);
  const auto& first = json["imputed"][0]["groups"];
  const auto& second = json["imputed"][1]["groups"];
  const auto group = [](const auto& groups, const std::string& name) {
    for (const auto& entry : groups) {
      if (entry["group"] == name) return entry;
    }
    return groups.back();
  };
  EXPECT_EQ(group(first, "(0.02,0.05]")["sites"], 5);
  EXPECT_NEAR(group(first, "(0.02,0.05]")["r2"], 0.5719, 1e-4);
  EXPECT_NEAR(group(first, "(0.1,0.2]")["r2"], 0.8696, 1e-4);
  EXPECT_NEAR(group(first, "(0.2,0.5]")["r2"], 0.9193, 1e-4);
  EXPECT_NEAR(group(second, "(0.02,0.05]")["r2"], 0.1110, 1e-4);
  EXPECT_NEAR(group(second, "(0.1,0.2]")["r2"], 0.1191, 1e-4);
  EXPECT_NEAR(group(second, "(0.2,0.5]")["r2"], 0.0304, 1e-4);
  EXPECT_NEAR(group(first, ">=0.005")["mean_site_r2"], 0.7987, 1e-4);
  EXPECT_NEAR(group(first, ">=0.05")["mean_site_r2"], 0.7987, 1e-4);
  EXPECT_NEAR(group(first, "all")["mse"], 0.04454, 1e-4);
  EXPECT_NEAR(group(second, ">=0.005")["mean_site_r2"], 0.3308, 1e-4);
  EXPECT_NEAR(group(second, ">=0.05")["mean_site_r2"], 0.3308, 1e-4);
  EXPECT_NEAR(group(second, "all")["mse"], 0.5582, 1e-4);
  const auto& relative = json["imputed"][1]["mse_relative_to_first"];
  EXPECT_NEAR(relative["ratio"], 0.5582 / 0.04454, 0.01);
  EXPECT_LT(relative["low"], relative["ratio"]);
  EXPECT_LT(relative["ratio"], relative["high"]);
  EXPECT_FALSE(json["imputed"][0].contains("mse_relative_to_first"));
  EXPECT_EQ(group(first, "all")["missing_sites"], 0);
  EXPECT_EQ(group(second, "all")["missing_sites"], 1);
}

// As in files that two programs have written, of which one gives no DS.
TEST_F(EvaluateCommandTest, TheGenotypeIsTheDosageWhereDsIsMissing) {
  std::string truth, merged;
  for (const std::string position : {"10", "20", "30"}) {
    const std::string site = "20\t" + position + "\t.\tA\tC\t.\t.\t.\t";
    truth += site + "GT\t0|1\t0|0\t1|1\n";
    merged += site + "GT:DS\t0|1:.\t0|0:.\t1|1:1.5\n";
  }
  const auto result = Evaluate({"--truth", WriteVcf("truth.vcf", "A\tB\tC", truth), "--imputed",
                                WriteVcf("merged.vcf", "A\tB\tC", merged), "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto all = nlohmann::json::parse(result.out)["imputed"][0]["groups"].back();
  EXPECT_NEAR(all["mse"], 0.5 * 0.5 / 3, 1e-6);
}

TEST_F(EvaluateCommandTest, WithoutGenotypesTheIqsIsThatOfRoundedDosages) {
  std::string truth, dosages;
  for (const std::string position : {"10", "20", "30"}) {
    const std::string site = "20\t" + position + "\t.\tA\tC\t.\t.\t.\t";
    truth += site + "GT\t0|1\t0|0\t1|1\n";
    dosages += site + "DS\t0.9\t0.1\t1.5\n";
  }
  const std::vector<std::string> files{"--truth", WriteVcf("truth.vcf", "A\tB\tC", truth), "--imputed",
                                       WriteVcf("dosages.vcf", "A\tB\tC", dosages)};
  const auto result = Evaluate(files);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("IQS: from rounded dosages;"));
  EXPECT_EQ(nlohmann::json::parse(Evaluate(With(files, {"--json", "-"})).out)["imputed"][0]["iqs_from"], "DS");
}

TEST_F(EvaluateCommandTest, SaysHowManyRecordsHaveNoAlt) {
  const std::string site = "20\t10\t.\tA\tC\t.\t.\t.\tGT\t0|1\n", block = "20\t20\t.\tA\t<NON_REF>\t.\t.\t.\tGT\t0/0\n";
  const auto result =
      Evaluate({"--truth", WriteVcf("g.vcf", "A", site + block), "--imputed", WriteVcf("imputed.vcf", "A", site)});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("g.vcf: 1 record without ALT"));
}

TEST_F(EvaluateCommandTest, TheThreadsDoNotMatter) {
  const std::string one = Evaluate(With(two_, {"--json", "-", "--threads", "1"})).out;
  EXPECT_EQ(Evaluate(With(two_, {"--json", "-", "--threads", "4"})).out, one);
}

TEST_F(EvaluateCommandTest, OptionsAreCheckedFirst) {
  ExpectUserError({"--imputed", "first.vcf"}, "evaluate: --truth is missing");
  ExpectUserError({"--truth", "truth.vcf"}, "evaluate: --imputed is missing");
  ExpectUserError(With(one_, {"--imputed", "./first.vcf"}), "--imputed has two files named first; name them as in");
  ExpectRefused(Evaluate(With(one_, {"--tsv", "-", "--json", "-"})),
                {"two of --report, --tsv, --json, --per-sample and --per-site are '-'; give them different"});
  ExpectUserError(With(one_, {"--report", folder_ / "out", "--per-sample", folder_ / "./out"}),
                  "are '" + (folder_ / "./out'"));
}

TEST_F(EvaluateCommandTest, FilesThatCannotBeReadAreNamed) {
  ExpectUserError(With(one_, {"--populations", "absent.txt", "--report", folder_ / "out.html"}),
                  "absent.txt: cannot open");
  ExpectUserError(With(one_, {"--populations", "truth.vcf"}), "truth.vcf: line 1: expected a sample and its");
  for (const char* option : {"--truth", "--imputed", "--ref", "--target"}) {
    std::vector<std::string> arguments = one_;
    *(std::ranges::find(arguments, option) + 1) = "absent.vcf";
    ExpectUserError(arguments, "absent.vcf: cannot open: No such file or directory");
    *(std::ranges::find(arguments, option) + 1) = "array.txt";
    ExpectUserError(arguments, "array.txt: not a VCF or BCF file");
  }
}

TEST_F(EvaluateCommandTest, FilesThatDoNotFitAreNamed) {
  const std::string record = "20\t1000\t.\tA\tC\t.\t.\t.\t";
  const std::string truth = WriteVcf("truth.vcf", "a\tb", record + "GT\t0|1\t0|0\n");
  ExpectUserError(
      {"--truth", truth, "--imputed", "first.vcf"},
      "first.vcf: has none of the 2 samples to score (a, b), but S1, S2, S3 and 5 more; name the samples as");
  const std::string elsewhere = WriteVcf("elsewhere.vcf", "a\tb", "20\t7\t.\tA\tC\t.\t.\t.\tGT\t0|1\t0|0\n");
  ExpectUserError({"--truth", truth, "--imputed", elsewhere}, "has 1 marker, but none is among the 1 site to score");
  ExpectUserError({"--truth", truth, "--imputed", truth, "--target", truth},
                  "no site is left to score: 0 sites are not in the reference, 1 are typed in the target");
  ExpectUserError({"--truth", truth, "--imputed", truth, "--target", elsewhere}, "none of its sites is in " + truth);
  const std::string damaged = WriteVcf("damaged.vcf", "a\tb", record + "DS\t0.5\t2.5\n");
  ExpectUserError({"--truth", truth, "--imputed", damaged}, "damaged.vcf: 20:1000: sample b has DS \"2.5\"");
  ExpectUserError({"--truth", damaged, "--imputed", truth}, "damaged.vcf: 20:1000: sample b has DS \"2.5\"");
  const std::string no_gt = WriteVcf("no_gt.vcf", "a\tb", record + "DS\t0.5\t1.5\n");
  ExpectUserError({"--truth", no_gt, "--imputed", truth}, "no_gt.vcf: 20:1000 has no GT");
  const std::string unphased = WriteVcf("unphased.vcf", "a\tb", record + "GT\t0/1\t0|0\n");
  ExpectUserError({"--truth", truth, "--imputed", truth, "--ref", unphased},
                  "unphased.vcf: 20:1000: sample a has the unphased");
  ExpectUserError({"--truth", "-", "--imputed", truth, "--phase"}, "-: is read twice");
}

// JSON is UTF-8, but VCF may have names in another encoding.
TEST_F(EvaluateCommandTest, NamesThatAreNotUtf8) {
  const std::string truth = WriteVcf("latin.vcf", "Ren\xe9", "20\t1000\t.\tA\tC\t.\t.\t.\tGT\t0|1\n");
  const ProgramResult result = Evaluate({"--truth", truth, "--imputed", truth, "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["imputed"][0]["per_sample"][0]["sample"], "Ren\xef\xbf\xbd");
}

TEST_F(EvaluateCommandTest, OutputsThatCannotBeWrittenAreNamed) {
  ExpectRefused(Evaluate(With(one_, {"--tsv", folder_ / "no/such/out.tsv"})), {"no/such/out.tsv"});
  EXPECT_EQ(folder_.NumFiles(), 0u);
}

TEST_F(EvaluateCommandTest, HelpHasAnExample) {
  const ProgramResult result = Evaluate({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("Example: haplospin evaluate --truth"));
}

}  // namespace
}  // namespace haplospin
