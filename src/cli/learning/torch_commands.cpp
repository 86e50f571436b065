// The entry point of libhaplospin_torch.so.
#include <torch/version.h>

#include "cli/learning/np/np_options.h"
#include "cli/learning/tabular/tabular_options.h"
#include "cli/learning/torch/torch_api.h"
#include "cli/learning/train/train_arguments.h"
#include "haplospin/version.h"
#include "learning/token_imputation/token_window_model.h"

namespace haplospin {
namespace {

const TorchApi kApi = {.haplospin_version = kVersion,
                       .torch_version = TORCH_VERSION,
                       .train_imputer = RunTrainImputer,
                       .train_tokens = RunTrainTokens,
                       .np_train = RunNpTrain,
                       .np_predict = RunNpPredict,
                       .np_evaluate = RunNpEvaluate,
                       .tabular_train = RunTabularTrain,
                       .tabular_predict = RunTabularPredict,
                       .tabular_evaluate = RunTabularEvaluate,
                       .make_window_model = MakeTokenWindowModel};

}  // namespace
}  // namespace haplospin

extern "C" const haplospin::TorchApi* HaplospinTorchApi() { return &haplospin::kApi; }
