#include "genotypes/imputation/run/found_families.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

constexpr size_t kMarkers = 2000, kUnrelated = 12;

// Writes a study of unrelated samples and, at last, a child of the first two, with markers `gap` bp apart.
std::string StudyText(int64_t gap, char separator) {
  std::mt19937 rng(1);
  std::string text = "##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"\">\n";
  text += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
  for (size_t s = 0; s <= kUnrelated; ++s) text += fmt::format("\tS{}", s);
  for (size_t j = 0; j < kMarkers; ++j) {
    text += fmt::format("\n1\t{}\t.\tA\tC\t.\t.\t.\tGT", gap * static_cast<int64_t>(j + 1));
    std::vector<std::array<size_t, 2>> genotypes;
    for (size_t s = 0; s < kUnrelated; ++s) genotypes.push_back({rng() % 2, rng() % 2});
    genotypes.push_back({genotypes[0][rng() % 2], genotypes[1][rng() % 2]});
    for (const auto& [first, second] : genotypes) text += fmt::format("\t{}{}{}", first, separator, second);
  }
  return text + "\n";
}

class FoundFamiliesTest : public testing::Test {
 protected:
  std::optional<Pedigree> Find(const std::string& text, Reference reference = Reference::kStudy) const {
    ImputeJob job;
    job.study.path = folder_ / "study.vcf";
    WriteFile(job.study.path, text);
    RunPlan plan{};
    plan.reference = reference;
    plan.study.unphased = Unphased::kAccept;
    return FindFamilies(job, plan);
  }

  const TemporaryFolder folder_;
};

TEST_F(FoundFamiliesTest, FindsTheChild) {
  const std::optional<Pedigree> found = Find(StudyText(25'000, '/'));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->trios.size(), 1u);
  EXPECT_EQ(found->trios[0].child, kUnrelated);
  EXPECT_EQ(found->trios[0].father, 0u);
  EXPECT_EQ(found->trios[0].mother, 1u);
}

TEST_F(FoundFamiliesTest, NothingWithAPanelInAPhasedStudyOrOnAShortContig) {
  EXPECT_FALSE(Find(StudyText(25'000, '/'), Reference::kPanel));
  EXPECT_FALSE(Find(StudyText(25'000, '|')));
  EXPECT_FALSE(Find(StudyText(1000, '/')));
}

}  // namespace
}  // namespace haplospin
