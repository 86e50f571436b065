#include "genotypes/assessment/checking/sex_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "core/temporary_folder.h"

namespace haplospin {
namespace {

constexpr size_t kPeople = 30, kMarkers = 200;  // even people are males
constexpr int64_t kAfterPar = 2'781'480;        // GRCh38

bool IsMale(size_t person) { return person % 2 == 0; }

std::string Name(size_t person) { return fmt::format("P{}", person); }

// How males are written on X.
enum class Men { kHaploid, kHomozygous };

// People at the markers of contigs 1 and X; if they are inbred, everybody has the same haplotype twice.
class SexCheckTest : public testing::Test {
 protected:
  std::string Genotype(double frequency, bool has_one, Men men) {
    const int a = Draw(frequency), b = has_one ? a : Draw(frequency);
    if (uniform_(random_) < 0.02) return "./.";
    return has_one && men == Men::kHaploid ? fmt::format("{}", a) : fmt::format("{}/{}", a, b);
  }

  std::string Write(Men men, bool is_inbred = false) {
    std::string text = "##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"\">\n";
    text += "##contig=<ID=1>\n##contig=<ID=X>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
    for (size_t s = 0; s < kPeople; ++s) text += "\t" + Name(s);
    for (const char* contig : {"1", "X"}) {
      const bool is_x = contig[0] == 'X';
      for (size_t m = 0; m < kMarkers; ++m) {
        const int64_t position = 100'000 * static_cast<int64_t>(m + 1);
        const double frequency = 0.2 + 0.6 * uniform_(random_);
        text += fmt::format("\n{}\t{}\t.\tA\tC\t.\tPASS\t.\tGT", contig, position);
        for (size_t s = 0; s < kPeople; ++s) {
          const bool has_one = is_x ? position >= kAfterPar && (IsMale(s) || is_inbred) : is_inbred;
          text += "\t" + Genotype(frequency, has_one, is_x && IsMale(s) ? men : Men::kHomozygous);
        }
      }
    }
    const std::string path = folder_ / "study.vcf";
    std::ofstream(path) << text << "\n";
    return path;
  }

  static SampleSexes Sexes() {
    SampleSexes sexes;
    for (size_t s = 0; s < kPeople; ++s) (IsMale(s) ? sexes.males : sexes.females).insert(Name(s));
    return sexes;
  }

  static SexCheck Check(const std::string& study, const SampleSexes& sexes) {
    return CheckSexes({.study = study,
                       .contigs = {"1", "X"},
                       .regions = PloidyRegions::ForBuild("GRCh38"),
                       .filters = {},
                       .sexes = sexes});
  }

 private:
  int Draw(double frequency) { return uniform_(random_) < frequency ? 1 : 0; }

  TemporaryFolder folder_;
  std::mt19937 random_{3};
  std::uniform_real_distribution<double> uniform_;
};

TEST_F(SexCheckTest, RightSexesAreNotContradicted) {
  for (const Men men : {Men::kHaploid, Men::kHomozygous}) {
    const SexCheck check = Check(Write(men), Sexes());
    EXPECT_EQ(check.compared, kPeople);
    EXPECT_TRUE(check.contradictions.empty());
  }
}

TEST_F(SexCheckTest, ExchangedPeopleAreNamed) {
  SampleSexes sexes = Sexes();
  sexes.males.extract("P4"), sexes.females.insert("P4");
  sexes.females.extract("P7"), sexes.males.insert("P7");
  sexes.females.extract("P9");  // of unknown sex
  for (const Men men : {Men::kHaploid, Men::kHomozygous}) {
    const SexCheck check = Check(Write(men), sexes);
    EXPECT_EQ(check.compared, kPeople - 1);
    ASSERT_EQ(check.contradictions.size(), 2u);
    EXPECT_EQ(check.contradictions[0].sample, "P4");
    EXPECT_FALSE(check.contradictions[0].is_given_male);
    EXPECT_EQ(check.contradictions[0].inbreeding, 1);
    EXPECT_EQ(check.contradictions[1].sample, "P7");
    EXPECT_TRUE(check.contradictions[1].is_given_male);
    EXPECT_NEAR(check.contradictions[1].inbreeding, 0, 0.25);
  }
}

TEST_F(SexCheckTest, WomenOfInbredLinesAreNoMales) {
  const SexCheck check = Check(Write(Men::kHomozygous, /*is_inbred=*/true), Sexes());
  EXPECT_TRUE(check.contradictions.empty());
  EXPECT_EQ(check.compared, 0u);
}

TEST_F(SexCheckTest, NobodyIsComparedInPseudoAutosomalRegions) {
  SampleSexes sexes;  // of those with two haplotypes
  for (size_t s = 1; s < kPeople; s += 2) (s < 10 ? sexes.females : sexes.males).insert(Name(s));
  const SexCheck check = Check(Write(Men::kHomozygous), sexes);
  EXPECT_EQ(check.compared, 0u);
}

TEST_F(SexCheckTest, NothingIsComparedWithoutX) {
  const std::string study = Write(Men::kHaploid);
  const SampleSexes sexes = Sexes();
  EXPECT_EQ(CheckSexes({.study = study, .contigs = {"1"}, .regions = {}, .filters = {}, .sexes = sexes}).compared, 0u);
}

}  // namespace
}  // namespace haplospin
