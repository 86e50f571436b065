#include "genotypes/assessment/phase_accuracy.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <random>

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

  // A file of one sample.
  std::string WriteRecords(const std::string& name, const std::string& records) {
    std::ofstream file(folder_ / name);
    file << "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\n" << records;
    return folder_ / name;
  }

  // A file of one sample, with two heterozygotes on each contig.
  std::string WriteContigs(const std::string& name, const std::vector<std::string>& contigs,
                           const std::string& header = "") {
    std::ofstream file(folder_ / name);
    file << "##fileformat=VCFv4.2\n" << header << "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\n";
    for (const std::string& contig : contigs) {
      for (const char* site : {"\t1\t.\tA\tC\t.\t.\t.\tGT\t0|1\n", "\t2\t.\tA\tC\t.\t.\t.\tGT\t0|1\n"})
        file << contig << site;
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
  const std::string header = "##contig=<ID=23>\n##contig=<ID=X>\n";
  const std::string truth = WriteContigs("truth.vcf", {"23", "X"}, header);
  const std::string found = WriteContigs("found.vcf", {"X"}, header);
  EXPECT_EQ(EvaluatePhase(truth, "x", found, {"A"}).heterozygotes, 2u) << "of X alone";
}

TEST_F(PhaseAccuracyTest, ContigsOfOneFileAreSkipped) {
  const std::string truth = WriteContigs("truth.vcf", {"2", "3", "5"});
  const std::string found = WriteContigs("found.vcf", {"1", "2", "4", "5", "6"});
  EXPECT_EQ(EvaluatePhase(truth, "x", found, {"A"}).heterozygotes, 4u) << "of 2 and 5";
}

TEST_F(PhaseAccuracyTest, OtherOrderOfContigsIsAnError) {
  const std::string truth = WriteContigs("truth.vcf", {"1", "2"});
  const std::string found = WriteContigs("found.vcf", {"2", "1"});
  EXPECT_THAT([&] { EvaluatePhase(truth, "x", found, {"A"}); },
              testing::ThrowsMessage<InputError>(testing::HasSubstr("found.vcf: contig 1 is elsewhere")));
}

TEST_F(PhaseAccuracyTest, UnphasedAndOtherGenotypesTakeNoPart) {
  // One file does not phase A at 200, the other B, so 100 and 300 are neighbors. B at 500 is another genotype.
  const auto accuracy = Compare({{"0|1", "0|1"}, {"0/1", "0|1"}, {"0|1", "0|1"}, {"0|1", "0|1"}, {".|.", "0|1"}},
                                {{"0|1", "0|1"}, {"1|0", "0/1"}, {"1|0", "0|1"}, {"1|0", "1|0"}, {"0|1", "1|1"}});
  EXPECT_EQ(accuracy.switches.neighbors, 4u);
  EXPECT_EQ(accuracy.switches.errors, 2u);
  EXPECT_EQ(accuracy.block_n50, 300);
}

// The definition, computed by enumeration: heterozygotes are compared within the sets that they have in both files, and
// runs of switch errors are flips two by two. These are the counts of whatshap compare 2.8.
TEST_F(PhaseAccuracyTest, CountsAreThoseWithinTheSetsOfBothFiles) {
  std::mt19937 random(7);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const size_t num_sets = 1 + random() % 4;
    std::array<std::string, 2> records;
    std::map<std::pair<size_t, size_t>, std::vector<bool>> agree;  // by the sets of the files
    for (size_t m = 0; m < 40; ++m) {
      std::array<size_t, 2> sets{};
      std::array<bool, 2> is_first{};
      bool is_compared = true;
      for (size_t f = 0; f < 2; ++f) {
        sets[f] = random() % num_sets;
        is_first[f] = random() % 2 == 0;
        const size_t kind = random() % 8;
        const std::string genotype = kind == 0     ? "0/1"
                                     : kind == 1   ? "0|0"
                                     : kind == 2   ? ".|1"
                                     : is_first[f] ? "1|0"
                                                   : "0|1";
        is_compared = is_compared && kind > 2;
        records[f] += fmt::format("20\t{}\t.\tA\tC\t.\t.\t.\tGT:PS\t{}:{}\n", 100 * (m + 1), genotype, 1 + sets[f]);
      }
      if (is_compared) agree[{sets[0], sets[1]}].push_back(is_first[0] == is_first[1]);
    }
    size_t neighbors = 0, errors = 0, flips = 0, hamming = 0;
    for (const auto& [sets, block] : agree) {
      neighbors += block.size() - 1;
      const auto same = static_cast<size_t>(std::ranges::count(block, true));
      hamming += std::min(same, block.size() - same);
      size_t run = 0;
      for (size_t i = 1; i <= block.size(); ++i) {
        const bool is_error = i < block.size() && block[i] != block[i - 1];
        run = is_error ? run + 1 : 0;
        errors += is_error;
        if (is_error && run % 2 == 0) ++flips;
      }
    }
    if (neighbors == 0) continue;
    const auto accuracy =
        EvaluatePhase(WriteRecords("truth.vcf", records[0]), "x", WriteRecords("found.vcf", records[1]), {"A"});
    ASSERT_EQ(accuracy.switches.neighbors, neighbors);
    ASSERT_EQ(accuracy.switches.errors, errors);
    ASSERT_EQ(accuracy.flips, flips);
    ASSERT_EQ(accuracy.hamming_errors, hamming);
  }
}

TEST_F(PhaseAccuracyTest, PositionsOfSeveralAltsTakeNoPart) {
  const std::string records =
      "20\t100\t.\tA\tC\t.\t.\t.\tGT\t0|1\n20\t200\t.\tA\tC,G\t.\t.\t.\tGT\t2|1\n"
      "20\t300\t.\tA\tC\t.\t.\t.\tGT\t0|1\n";
  const auto accuracy =
      EvaluatePhase(WriteRecords("truth.vcf", records), "x", WriteRecords("found.vcf", records), {"A"});
  EXPECT_EQ(accuracy.heterozygotes, 2u);
  EXPECT_EQ(accuracy.switches.neighbors, 1u);
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
