#include "genotypes/imputation/backends/gpu/kernel_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/paths.h"
#include "core/file_contents.h"
#include "core/provenance.h"
#include "core/temporary_folder.h"
#include "genotypes/imputation/backends/gpu/device.h"

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// The kernels of the program are those of the sources: scripts/make-kernels compiles them.
TEST(KernelCodeTest, IsMadeOfTheSources) {
  std::vector<std::filesystem::path> sources;
  for (const auto& entry :
       std::filesystem::directory_iterator(SourceFolder() + "/src/genotypes/imputation/backends/gpu/kernels")) {
    sources.push_back(entry.path());
  }
  std::ranges::sort(sources);
  for (const char* shared : {"genomics/probability_units.h", "imputation/models/copying/copying_constants.h",
                             "imputation/models/network/network_constants.h"}) {
    sources.push_back(SourceFolder() + "/src/genotypes/" + shared);
  }
  const TemporaryFolder folder;
  {
    std::ofstream all(folder / "all");
    for (const std::filesystem::path& source : sources) all << Contents(source);
  }
  EXPECT_THAT(KernelCode(), StartsWith("// source SHA-256: " + Sha256OfFile(folder / "all") + "\n"))
      << "run scripts/make-kernels";
}

TEST(KernelCodeTest, HasAllKernelsForGpusSince2016) {
  const std::string code = KernelCode();
  for (const char* name : kKernelNames) EXPECT_THAT(code, HasSubstr(".visible .entry " + std::string(name) + "("));
  EXPECT_THAT(code, HasSubstr(".version 8.0"));
  EXPECT_THAT(code, HasSubstr(".target sm_60"));
}

}  // namespace
}  // namespace haplospin
