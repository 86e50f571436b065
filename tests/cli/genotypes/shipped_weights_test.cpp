// The default weights on test-data/, as in the first run of the README.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/paths.h"
#include "cli/run_program.h"
#include "core/file_contents.h"
#include "core/safetensors.h"
#include "core/temporary_folder.h"
#include "genotypes/imputation/models/network/imputer_weights.h"
#include "genotypes/imputation/models/network/network_fixtures.h"

namespace haplospin {
namespace {

const std::string kTestData = TestDataFolder();

// Accuracy of a bin, "all" sites or those of ">=0.01", of test-data imputed with further options.
nlohmann::json Accuracy(const std::vector<std::string>& options, const std::string& group) {
  const TemporaryFolder folder;
  std::vector<std::string> impute{"impute",
                                  "--ref",
                                  kTestData + "/panel.bcf",
                                  "--target",
                                  kTestData + "/study.vcf.gz",
                                  "--map",
                                  kTestData + "/map.txt",
                                  "--quiet",
                                  "--out",
                                  folder / "imputed.bcf"};
  impute.insert(impute.end(), options.begin(), options.end());
  const ProgramResult imputed = RunProgram(impute);
  EXPECT_EQ(imputed.exit_code, 0) << imputed.err;
  const ProgramResult result =
      RunProgram({"evaluate", "--quiet", "--truth", kTestData + "/truth.bcf", "--imputed", folder / "imputed.bcf",
                  "--ref", kTestData + "/panel.bcf", "--target", kTestData + "/study.vcf.gz", "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json json = nlohmann::json::parse(result.out);
  for (const auto& found : json["imputed"][0]["groups"]) {
    if (found["group"] == group) return found;
  }
  ADD_FAILURE() << "no group " << group;
  return {};
}

TEST(ShippedWeights, AreBetterThanTheCopyingModelAlone) {
  const TemporaryFolder folder;
  WriteSafetensors(folder / "copying.safetensors", ToSafetensors(LiStephensWeights()));
  const double copying = Accuracy({"--model", folder / "copying.safetensors"}, "all")["mse"].get<double>();
  const double shipped = Accuracy({}, "all")["mse"].get<double>();
  EXPECT_GT(shipped, 0);
  EXPECT_LT(shipped, 0.97 * copying);
}

TEST(ShippedWeights, SayHowAccurateTheyAre) {
  EXPECT_NEAR(Accuracy({}, ">=0.01")["dr2_mean_error"].get<double>(), 0, 0.03);
}

// The study of test-data in parts as WhatsHap and array callers leave it: some samples in phase sets, others unphased,
// and some genotypes half missing.
std::string PartlyPhased(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) {
      if (line.starts_with("#CHROM")) result += "##FORMAT=<ID=PS,Number=1,Type=Integer,Description=\"Phase set\">\n";
      result += line + "\n";
      continue;
    }
    std::vector<std::string> fields;
    std::istringstream columns(line);
    for (std::string field; std::getline(columns, field, '\t');) fields.push_back(field);
    fields[8] = "GT:PS";
    const std::string set = std::to_string(1 + number / 100);
    for (size_t s = 9; s < fields.size(); ++s) {
      const size_t draw = (7919 * number + 104729 * s) % 101;
      std::string& genotype = fields[s];
      if (draw < 15) genotype[draw % 2 == 0 ? 0 : 2] = '.';
      const bool is_phased = draw % 4 != 0;
      genotype[1] = is_phased ? '|' : '/';
      genotype += is_phased ? ":" + set : ":.";
    }
    for (size_t i = 0; i < fields.size(); ++i) result += (i == 0 ? "" : "\t") + fields[i];
    result += '\n';
    ++number;
  }
  return result;
}

TEST(ShippedWeights, HalfMissingGenotypesInPhaseSetsAreTheSameOnAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const ProgramResult copied = RunProgram({"check", "--ref", kTestData + "/panel.bcf", "--target",
                                           kTestData + "/study.vcf.gz", "--fix", folder / "copy.vcf"});
  ASSERT_EQ(copied.exit_code, 0) << copied.err;
  std::ofstream(folder / "study.vcf") << PartlyPhased(Contents(folder / "copy.vcf"));
  const auto records = [&](const char* threads) {
    const ProgramResult result =
        RunProgram({"impute", "--ref", kTestData + "/panel.bcf", "--target", folder / "study.vcf", "--map",
                    kTestData + "/map.txt", "--region", "chr20:12000000-13000000", "--threads", threads, "--out", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out.substr(result.out.find("#CHROM"));
  };
  const std::string one = records("1");
  EXPECT_EQ(records("2"), one);
  EXPECT_EQ(records("3"), one);
}

}  // namespace
}  // namespace haplospin
