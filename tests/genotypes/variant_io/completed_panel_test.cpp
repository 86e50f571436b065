#include "genotypes/variant_io/reading/completed_panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

// The alleles of a panel's haplotypes, a text of 0 and 1 for each marker.
std::vector<std::string> Alleles(PanelReader& reader, int64_t piece) {
  std::vector<std::string> rows;
  while (reader.NextContig()) {
    MutablePanel panel = reader.StartContig();
    for (int64_t end = piece; reader.ReadUntil(end, panel);) end += piece;
    for (size_t m = 0; m < panel.num_markers(); ++m) {
      std::string row;
      for (size_t h = 0; h < panel.num_haplotypes(); ++h) row += panel.allele(m, h) == 1 ? '1' : '0';
      rows.push_back(row);
    }
  }
  return rows;
}

// Haplotypes of few founders, of which each has another allele at every marker but its own.
class CompletedPanelTest : public testing::Test {
 protected:
  static constexpr size_t kSamples = 40, kMarkers = 900;

  CompletedPanelTest() {
    RandomStream random(5);
    std::vector<size_t> founder(2 * kSamples);
    for (size_t& f : founder) f = random.UniformInt(6);
    for (size_t m = 0; m < kMarkers; ++m) {
      std::string row;
      std::vector<bool> carries(6);
      for (size_t f = 0; f < 6; ++f) carries[f] = random.Bernoulli(0.4);
      for (const size_t f : founder) row += carries[f] ? '1' : '0';
      truth_.push_back(row);
      for (char& allele : row) {
        if (!random.Bernoulli(0.02)) continue;
        allele = '.';
        ++num_missing_;
      }
      given_.push_back(row);
    }
  }

  std::string Write(const std::vector<std::string>& rows) const {
    std::vector<std::string> names;
    for (size_t s = 0; s < kSamples; ++s) names.push_back("P" + std::to_string(s));
    VcfText vcf(names, {"20"});
    for (size_t m = 0; m < rows.size(); ++m) {
      std::string columns;
      for (size_t s = 0; s < kSamples; ++s) {
        columns += std::string(s == 0 ? "" : "\t") + rows[m][2 * s] + "|" + rows[m][2 * s + 1];
      }
      vcf.Add("20", static_cast<int64_t>(100 + 10 * m), "A", "C", columns);
    }
    WriteText(folder_ / "p.vcf", vcf.text(), FileForm::kVcf);
    return folder_ / "p.vcf";
  }

  const TemporaryFolder folder_;
  std::vector<std::string> truth_, given_;
  size_t num_missing_ = 0;
};

TEST_F(CompletedPanelTest, AMissingAlleleIsThatOfTheHaplotypesThatMatch) {
  const std::string path = Write(given_);
  for (const int64_t piece : {100, 1234, 1'000'000}) {  // bp
    CompletedPanel panel(OpenPanel(path, PanelHaplotypes::kReadMissing));
    EXPECT_EQ(Alleles(panel, piece), truth_) << piece;
    EXPECT_EQ(panel.counts().missing, num_missing_);
    EXPECT_EQ(panel.counts().alleles, 2 * kSamples * kMarkers);
  }
}

TEST_F(CompletedPanelTest, APanelWithoutMissingAllelesStaysAsItIs) {
  CompletedPanel panel(OpenPanel(Write(truth_), PanelHaplotypes::kReadMissing));
  EXPECT_EQ(Alleles(panel, 5000), truth_);
  EXPECT_EQ(panel.counts().missing, 0u);
  EXPECT_EQ(panel.counts().markers, 0u);
}

// Callers write "." for a missing genotype of any ploidy, and others "./." for that of a haploid sample.
TEST_F(CompletedPanelTest, AMissingGenotypeDoesNotTellThePloidy) {
  const auto completed = [&](const std::string& missing_diploid, const std::string& missing_haploid) {
    VcfText vcf({"man", "woman", "other"}, {"X"});
    const std::string other = "\t0|1";
    vcf.Add("X", 100, "A", "C", missing_haploid + "\t" + missing_diploid + other);
    vcf.Add("X", 200, "A", "C", "1\t0|1" + other);
    vcf.Add("X", 300, "A", "C", missing_haploid + "\t" + missing_diploid + other);
    WriteText(folder_ / "x.vcf", vcf.text(), FileForm::kVcf);
    CompletedPanel panel(OpenPanel(folder_ / "x.vcf", PanelHaplotypes::kReadMissing));
    return Alleles(panel, 1000);
  };
  const std::vector<std::string> expected = completed(".|.", ".");
  EXPECT_EQ(expected[1], "10101");
  EXPECT_EQ(completed(".", "."), expected);
  EXPECT_EQ(completed("./.", "./."), expected);
}

// The number is in the message of everything else that reads a panel.
TEST_F(CompletedPanelTest, OtherwiseMissingAllelesAreAnError) {
  std::vector<std::string> rows(truth_.begin(), truth_.begin() + 3);
  rows[1][0] = rows[1][1] = rows[1][7] = '.';
  const std::string path = Write(rows);
  EXPECT_THAT(
      ErrorOf([&] { Alleles(*OpenPanel(path), 5000); }),
      testing::AllOf(testing::HasSubstr("20:110: sample P0 has a missing allele, the first of 3 (1.2 % of the alleles"),
                     testing::HasSubstr("--impute-missing")));
}

}  // namespace
}  // namespace haplospin
