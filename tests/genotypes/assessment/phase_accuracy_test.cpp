#include "genotypes/assessment/phase_accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/temporary_folder.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

class PhaseAccuracyTest : public testing::Test {
 protected:
  // A file of one sample per column of `genotypes`, at positions 100, 200, ...
  std::string Write(const std::string& name, const std::vector<std::vector<std::string>>& genotypes,
                    const std::string& samples = "A\tB") {
    std::ofstream file(folder_ / name);
    file << "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" << samples << "\n";
    for (size_t m = 0; m < genotypes.size(); ++m) {
      file << "20\t" << 100 * (m + 1) << "\t.\tA\tC\t.\t.\t.\tGT";
      for (const std::string& genotype : genotypes[m]) file << "\t" << genotype;
      file << "\n";
    }
    return folder_ / name;
  }

  PhaseAccuracy Compare(const std::vector<std::vector<std::string>>& truth,
                        const std::vector<std::vector<std::string>>& found) {
    return EvaluatePhase(Write("truth.vcf", truth), "x", Write("found.vcf", found), {"A", "B"});
  }

  TemporaryFolder folder_;
};

TEST_F(PhaseAccuracyTest, SwitchesFlipsAndBlocks) {
  // Sample A: a switch at 300 that lasts to the end; sample B: a flip at 300.
  const auto accuracy =
      Compare({{"0|1", "0|1"}, {"0|1", "1|0"}, {"1|0", "1|0"}, {"0|0", "0|1"}, {"1|0", "0|1"}, {"0|1", "1|1"}},
              {{"0|1", "1|0"}, {"0|1", "0|1"}, {"0|1", "1|0"}, {"0|0", "1|0"}, {"0|1", "1|0"}, {"1|0", "1|1"}});
  EXPECT_EQ(accuracy.switches.neighbors, 8u);
  EXPECT_EQ(accuracy.switches.errors, 3u);
  EXPECT_EQ(accuracy.flips, 1u);
  EXPECT_EQ(accuracy.heterozygotes, 10u);
  EXPECT_EQ(accuracy.hamming_errors, 3u);  // A: 2 of 5 agree; B: 1 of 5 agrees
  EXPECT_EQ(accuracy.block_n50, 500);      // 500 and 400
  EXPECT_EQ(accuracy.correct_n50, 300);    // 300, 100, 100, 100, 0
  EXPECT_DOUBLE_EQ(accuracy.switches.rate(), 3.0 / 8);
}

TEST_F(PhaseAccuracyTest, EitherOrientationIsTheSame) {
  const std::vector<std::vector<std::string>> truth{{"0|1", "1|0"}, {"0|1", "0|1"}, {"1|0", "0|1"}};
  const std::vector<std::vector<std::string>> turned{{"1|0", "1|0"}, {"1|0", "0|1"}, {"0|1", "0|1"}};
  const auto accuracy = Compare(truth, turned);
  EXPECT_EQ(accuracy.switches.errors, 0u);
  EXPECT_EQ(accuracy.hamming_errors, 0u);
  EXPECT_EQ(accuracy.switches.neighbors, 4u);
}

// As of cattle.
TEST_F(PhaseAccuracyTest, AContig23IsNotX) {
  const auto write = [&](const std::string& name, const std::vector<std::string>& contigs) {
    std::ofstream file(folder_ / name);
    file << "##fileformat=VCFv4.2\n##contig=<ID=23>\n##contig=<ID=X>\n"
            "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\n";
    for (const std::string& contig : contigs) {
      for (const char* site : {"\t1\t.\tA\tC\t.\t.\t.\tGT\t0|1\n", "\t2\t.\tA\tC\t.\t.\t.\tGT\t0|1\n"})
        file << contig << site;
    }
    return folder_ / name;
  };
  const auto accuracy = EvaluatePhase(write("truth.vcf", {"23", "X"}), "x", write("found.vcf", {"X", "23"}), {"A"});
  EXPECT_EQ(accuracy.heterozygotes, 2u) << "of X alone: in the truth, 23 is before it";
}

TEST_F(PhaseAccuracyTest, UnphasedAndOtherGenotypesTakeNoPart) {
  // The truth does not phase A at 200, so 100 and 300 are neighbors. The file does not phase B at 200, which ends a
  // block; B at 500 is another genotype.
  const auto accuracy = Compare({{"0|1", "0|1"}, {"0/1", "0|1"}, {"0|1", "0|1"}, {"0|1", "0|1"}, {".|.", "0|1"}},
                                {{"0|1", "0|1"}, {"1|0", "0/1"}, {"1|0", "0|1"}, {"1|0", "1|0"}, {"0|1", "1|1"}});
  EXPECT_EQ(accuracy.switches.neighbors, 3u);
  EXPECT_EQ(accuracy.switches.errors, 2u);
  EXPECT_EQ(accuracy.block_n50, 300);  // 300, 0, 100
}

TEST_F(PhaseAccuracyTest, ErrorsByCopiesOfTheMinorAllele) {
  // The ALT of 200 is carried once, the REF of 300 once, both ALT of the others twice.
  const auto accuracy = Compare({{"0|1", "0|1"}, {"0|1", "0|0"}, {"0|1", "1|1"}, {"0|1", "1|0"}},
                                {{"0|1", "0|1"}, {"1|0", "0|0"}, {"1|0", "1|1"}, {"1|0", "1|0"}});
  ASSERT_GE(accuracy.by_allele_count.size(), 2u);
  EXPECT_EQ(accuracy.by_allele_count[0].switches.neighbors, 2u);
  EXPECT_EQ(accuracy.by_allele_count[0].switches.errors, 1u);
  EXPECT_EQ(accuracy.by_allele_count[1].switches.neighbors, 2u);
  EXPECT_EQ(accuracy.by_allele_count[1].switches.errors, 0u);
}

TEST_F(PhaseAccuracyTest, SamplesInAnotherOrder) {
  const std::string truth = Write("truth.vcf", {{"0|1", "0|1"}, {"0|1", "1|0"}});
  const std::string found = Write("found.vcf", {{"0|1", "0|1"}, {"1|0", "0|1"}}, "B\tA");
  EXPECT_EQ(EvaluatePhase(truth, "x", found, {"A", "B"}).switches.errors, 0u);
}

TEST_F(PhaseAccuracyTest, NothingToCompareIsAnError) {
  EXPECT_THROW(Compare({{"0|1", "0|1"}, {"0|1", "0|1"}}, {{"0/1", "0/1"}, {"0/1", "0/1"}}), InputError);
}

TEST(N50Test, HalfOfTheSum) {
  EXPECT_EQ(N50({}), 0);
  EXPECT_EQ(N50({7}), 7);
  EXPECT_EQ(N50({1, 2, 3, 4, 10}), 10);  // 10 of 20
  EXPECT_EQ(N50({5, 5, 5, 5}), 5);
}

}  // namespace
}  // namespace haplospin
