#include "cli/torch_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "core/install_paths.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

// The number of times that an OpenMP thread (libgomp) polls for work before it sleeps. With the default, waiting
// threads occupy cores that other programs need: with two such programs on the machine training took many times as
// long.
constexpr char kSpinCount[] = "20000";

const TorchApi& Load() {
  setenv("GOMP_SPINCOUNT", kSpinCount, /*overwrite=*/0);  // read when the library is loaded
  const std::string path = TorchLibraryPath();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw InputError(fmt::format(
        "this needs LibTorch, but {}; install LibTorch (Debian: libtorch1.13) and build with -DHAPLOSPIN_TORCH=ON",
        dlerror()));
  }
  const auto function = reinterpret_cast<TorchApiFunction>(dlsym(library, kTorchApiSymbol));
  const TorchApi* api = function == nullptr ? nullptr : function();
  if (api == nullptr || std::string_view(api->haplospin_version) != kVersion) {
    throw InputError(fmt::format("{} is not from haplospin {}; install both from the same build", path, kVersion));
  }
  return *api;
}

}  // namespace

const TorchApi& LoadTorchLibrary() {
  static const TorchApi& api = Load();
  return api;
}

int TorchCommand(const Arguments& arguments) { return LoadTorchLibrary().run_command(arguments); }

}  // namespace haplospin
