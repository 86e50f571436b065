// The interface of libhaplospin_torch.so. The executable loads it at run time instead of linking it, because LibTorch
// is large and slow to load, and most commands do not need it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/options/command_options.h"
#include "core/safetensors.h"
#include "genotypes/imputation/stages/window_model.h"

namespace haplospin {

struct TrainImputerArguments;
struct TrainTokensArguments;
struct NpTrainArguments;
struct NpPredictArguments;
struct NpEvaluateArguments;
struct TabularTrainArguments;
struct TabularPredictArguments;
struct TabularEvaluateArguments;

struct TorchApi {
  const char* haplospin_version;  // must be the executable's own
  const char* torch_version;
  void (*train_imputer)(TrainImputerArguments);
  void (*train_tokens)(TrainTokensArguments);
  void (*np_train)(NpTrainArguments, const CommandOptions&, const Arguments& command_line);
  void (*np_predict)(const NpPredictArguments&, const CommandOptions&);
  void (*np_evaluate)(const NpEvaluateArguments&, const CommandOptions&, const Arguments& command_line);
  void (*tabular_train)(TabularTrainArguments, const CommandOptions&, const Arguments& command_line);
  void (*tabular_predict)(const TabularPredictArguments&);
  void (*tabular_evaluate)(const TabularEvaluateArguments&, const CommandOptions&, const Arguments& command_line);
  // Reads a model of another architecture than the imputer's (token_imputation/token_window_model.h).
  std::unique_ptr<WindowModel> (*make_window_model)(const Safetensors& file, const std::string& device,
                                                    int64_t max_bytes);
};

// The only symbol of the library that is looked up by name.
inline constexpr char kTorchApiSymbol[] = "HaplospinTorchApi";
using TorchApiFunction = const TorchApi* (*)();

}  // namespace haplospin
