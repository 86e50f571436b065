// The sub-commands of `haplospin tabular`, and of the models by their own names. Their arguments begin with both names:
// {"hopular", "train", ...}.
#pragma once

#include "cli/options/command.h"

namespace haplospin {

int TabularTrainCommand(const Arguments& arguments);
int TabularPredictCommand(const Arguments& arguments);
int TabularEvaluateCommand(const Arguments& arguments);

}  // namespace haplospin
