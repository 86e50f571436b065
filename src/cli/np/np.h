// The subcommands of haplospin np. Each takes its arguments, the first being its own name, and the model of a short
// form such as `haplospin te-tnp` ("" for none).
#pragma once

#include <string>

#include "cli/options/command.h"

namespace haplospin {

int NpTrainCommand(const Arguments& arguments, const std::string& model);
int NpPredictCommand(const Arguments& arguments, const std::string& model);
int NpEvaluateCommand(const Arguments& arguments, const std::string& model);

// The whole command line of a subcommand, from "np" or the short form on.
Arguments NpCommandLine(const Arguments& arguments, const std::string& model);

}  // namespace haplospin
