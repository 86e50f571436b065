// haplospin selfcheck, as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

TEST(Selfcheck, LibTorchAgreesWithTheKernels) {
  const ProgramResult result = RunProgram({"selfcheck", "--device", "cpu", "--samples", "2", "--threads", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("simulated: 2 samples, 2,000 reference haplotypes, 4,000 markers"));
  EXPECT_THAT(result.out, HasSubstr("LibTorch on cpu"));
  EXPECT_THAT(result.out, HasSubstr("mean difference of the ALT probabilities: "));
  for (const char* stage : {"states", "recursions", "alleles"}) {
    EXPECT_THAT(result.out, HasSubstr(std::string("seconds for ") + stage));
  }
}

TEST(Selfcheck, RefusesADeviceThatIsNotThere) {
  const ProgramResult result = RunProgram({"selfcheck", "--device", "cuda:99"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("cuda:99"));
}

TEST(Selfcheck, RefusesAnotherModel) {
  const ProgramResult result = RunProgram({"selfcheck", "--model", "/no/such/file"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("/no/such/file"));
}

}  // namespace
}  // namespace haplospin
