// The commands in libhaplospin_torch.so, and the library's one entry point.
#include "cli/torch_commands.h"

#include <torch/version.h>

#include <vector>

#include "cli/tabular/tabular_options.h"
#include "cli/torch/torch_api.h"
#include "cli/train/train_arguments.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"
#include "imputer_training/device/torch_backend.h"
#include "token_imputation/token_window_model.h"

namespace haplospin {
namespace {

struct TorchCommandEntry {
  const char* name;
  CommandFunction run;
};

const std::vector<TorchCommandEntry> kTorchCommands = {
    {"np", NpCommand},
    {"ipnp", IpnpCommand},
    {"te-tnp", TeTnpCommand},
};

int RunCommand(const Arguments& arguments) {
  for (const auto& [name, run] : kTorchCommands) {
    if (arguments.at(0) == name) return run(arguments);
  }
  HS_ASSERT(!"every command of main.cpp's table that is run by TorchCommand is in kTorchCommands");
  return 1;
}

const TorchApi kApi = {.haplospin_version = kVersion,
                       .torch_version = TORCH_VERSION,
                       .run_command = RunCommand,
                       .train_imputer = RunTrainImputer,
                       .train_tokens = RunTrainTokens,
                       .tabular_train = RunTabularTrain,
                       .tabular_predict = RunTabularPredict,
                       .tabular_evaluate = RunTabularEvaluate,
                       .make_backend = MakeTorchBackend,
                       .make_window_model = MakeTokenWindowModel,
                       .sees_cuda_device = SeesCudaDevice};

}  // namespace
}  // namespace haplospin

extern "C" const haplospin::TorchApi* HaplospinTorchApi() { return &haplospin::kApi; }
