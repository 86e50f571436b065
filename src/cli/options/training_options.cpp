#include "cli/options/training_options.h"

namespace haplospin {

void DeclareTraining(CommandOptions& command, TrainingOptions& training, const std::string& learning_rate_help) {
  command.Add("steps", "N", &training.steps, "optimizer steps", {1, 100000000});
  command.Add("learning-rate", "RATE", &training.learning_rate, learning_rate_help, {1e-8, 1});
  command.Add("weight-decay", "RATE", &training.weight_decay, "weight decay of the optimizer", {0, 10});
  if (training.validation_steps > 0) {
    command.Add("validation-steps", "N", &training.validation_steps,
                "steps between validations; the best weights are the result", {1, 1000000});
    command.Add("patience", "N", &training.patience,
                "stop after N validations without a better one (0: do all the steps)", {0, 1000000});
  }
  command.Add("time-limit", "SECONDS", &training.time_limit,
              "stop training after this time; the learning rate is annealed to end with it (0: no limit)", {0, 1e8});
  command.AddSeed(&training.seed);
  command.AddDevice(&training.device);
}

void DeclareTrainingOutput(CommandOptions& command, TrainingOptions& training, const std::string& out_help) {
  command.Require("out,o", "FILE", &training.out, out_help);
  command.Add("log-steps", "N", &training.log_steps, "steps between progress lines (0: none)", {0, 1000000});
  command.Add("checkpoint", "FILE", &training.checkpoint, "state of the run, written while training");
  command.Add("checkpoint-steps", "N", &training.checkpoint_steps, "steps between checkpoints", {1, 1000000});
  command.AddFlag("resume", &training.resume, "continue from the checkpoint, with the same options");
  command.AddFlag("allow-changes", &training.allow_changes, "with --resume: continue with other options");
  command.Add("stop-after", "N", &training.stop_after,
              "stop after N steps with a checkpoint, to continue with --resume (0: never)", {0, 100000000});
}

}  // namespace haplospin
