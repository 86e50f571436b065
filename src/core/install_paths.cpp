#include "core/install_paths.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The folder of libhaplospin.so, which contains this function.
std::filesystem::path LibraryFolder() {
  Dl_info info{};
  HS_CHECK(dladdr(reinterpret_cast<const void*>(&TorchLibraryPath), &info) != 0);
  HS_ASSERT(info.dli_fname != nullptr);
  return std::filesystem::canonical(info.dli_fname).parent_path();
}

}  // namespace

std::string ModelsFolder() {
  // lib/ or lib/x86_64-linux-gnu/, next to share/.
  const std::filesystem::path library = LibraryFolder();
  for (const auto& prefix : {library.parent_path(), library.parent_path().parent_path()}) {
    const std::filesystem::path folder = prefix / "share" / "haplospin" / "models";
    if (std::filesystem::is_directory(folder)) return folder.string();
  }
  throw InputError(fmt::format(
      "no folder share/haplospin/models next to {}: the installation is incomplete; install again or give --model",
      library.string()));
}

std::string TorchLibraryPath() { return (LibraryFolder() / "libhaplospin_torch.so").string(); }

std::string TorchPackageFolder() {
  const std::filesystem::path package = LibraryFolder().parent_path();  // site-packages/haplospin
  const bool is_wheel = std::filesystem::exists(package / "__init__.py");
  return is_wheel ? (package.parent_path() / "torch").string() : "";
}

}  // namespace haplospin
