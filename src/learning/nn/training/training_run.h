// The training loop of every network.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "learning/nn/optimization/optimizer.h"
#include "learning/nn/optimization/schedule.h"
#include "learning/nn/training/data_parallel.h"
#include "learning/nn/training_options.h"

namespace haplospin {

struct TrainingStep {
  int64_t number = 0;         // counted from 0
  int64_t schedule_step = 0;  // `number`, or more if a time limit will end the run early
};

struct StepLosses {
  double weight = 1;          // number of samples, in any unit; 0: none in this step
  double total = 0;           // mean loss, which is minimized
  std::vector<double> parts;  // losses in the log, as many in every step; ValidationPoint::loss is of the first
};

// The loss and the validation of a network.
class TrainingObjective {
 public:
  virtual ~TrainingObjective() = default;

  // The network, on the device of the run.
  virtual torch::nn::Module& network() = 0;

  // Returns the options that must not change when a run is resumed, besides the common ones.
  virtual nlohmann::json Configuration() const = 0;

  // Adds the gradients of the mean loss over this process's share of the step's samples. Gradients are unset before.
  virtual StepLosses AddGradients(const TrainingStep& step) = 0;

  // The line of the log for means of StepLosses::parts.
  virtual std::string LossText(const std::vector<double>& means) const = 0;

  // A score of the network, in evaluation mode and without gradients; higher is better. NaN if a prediction is not
  // finite. Called only if the options have validation_steps.
  virtual double Validate();
  virtual std::string ScoreText(double score) const;

  // Called before the first step of a resumed run: advances the random streams of the objective by `steps` steps.
  virtual void SkipSteps(int64_t /*steps*/) {}
};

// Optimizer, schedule and clipping of a training run.
struct TrainingRecipe {
  OptimizerChoice optimizer;
  Schedule schedule = ConstantSchedule();  // factor of the learning rate
  Schedule warm_up = ConstantSchedule();   // another factor, of TrainingStep::number: a time limit does not skip it
  GradientClipping clipping;
  bool keeps_best_when_diverged = false;  // stop with the best weights if the loss is not finite after a validation
};

struct ValidationPoint {
  int64_t step = 0;
  double loss = 0;  // training loss, mean since the previous point
  double score = 0;
};

struct TrainingResult {
  bool is_finished = false;    // false: stopped by stop_after
  bool has_diverged = false;   // the loss was not finite, and the best weights were kept
  int64_t steps = 0;           // including those before a resume
  double seconds = 0;          // training time, including that before a resume
  std::vector<double> losses;  // StepLosses::parts in the last line of the log: means over its steps
  std::vector<double> latest;  // StepLosses::parts of the last step
  std::vector<ValidationPoint> curve;
  ValidationPoint best;
};

using TrainingObserver = std::function<void(const TrainingResult& so_far)>;

// Trains the objective's network. At the end it has the best weights by validation, or the last without validation, and
// is in evaluation mode. The same seed gives the same weights on the CPU with the same number of threads and
// processes, interrupted or not. `observer` is called after each step and replaces the progress bar.
//
// In a run of several processes, rank 0 prints, validates, keeps the time and writes.
//
// Throws InputError as CheckTrainingOptions() does, where the checkpoint is of another configuration, and where the
// loss is not finite any more: then the checkpoint holds the last state from which it was.
TrainingResult RunTraining(const TrainingOptions& options, const TrainingRecipe& recipe, TrainingObjective& objective,
                           DataParallel& processes, const TrainingObserver& observer = {});

}  // namespace haplospin
