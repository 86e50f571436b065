#include "genotypes/imputation/checks/study_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

TEST(StudySamples, ASingleSampleNeedsAPanel) {
  ImputeJob job;
  job.study.path = "study.vcf";
  EXPECT_THROW(CheckNumSamples(job, {.reference = Reference::kStudy}, 1), InputError);
  CheckNumSamples(job, {.reference = Reference::kPanel}, 1);
}

TEST(StudySamples, SharedNamesAreInTheOrderOfTheStudy) {
  ImputeJob job;
  job.study.path = "study.vcf";
  testing::internal::CaptureStderr();
  WarnOfSharedSamples(job, {"a", "b"}, {"c"});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  WarnOfSharedSamples(job, {"b", "x", "a"}, {"a", "b", "c"});
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("2 of 3 study samples are also in the panel (b, a)"));
}

}  // namespace
}  // namespace haplospin
