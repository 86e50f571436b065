// The arguments of `haplospin train`: the program parses them, and functions in libhaplospin_torch use them.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "learning/imputer_training/imputer_trainer.h"
#include "learning/token_imputation/token_trainer.h"

namespace haplospin {

struct TrainImputerArguments {
  ImputerTraining training;
  std::vector<std::string> data;  // parsed by ParseTrainingSource()
  std::unordered_set<std::string> excluded_samples;
};

// The arguments of --arch spin, npt and set-transformer.
struct TrainTokensArguments {
  TokenTraining training;
  std::string panel, sites, region;
  std::unordered_set<std::string> excluded_samples;
};

// Train a model and write it to the output that was given. They are in libhaplospin_torch.
void RunTrainImputer(TrainImputerArguments arguments);
void RunTrainTokens(TrainTokensArguments arguments);

}  // namespace haplospin
