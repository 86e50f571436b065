// The options that every `train` command has, with the same meaning.
#pragma once

#include <string>

#include "cli/options/command_options.h"
#include "nn/training_options.h"

namespace haplospin {

// Declares the options of the optimization. Parsing fills `training`, whose present values are the defaults;
// --validation-steps and --patience are declared only if it validates.
void DeclareTraining(CommandOptions& command, TrainingOptions& training, const std::string& learning_rate_help);

// Declares the options of the output, and of interrupting and resuming a run.
void DeclareTrainingOutput(CommandOptions& command, TrainingOptions& training, const std::string& out_help);

class TrainingArguments {
 public:
  explicit TrainingArguments(TrainingOptions& options) : options_(options), seed(options.seed) {}
  void DeclareTraining(CommandOptions& command, const std::string& help) {
    haplospin::DeclareTraining(command, options_, help);
  }
  void DeclareOutput(CommandOptions& command, const std::string& help) {
    DeclareTrainingOutput(command, options_, help);
  }
  void Finish() { PrepareTraining(options_); }

 private:
  TrainingOptions& options_;

 public:
  uint64_t& seed;
};

}  // namespace haplospin
