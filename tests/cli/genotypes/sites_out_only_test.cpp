// An output of the sites of a list (impute --sites-out-only).
#include <fmt/format.h>
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

class SitesOutOnlyTest : public ImputeFiles {
 protected:
  SitesOutOnlyTest() : all_(ImputedText()), report_(out_ / "report.tsv") {}

  // The records of the whole output that `is_wanted` has.
  template <typename Wanted>
  std::vector<std::vector<std::string>> Records(const Wanted& is_wanted) const {
    std::vector<std::vector<std::string>> records = VcfLines(all_).records;
    std::erase_if(records, [&](const auto& record) { return !is_wanted(record); });
    return records;
  }

  const std::string all_, report_;
};

TEST_F(SitesOutOnlyTest, WhatIsWrittenIsAsInTheWholeOutput) {
  const std::string bed = Write("a.bed", "chr20\t300000\t900000\n20\t1500000\t1500001\n");
  const auto expected = Records([](const auto& record) {
    const int64_t position = std::stoll(record[kPos]);
    return (position > 300'000 && position <= 900'000) || position == 1'500'001;
  });
  ASSERT_GT(expected.size(), 10);
  EXPECT_EQ(VcfLines(ImputedText({"--sites-out-only", bed})).records, expected);
  // Windows do not change what is found.
  EXPECT_EQ(VcfLines(ImputedText({"--sites-out-only", bed, "--window", "0.7", "--overlap", "0.3"})).records.size(),
            expected.size());
}

TEST_F(SitesOutOnlyTest, ScoresAreReported) {
  const VcfLines lines(all_);
  std::string score = "#PGS\nchr_name\tchr_position\teffect_allele\tother_allele\teffect_weight\n";
  const auto add = [&](const std::string& position, const std::string& allele, const std::string& other) {
    score += fmt::format("20\t{}\t{}\t{}\t0.5\n", position, allele, other);
  };
  for (size_t r = 10; r < 14; ++r) {
    const auto& record = lines.records[r];
    r % 2 == 0 ? add(record[kPos], record[kAlt], record[kRef]) : add(record[kPos], record[kRef], record[kAlt]);
  }
  add("200001", "A", "C");
  add("99999999", "A", "C");
  const ProgramResult result = Impute({"--sites-out-only", Write("score.txt", score), "--sites-report", report_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(VcfLines(ReadFile(imputed_path_)).records.size(), 4);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("score.txt: 4 of 6 sites written; absent: "), HasSubstr("1 outside of what is imputed"),
                    HasSubstr("4 of 6 weights matched (66.7 % of the sum"), HasSubstr("r2 is not known")));
  const std::string table = ReadFile(report_);
  EXPECT_EQ(std::ranges::count(table, '\n'), 7);
  EXPECT_THAT(table,
              HasSubstr("20\t99999999\t.\tA\tC\t0.5\t.\t.\t.\t.\t.\tabsent\t.\t.\toutside of what is imputed\n"));
}

TEST_F(SitesOutOnlyTest, WrongInputIsAnError) {
  const std::string bed = Write("a.bed", "20\t300000\t900000\n");
  std::filesystem::remove(imputed_path_);
  ExpectUserError({"--sites-out-only", in_ / "absent"}, {"absent: cannot open"});
  ExpectUserError({"--sites-out-only", bed, "--min-r2", "0.3"},
                  {"--sites-out-only and --min-r2 cannot be given together"});
  ExpectUserError({"--sites-report", report_}, {"--sites-report is about the sites of --sites-out-only"});
  ExpectUserError({"--sites-out-only", Write("empty.txt", "")}, {"empty.txt: empty"});
  ExpectUserError({"--sites-out-only", bed, "--sites-report", bed}, {"a.bed: given as input and as output"});
  const ProgramResult none = Impute({"--sites-out-only", Write("b.bed", "7\t1\t2\n")});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_THAT(none.err,
              HasSubstr("warning: " + (in_ / "b.bed") + ": 0 of 1 site written; absent: 1 its contig is not imputed"));
}

}  // namespace
}  // namespace haplospin
