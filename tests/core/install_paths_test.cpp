#include "core/install_paths.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace haplospin {
namespace {

TEST(InstallPaths, ModelsAreFoundInTheBuildTree) {
  const std::string folder = ModelsFolder();
  EXPECT_TRUE(std::filesystem::is_directory(folder));
  EXPECT_TRUE(folder.ends_with("share/haplospin/models")) << folder;
}

TEST(InstallPaths, TheTorchLibraryIsBesideThisOne) {
  const std::filesystem::path path = TorchLibraryPath();
  EXPECT_EQ(path.filename(), "libhaplospin_torch.so");
  EXPECT_TRUE(std::filesystem::exists(path.parent_path() / "libhaplospin.so"));
}

}  // namespace
}  // namespace haplospin
