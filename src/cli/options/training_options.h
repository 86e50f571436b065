// The options that every `train` command has, with the same meaning.
#pragma once

#include <string>

#include "cli/options/command_options.h"
#include "nn/training_options.h"

namespace haplospin {

class TrainingArguments {
 public:
  // Parsing fills `options`, whose present values are the defaults.
  explicit TrainingArguments(TrainingOptions& options) : options_(options) {}
  TrainingArguments(const TrainingArguments&) = delete;
  TrainingArguments& operator=(const TrainingArguments&) = delete;

  // How to learn. --validation-steps and --patience are there where `options` validates.
  void DeclareTraining(CommandOptions& command, const std::string& learning_rate_help);

  // What is written, and how a run is interrupted and resumed.
  void DeclareOutput(CommandOptions& command, const std::string& out_help);

  // After parsing: takes the process's place from the environment, and keeps all but rank 0 quiet. Throws InputError as
  // CheckTrainingOptions() does.
  void Finish();

  int64_t seed = 1;

 private:
  TrainingOptions& options_;
};

}  // namespace haplospin
