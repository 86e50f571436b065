#include "genotypes/assessment/checking/reads_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/alignment_files.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

constexpr int64_t kLength = 1000000;  // of contig 20, as VcfText declares
constexpr int64_t kReadLength = 50, kSites = 1000;

// Contigs of a million bases, on which all bases are A; the panel has A>C on 20 at every 997 bp.
class ReadsCheckTest : public testing::Test {
 protected:
  ReadsCheckTest() {
    VcfText vcf({"P"}, {"20", "21"});
    for (int64_t i = 0; i < kSites; ++i) vcf.Add("20", 500 + 997 * i, "A", "C", "0|1");
    WriteVariants(panel_, vcf, FileForm::kVcf);
  }

  // Reads at every `step` bp of 20, so many times fewer on X and Y; a share of the bases is G.
  void AddPerson(const std::string& name, int64_t step, double x, double y, double wrong = 0) {
    RandomStream random(7);
    SamText sam(name, "chr20", kLength);
    for (const char* contig : {"chrX", "chrY"}) sam.AddLine(fmt::format("@SQ\tSN:{}\tLN:{}", contig, kLength));
    const std::pair<const char*, double> contigs[] = {{"chr20", 1}, {"chrX", x}, {"chrY", y}};
    for (const auto& [contig, times] : contigs) {
      if (times == 0) continue;
      const auto every = static_cast<int64_t>(static_cast<double>(step) / times);
      for (int64_t position = 1; position < kLength - kReadLength; position += every) {
        SamRead read{.position = position, .cigar = fmt::format("{}M", kReadLength), .contig = contig};
        read.bases = std::string(kReadLength, 'A');
        for (char& base : read.bases) base = random.Bernoulli(wrong) ? 'G' : base;
        sam.Add(read);
      }
    }
    const std::string path = folder_ / (name + ".bam");
    WriteAlignments(path, sam);
    IndexAlignments(path);
    targets_.push_back({path, ""});
  }

  ReadsCheck Check(const std::string& contig = "", const std::vector<std::string>& males = {}) const {
    const auto people = std::make_shared<const AlignmentStudy>(OpenAlignmentStudy(targets_, "", {}));
    return CheckReads({.study = "study", .people = people, .panel = panel_, .contig = contig, .males = males});
  }

  const TemporaryFolder folder_;
  const std::string panel_ = folder_ / "panel.vcf";
  std::vector<AlignmentTarget> targets_;
};

TEST_F(ReadsCheckTest, DepthAndSex) {
  AddPerson("M", 50, 0.5, 0.2);
  AddPerson("F", 100, 1, 0);
  AddPerson("U", 100, 0.5, 0);
  AddPerson("Few", 20000, 1, 0);
  const ReadsCheck check = Check("", {"F"});
  EXPECT_THAT(check.contigs, ElementsAre("chr20"));
  EXPECT_EQ(check.sites, kSites);
  ASSERT_EQ(check.people.size(), 4);
  EXPECT_NEAR(check.Depth(check.people[0]), 1, 0.05);
  EXPECT_NEAR(check.Depth(check.people[1]), 0.5, 0.05);
  EXPECT_THAT(check.people[0].x, Optional(DoubleNear(0.5, 0.03)));
  EXPECT_THAT(check.people[0].y, Optional(DoubleNear(0.2, 0.03)));
  EXPECT_THAT(check.people[1].mapped, Optional(1.0));
  EXPECT_EQ(check.people[0].Sex(), ReadsSex::kMale);
  EXPECT_EQ(check.people[1].Sex(), ReadsSex::kFemale);
  EXPECT_EQ(check.people[2].Sex(), ReadsSex::kUnclear);
  EXPECT_EQ(check.people[3].Sex(), ReadsSex::kUnknown);
  EXPECT_TRUE(check.IsOfAnotherSex(check.people[0]));
  EXPECT_TRUE(check.IsOfAnotherSex(check.people[1]));
  EXPECT_FALSE(check.IsOfAnotherSex(check.people[3]));
  EXPECT_FALSE(Check().IsOfAnotherSex(check.people[0]));
  EXPECT_EQ(ConcludeReadsCheck(check).verdict, CheckVerdict::kReady);
  EXPECT_THAT(ErrorOf([&] { Check("21"); }), HasSubstr("no reads at sites of contig 21"));
}

TEST_F(ReadsCheckTest, OtherBases) {
  AddPerson("Good", 50, 1, 0, 0.001);
  AddPerson("Bad", 50, 1, 0, 0.04);
  const ReadsCheck check = Check("20");
  EXPECT_FALSE(check.people[0].counts.HasExcessOfOtherBases());
  EXPECT_TRUE(check.people[1].counts.HasExcessOfOtherBases());
  EXPECT_EQ(check.people[0].counts.snv_reads, check.people[0].counts.reads);
  EXPECT_NEAR(check.people[0].counts.expected_neither, 0.001 * 2 / 3 * check.people[0].counts.reads, 0.01);
  EXPECT_EQ(ConcludeReadsCheck(check).verdict, CheckVerdict::kReady);
}

TEST_F(ReadsCheckTest, StudiesThatShouldNotBeImputed) {
  AddPerson("Other", 50, 1, 0, 0.5);
  EXPECT_THAT(ConcludeReadsCheck(Check()).text, HasSubstr("another genome build"));
  EXPECT_EQ(ConcludeReadsCheck(Check()).verdict, CheckVerdict::kDoNotImpute);
  targets_.clear();
  const std::string path = folder_ / "empty.bam";
  WriteAlignments(path, SamText("E", "20", kLength));
  IndexAlignments(path);
  targets_.push_back({path, ""});
  const ReadsCheck check = Check();
  EXPECT_THAT(ConcludeReadsCheck(check).text, HasSubstr("no reads on 20, of which "));
  EXPECT_EQ(check.people[0].mapped, std::nullopt);
}

}  // namespace
}  // namespace haplospin
