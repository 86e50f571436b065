// haplospin merge: batches of samples are what one run gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/impute_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

double InfoNumber(const std::string& info, const std::string& key) {
  const size_t at = (";" + info).find(";" + key + "=");
  return at == std::string::npos ? NAN : std::stod(info.substr(at + key.size() + 1));
}

class MergeTest : public ImputeFiles {
 protected:
  // Two batches, of S0 and of S1 and S2, with further options of impute.
  std::vector<std::string> Batches(std::vector<std::string> options) {
    const std::string others = Write("others.txt", "S1\nS2\n"), first = Write("first.txt", "S0\n");
    const std::vector<std::string> paths{out_ / "a.bcf", out_ / "b.vcf.gz"};
    for (size_t b = 0; b < 2; ++b) {
      std::vector<std::string> all = options;
      all.insert(all.end(), {"--out", paths[b], "--exclude-samples", b == 0 ? others : first});
      EXPECT_EQ(Impute(all).exit_code, 0);
    }
    return paths;
  }
};

TEST_F(MergeTest, IsWhatOneRunGives) {
  const std::vector<std::string> options{"--format", "GP,HDS", "--empirical-dosages"};
  const auto batches = Batches(options);
  const VcfLines whole(ImputedText(options));
  const ProgramResult result = RunProgram({"merge", "--out", "-", batches[0], batches[1]});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const VcfLines merged(result.out);
  EXPECT_EQ(merged.columns, whole.columns);
  ASSERT_EQ(merged.records.size(), whole.records.size());
  for (size_t r = 0; r < whole.records.size(); ++r) {
    const std::string &info = merged.records[r][kInfo], &expected = whole.records[r][kInfo];
    for (const char* key : {"AF", "DR2", "ER2"}) {
      const double value = InfoNumber(info, key), of_whole = InfoNumber(expected, key);
      EXPECT_EQ(std::isnan(value), std::isnan(of_whole)) << info << " " << expected;
      if (!std::isnan(value)) {
        EXPECT_NEAR(value, of_whole, 2e-3) << key;
      }
    }
    EXPECT_EQ(info.find("TYPED") == std::string::npos, expected.find("TYPED") == std::string::npos);
    for (const size_t c : {0, 1, 2, 3, 4, 6, 8, 9, 10, 11}) EXPECT_EQ(merged.records[r][c], whole.records[r][c]);
  }
}

TEST_F(MergeTest, BatchesThatCannotBeMerged) {
  const auto batches = Batches({"--format", "HDS"});
  const auto error = [&](const std::vector<std::string>& files) {
    std::vector<std::string> arguments{"merge", "--out", out_ / "merged.bcf"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(out_ / "merged.bcf"));
    return result.err;
  };
  EXPECT_THAT(error({batches[0]}), HasSubstr("give two files or more"));
  EXPECT_THAT(error({batches[0], batches[0]}), HasSubstr("has sample S0, which"));
  Batches({});
  EXPECT_THAT(error({batches[0], batches[1]}), HasSubstr("neither HDS nor AP1 and AP2"));
  Batches({"--format", "HDS"});
  const std::string first = Write("first.txt", "S0\n");
  ASSERT_EQ(Impute({"--format", "HDS", "--min-r2", "0.9", "--out", batches[1], "--exclude-samples", first}).exit_code,
            0);
  EXPECT_THAT(error({batches[0], batches[1]}), HasSubstr("the files must have the same sites"));
}

}  // namespace
}  // namespace haplospin
