#include "cli/learning/torch/torch_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "core/install_paths.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

// The number of times that an OpenMP thread (libgomp) polls for work before it sleeps. With the default, waiting
// threads occupy cores that other programs need: with two such programs on the machine training took many times as
// long.
constexpr char kSpinCount[] = "20000";

// The kernels for OpenBLAS, or null where it chooses well by itself. That of Debian 12 does not know Intel's processors
// from 2023 on and takes them for one of 2004, whose kernels are slow, and crash in a triangular solve on one thread.
const char* BlasKernels() {
#ifdef __x86_64__
  if (!__builtin_cpu_is("intel") || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return nullptr;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  return has_avx512 ? "SkylakeX" : "Haswell";
#else
  return nullptr;
#endif
}

// Sets variables that OpenMP and OpenBLAS read when they are loaded; values that the user set are kept.
void SetLibraryVariables() {
  setenv("GOMP_SPINCOUNT", kSpinCount, /*overwrite=*/0);
  const char* kernels = BlasKernels();
  if (kernels != nullptr) setenv("OPENBLAS_CORETYPE", kernels, /*overwrite=*/0);
}

// A network allocates and frees blocks of the same sizes in each step. glibc would return the larger ones to the system
// each time, and allocating them again took half of the time of a training with thousands of rows. The cost is
// fragmentation: the peak memory of NPT with 4,096 rows was a quarter higher.
void KeepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

// What to do where LibTorch is missing.
std::string InstallRemedy() {
  if (TorchPackageFolder().empty()) {
    return "install LibTorch (Debian: libtorch1.13) and build with -DHAPLOSPIN_TORCH=ON";
  }
  return fmt::format("run: pip install 'haplospin[torch]' (torch {})", HAPLOSPIN_TORCH_VERSION);
}

// Throws InputError if the torch package beside a wheel is not there or of another version, whose functions need not be
// the same.
void CheckTorchPackage() {
  const std::string folder = TorchPackageFolder();
  if (folder.empty()) return;
  std::ifstream file(folder + "/version.py");
  if (!file) throw InputError("this needs LibTorch, but torch is not installed; " + InstallRemedy());
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kVersionLine = "__version__ = '";
    if (!line.starts_with(kVersionLine)) continue;
    const std::string version = line.substr(kVersionLine.size(), line.find_last_of('\'') - kVersionLine.size());
    if (version.substr(0, version.find('+')) == HAPLOSPIN_TORCH_VERSION) return;
    throw InputError(fmt::format("{} is torch {}, but this haplospin needs torch {}; {}", folder, version,
                                 HAPLOSPIN_TORCH_VERSION, InstallRemedy()));
  }
}

const TorchApi& Load() {
  SetLibraryVariables();
  CheckTorchPackage();
  const std::string path = TorchLibraryPath();
  // scripts/demo builds the program alone.
  if (HAPLOSPIN_WITH_TORCH && TorchPackageFolder().empty() && !std::filesystem::exists(path)) {
    throw InputError(fmt::format("this needs {}, which is not built; run: cmake --build --preset release", path));
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw InputError(fmt::format("this needs LibTorch, but {}; {}", dlerror(), InstallRemedy()));
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

const TorchApi* ParseAndLoad(CommandOptions& options, const Arguments& arguments) {
  bool is_run = false;
  try {
    is_run = options.Parse(arguments);
  } catch (const InputError&) {
    LoadTorchLibrary();
    throw;
  }
  if (!is_run) return nullptr;
  KeepFreedMemory();
  return &LoadTorchLibrary();
}

}  // namespace haplospin
