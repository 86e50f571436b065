// The commands in libhaplospin_torch.so, and the library's one entry point.
#include "cli/torch_commands.h"

#include <torch/version.h>

#include <vector>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli/torch_api.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"
#include "imputer_training/device/torch_backend.h"
#include "models/architecture.h"
#include "token_imputation/token_window_model.h"

namespace haplospin {
namespace {

struct TorchCommandEntry {
  const char* name;
  CommandFunction run;
};

const std::vector<TorchCommandEntry> kTorchCommands = {
    {"train", TrainCommand}, {"tabular", TabularCommand}, {"np", NpCommand},
    {"ipnp", IpnpCommand},   {"te-tnp", TeTnpCommand},
};

// A network allocates and frees blocks of the same sizes in each step. glibc would return the larger ones to the system
// each time, and allocating them again took half of the time of a training with thousands of rows. The cost is
// fragmentation: the peak memory of NPT with 4,096 rows was a quarter higher.
void KeepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int RunCommand(const Arguments& arguments) {
  KeepFreedMemory();
  for (const auto& [name, run] : kTorchCommands) {
    if (arguments.at(0) == name) return run(arguments);
  }
  if (FindArchitecture(arguments.at(0)) != nullptr) return TabularCommand(arguments);  // tables, by the network's name
  HS_ASSERT(!"every command of main.cpp's table that is run by TorchCommand is in kTorchCommands");
  return 1;
}

const TorchApi kApi = {.haplospin_version = kVersion,
                       .torch_version = TORCH_VERSION,
                       .run_command = RunCommand,
                       .make_backend = MakeTorchBackend,
                       .make_window_model = MakeTokenWindowModel,
                       .sees_cuda_device = SeesCudaDevice};

}  // namespace
}  // namespace haplospin

extern "C" const haplospin::TorchApi* HaplospinTorchApi() { return &haplospin::kApi; }
