// Commands on a GPU, which is an emulated one (tests/genotypes/imputation/backends/gpu/emulated_driver.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "cli/impute_files.h"
#include "cli/paths.h"
#include "cli/run_program.h"
#include "core/file_contents.h"
#include "core/temporary_folder.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

ProgramResult RunWithGpu(const std::vector<std::string>& arguments, const std::string& behavior = "") {
  return RunProgram(arguments, "", {{"LD_LIBRARY_PATH", EmulatedDriverFolder()}, {"HAPLOSPIN_EMULATED_GPU", behavior}});
}

class GpuTest : public ImputeFiles {
 protected:
  std::vector<std::string> Command(const std::string& device, const std::string& out) const {
    return {"impute",      "--ref",    panel_path_, "--target", study_path_, "--model",
            weights_path_, "--device", device,      "--out",    out};
  }
  std::string out() const { return out_ / "gpu.vcf"; }
};

TEST_F(GpuTest, ImputesAsTheCpu) {
  const ProgramResult on_cpu = RunProgram(Command("cpu", "-"));
  ASSERT_EQ(on_cpu.exit_code, 0) << on_cpu.err;
  const VcfLines expected(on_cpu.out);
  for (const char* device : {"cuda", "cuda:1", "auto"}) {
    const ProgramResult on_gpu = RunWithGpu(Command(device, "-"), "count=2");
    ASSERT_EQ(on_gpu.exit_code, 0) << on_gpu.err;
    const VcfLines found(on_gpu.out);
    ASSERT_EQ(found.records.size(), expected.records.size());
    for (size_t r = 0; r < found.records.size(); ++r) {
      for (size_t s = 0; s < 3; ++s) {
        EXPECT_NEAR(std::stod(Field(found.records[r], s, "DS")), std::stod(Field(expected.records[r], s, "DS")), 1e-3);
      }
    }
    EXPECT_EQ(on_gpu.err.find("imputing on emulated GPU") != std::string::npos, std::string(device) == "auto");
  }
}

TEST_F(GpuTest, AnErrorLeavesNoOutput) {
  const auto expect = [&](const std::string& device, const std::string& behavior, const std::string& message) {
    ExpectRefused(RunWithGpu(Command(device, out()), behavior), {message});
    EXPECT_TRUE(std::filesystem::is_empty(out_.path()));
  };
  expect("cuda", "cuInit=100", "--device cuda: the NVIDIA driver finds no GPU; --device cpu needs no GPU");
  expect("cuda:3", "", "--device cuda:3: there is no GPU 3");
  expect("cuda", "cuModuleLoadData=222", "driver is too old");
  expect("cuda", "bytes=100000", "emulated GPU has too little memory");
  expect("cuda", "cuStreamSynchronize=719", "emulated GPU: computing failed");
}

TEST_F(GpuTest, AutoSaysWhyItUsesTheCpu) {
  const ProgramResult result = RunWithGpu(Command("auto", out()), "capability=5");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("imputing on the CPU: emulated GPU has compute capability 5"));
}

TEST_F(GpuTest, TheLogHasTheTimeOfEachKernel) {
  std::vector<std::string> command = Command("cuda", out());
  const TemporaryFolder folder;
  command.insert(command.end(), {"--log", folder / "log"});
  ASSERT_EQ(RunWithGpu(command).exit_code, 0);
  EXPECT_THAT(Contents(folder / "log"), HasSubstr("kernel RunRecursions: 2.00 ms"));
}

TEST(Selfcheck, ComparesTheGpuWithTheCpu) {
  const ProgramResult result = RunWithGpu({"selfcheck", "--samples", "1", "--threads", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("simulated: 1 sample, 2,000 reference haplotypes, 4,000 markers"));
  EXPECT_THAT(result.out, HasSubstr("emulated GPU"));
  EXPECT_THAT(result.out, HasSubstr("mean difference of the ALT probabilities: "));
  EXPECT_THAT(result.out, HasSubstr("largest difference"));
  EXPECT_THAT(result.out, HasSubstr("ExaminePhase"));
}

TEST(Selfcheck, RefusesADeviceThatIsNotThere) {
  ExpectRefused(RunWithGpu({"selfcheck", "--device", "cuda:99"}), {"--device cuda:99: there is no GPU 99"});
  EXPECT_THAT(RunProgram({"selfcheck", "--device", "cpu"}).err, HasSubstr("give cuda or cuda:N"));
}

TEST(Selfcheck, SaysWhichProgramIsNotThere) {
  const TemporaryFolder folder;
  const std::string program = folder / "haplospin";
  std::filesystem::copy_file(ProgramPath(), program);
  const int status = std::system((program + " selfcheck 2>" + (folder / "err")).c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_THAT(Contents(folder / "err"),
              HasSubstr(program + "-selfcheck cannot be started: No such file or directory; it is a part of"));
}

TEST(Selfcheck, RefusesAnotherModel) {
  ExpectRefused(RunWithGpu({"selfcheck", "--model", "/no/such/file"}), {"/no/such/file"});
}

}  // namespace
}  // namespace haplospin
