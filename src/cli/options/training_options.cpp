#include "cli/options/training_options.h"

#include "core/log.h"

namespace haplospin {

void TrainingArguments::DeclareTraining(CommandOptions& command, const std::string& learning_rate_help) {
  command.Add("steps", "N", &options_.steps, "optimizer steps", {1, 100000000});
  command.Add("learning-rate", "RATE", &options_.learning_rate, learning_rate_help, {1e-8, 1});
  command.Add("weight-decay", "RATE", &options_.weight_decay, "weight decay of the optimizer", {0, 10});
  if (options_.validation_steps > 0) {
    command.Add("validation-steps", "N", &options_.validation_steps,
                "steps between validations; the best weights are the result", {1, 1000000});
    command.Add("patience", "N", &options_.patience,
                "stop after N validations without a better one (0: do all the steps)", {0, 1000000});
  }
  command.Add("time-limit", "SECONDS", &options_.time_limit,
              "stop training after this time; the learning rate is annealed to end with it (0: no limit)", {0, 1e8});
  command.AddSeed(&seed);
  command.AddDevice(&options_.device);
}

void TrainingArguments::DeclareOutput(CommandOptions& command, const std::string& out_help) {
  command.Require("out,o", "FILE", &options_.out, out_help);
  command.Add("log-steps", "N", &options_.log_steps, "steps between progress lines (0: none)", {0, 1000000});
  command.Add("checkpoint", "FILE", &options_.checkpoint, "state of the run, written while training");
  command.Add("checkpoint-steps", "N", &options_.checkpoint_steps, "steps between checkpoints", {1, 1000000});
  command.AddFlag("resume", &options_.resume, "continue from the checkpoint, with the same options");
  command.AddFlag("allow-changes", &options_.allow_changes, "with --resume: continue with other options");
  command.Add("stop-after", "N", &options_.stop_after,
              "stop after N steps with a checkpoint, to continue with --resume (0: never)", {0, 100000000});
}

void TrainingArguments::Finish() {
  options_.seed = static_cast<uint64_t>(seed);
  options_.place = ProcessPlaceFromEnvironment();
  if (options_.place.rank > 0) SetQuiet(true);
  CheckTrainingOptions(options_);
  if (options_.place.world_size > 1) LogInfo("{} processes train together", options_.place.world_size);
}

}  // namespace haplospin
