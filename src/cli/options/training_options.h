// The options that every `train` command has, with the same meaning.
#pragma once

#include <string>

#include "cli/options/command_options.h"
#include "learning/nn/training_options.h"

namespace haplospin {

// Declares the options of the optimization. Parsing fills `training`, whose present values are the defaults;
// --validation-steps and --patience are declared only if it validates.
void DeclareTraining(CommandOptions& command, TrainingOptions& training, const std::string& learning_rate_help);

// Declares the options of the output, and of interrupting and resuming a run.
void DeclareTrainingOutput(CommandOptions& command, TrainingOptions& training, const std::string& out_help);

}  // namespace haplospin
