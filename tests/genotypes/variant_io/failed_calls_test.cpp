#include "genotypes/variant_io/reading/failed_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

FailedCalls Read(const VcfText& vcf, FileForm form, const StudyOptions& options = {}) {
  const TemporaryFolder folder;
  WriteVariants(folder / "study.vcf", vcf, form);
  StudyReader reader(folder / "study.vcf", options);
  StudyGenotypes study = reader.StartContig();
  reader.ReadUntil(INT64_MAX, study);
  for (const StudyMarker& marker : study.markers) EXPECT_EQ(std::ranges::count(marker.genotypes.alleles, 1), 1);
  return reader.Reading().failed_calls;
}

TEST(FailedCallsTest, CalledGenotypesWithAnotherFilterThanPassAreCounted) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    VcfText vcf;
    vcf.Add("1", 10, "A", "C", "0/0:PASS 0/1:. 0/0", "GT:FT")
        .Add("1", 20, "A", "C", "0/0:LowGQ;LowDP 0/1:PASS ./.:LowGQ", "GT:FT")
        .Add("1", 30, "A", "C", "0/0:7:PASS 0/1:9:q10 0/.:9:q10", "GT:DP:FT")
        .Add("1", 40, "A", "C", "0/0 0/1 0/0");
    const FailedCalls failed = Read(vcf, form);
    EXPECT_EQ(failed.genotypes, 3u);
    EXPECT_EQ(failed.first, "LowGQ;LowDP");
  }
}

// The likelihoods are used then, not what was called.
TEST(FailedCallsTest, LikelihoodsHaveNoFilter) {
  const VcfText vcf = VcfText().Add("1", 10, "A", "C", "0/0:0,60,60:q10 0/1:60,0,60:PASS 0/0:0,60,60:q10", "GT:PL:FT");
  EXPECT_EQ(Read(vcf, FileForm::kVcf, {.likelihoods = LikelihoodField::kPl}).genotypes, 0u);
  EXPECT_EQ(Read(vcf, FileForm::kVcf).genotypes, 2u);
}

}  // namespace
}  // namespace haplospin
