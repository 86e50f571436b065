#include "genotypes/variant_io/reading/no_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::Each;
using testing::ElementsAre;

// Returns the alleles of the records, and how many genotypes were set missing.
std::pair<std::vector<std::vector<int>>, size_t> Read(const VcfText& vcf, FileForm form, LikelihoodField field) {
  const TemporaryFolder folder;
  WriteVariants(folder / "study.vcf", vcf, form);
  StudyReader reader(folder / "study.vcf", {.likelihoods = field});
  StudyGenotypes study = reader.StartContig();
  reader.ReadUntil(INT64_MAX, study);
  std::vector<std::vector<int>> rows;
  for (const StudyMarker& marker : study.markers) {
    rows.emplace_back(marker.genotypes.alleles.begin(), marker.genotypes.alleles.end());
  }
  return {rows, reader.Reading().no_calls};
}

TEST(NoCallsTest, HomozygotesOfRefWithoutReadsAreMissing) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    VcfText vcf;
    vcf.Add("1", 10, "A", "C", "0/0:0 0/0:8 0|0:0", "GT:DP")
        .Add("1", 20, "A", "C", "0/0:0,0:.:0,0,0 0/0:8,0:.:0,24,255 0/0:0,0:.:.", "GT:AD:DP:PL")
        .Add("1", 30, "A", "C", "0/1:0:0,0,0 1/1:0:0,0,0 ./.:0:0,0,0", "GT:DP:PL")
        .Add("1", 40, "A", "C", "0/0:10:0,0,10 0/0:.:0 0/0:.:.", "GT:DP:PL")
        .Add("1", 50, "A", "C,G", "0/0:0,0,0,0,0,0 0/2:0,0,0,0,0,0 0/0:0,0,0,0,0,9", "GT:PL");
    const auto [rows, count] = Read(vcf, form, LikelihoodField::kNone);
    EXPECT_THAT(
        rows, ElementsAre(ElementsAre(2, 2, 0, 0, 2, 2), ElementsAre(2, 2, 0, 0, 0, 0), ElementsAre(0, 1, 1, 1, 2, 2),
                          ElementsAre(0, 0, 0, 0, 0, 0), ElementsAre(2, 2, 0, 0, 0, 0), ElementsAre(2, 2, 0, 1, 0, 0)));
    EXPECT_EQ(count, 4u);
    EXPECT_EQ(Read(vcf, form, LikelihoodField::kGt).second, 4u);
  }
}

TEST(NoCallsTest, ImputedGenotypesAndFilesWithoutDepthAreAsTheyWereCalled) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    VcfText vcf;
    vcf.Add("1", 10, "A", "C", "0/0:0:0.1 0/0:0:0 0/0:0:0", "GT:DP:DS")
        .Add("1", 20, "A", "C", "0/0:0:1,0,0 0/0:0:1,0,0 0/0:0:1,0,0", "GT:DP:GP")
        .Add("1", 30, "A", "C", "0/0 0/0 0/0");
    const auto [rows, count] = Read(vcf, form, LikelihoodField::kNone);
    EXPECT_THAT(rows, Each(Each(0)));
    EXPECT_EQ(count, 0u);
  }
}

TEST(NoCallsTest, AHaploidGenotypeIsMissingToo) {
  const VcfText vcf =
      VcfText().Add("1", 10, "A", "C", "0:3 0:3 1:3", "GT:DP").Add("1", 20, "A", "C", "0:0 0:3 1:0", "GT:DP");
  EXPECT_THAT(Read(vcf, FileForm::kVcf, LikelihoodField::kNone).first,
              ElementsAre(ElementsAre(0, 0, 1), ElementsAre(2, 0, 1)));
}

}  // namespace
}  // namespace haplospin
