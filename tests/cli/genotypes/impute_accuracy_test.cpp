// What haplospin impute says of the accuracy of its output, on test-data/.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/impute_files.h"
#include "cli/paths.h"
#include "cli/run_program.h"
#include "core/temporary_folder.h"

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kSimulated = TestDataFolder();

struct Dr2Sum {
  size_t markers = 0;
  double sum = 0;
  std::string Text() const { return fmt::format("mean DR2 {:.3f} of {} imputed", sum / double(markers), markers); }
};

// Of the imputed records whose allele frequency is between 1 and 99 %, as written.
Dr2Sum CommonMarkers(const VcfLines& vcf) {
  Dr2Sum result;
  for (const auto& record : vcf.records) {
    double dr2 = 0, frequency = 0;
    if (!record[kInfo].ends_with("IMP")) continue;
    std::istringstream fields(record[kInfo]);
    for (std::string field; std::getline(fields, field, ';');) {
      if (field.starts_with("AF=")) frequency = std::stod(field.substr(3));
      if (field.starts_with("DR2=")) dr2 = std::stod(field.substr(4));
    }
    if (frequency < 0.01 || frequency > 0.99) continue;
    ++result.markers;
    result.sum += dr2;
  }
  return result;
}

class ImputeAccuracyTest : public testing::Test {
 protected:
  ProgramResult Impute(const std::string& study, const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"impute",
                                          "--ref",
                                          kSimulated + "/panel.bcf",
                                          "--target",
                                          study,
                                          "--map",
                                          kSimulated + "/map.txt",
                                          "--out",
                                          folder_ / "imputed.vcf"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunProgram(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(ImputeAccuracyTest, MeanDr2IsThatOfTheRecords) {
  const ProgramResult result = Impute(kSimulated + "/study.vcf.gz");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Dr2Sum common = CommonMarkers(VcfLines(ReadFile(folder_ / "imputed.vcf")));
  ASSERT_GT(common.markers, 100u);
  EXPECT_THAT(result.err, HasSubstr(common.Text()));
  EXPECT_THAT(result.err, Not(HasSubstr("which is low")));
  // Whatever is written.
  EXPECT_THAT(Impute(kSimulated + "/study.vcf.gz", {"--min-r2", "0.9"}).err, HasSubstr(common.Text()));
}

TEST_F(ImputeAccuracyTest, WarnsOfLowAccuracy) {
  std::ofstream excluded(folder_ / "excluded");
  Impute(kSimulated + "/study.vcf.gz");
  size_t n = 0;
  for (const auto& record : VcfLines(ReadFile(folder_ / "imputed.vcf")).records) {
    if (record[kInfo].ends_with("TYPED") && ++n % 80 != 0) excluded << record[0] << ' ' << record[kPos] << '\n';
  }
  excluded.close();
  const ProgramResult result = Impute(kSimulated + "/study.vcf.gz", {"--exclude-markers", folder_ / "excluded"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("imputed.vcf: the mean DR2 of "));
  EXPECT_THAT(result.err, HasSubstr("which is low: the study has too few typed sites ("));
}

}  // namespace
}  // namespace haplospin
