// The default weights on test-data/, as in the first run of the README.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/paths.h"
#include "cli/run_program.h"
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

}  // namespace
}  // namespace haplospin
