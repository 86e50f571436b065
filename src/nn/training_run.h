// The one training loop: what is the same for every network that is trained here.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "nn/distributed/data_parallel.h"
#include "nn/optimization/gradient_clipping.h"
#include "nn/optimization/optimizer_factory.h"
#include "nn/optimization/schedule.h"
#include "nn/training_options.h"

namespace haplospin {

struct TrainingStep {
  int64_t number = 0;         // steps done before it
  int64_t schedule_step = 0;  // where schedules are: `number`, or later where the time limit will end the run sooner
};

struct StepLosses {
  double weight = 1;          // how many samples, in any unit, the losses are a mean of; 0: this step has none
  double total = 0;           // what is minimized
  std::vector<double> parts;  // for the log, always as many; the first is that of a validation's point
};

// What is special to one kind of network: its losses and how it is validated.
class TrainingObjective {
 public:
  virtual ~TrainingObjective() = default;

  // On the device of the run.
  virtual torch::nn::Module& network() = 0;

  // What a resumed run must have in common with the one it goes on from, besides the common options.
  virtual nlohmann::json Configuration() const = 0;

  // Adds the gradients of the mean loss over this process's share of the step's samples. Gradients are unset before.
  virtual StepLosses AddGradients(const TrainingStep& step) = 0;

  // Means of StepLosses::parts, for people.
  virtual std::string LossText(const std::vector<double>& means) const = 0;

  // A score of the network, in evaluation mode and without gradients; higher is better. NaN where a prediction is not
  // finite. Only where the options say how often.
  virtual double Validate();
  virtual std::string ScoreText(double score) const;

  // Before the first step of this process: puts the objective's own random streams where they are after that many.
  virtual void SkipSteps(int64_t /*steps*/) {}
};

// How a network is trained.
struct TrainingRecipe {
  OptimizerChoice optimizer;
  Schedule schedule = ConstantSchedule();  // of the learning rate
  Schedule warm_up = ConstantSchedule();   // another factor; of true steps, so that a time limit does not skip it
  GradientClipping clipping;
  bool keeps_best_when_diverged = false;  // where the loss is not finite after a validation: ends with the best weights
};

struct ValidationPoint {
  int64_t step = 0;
  double loss = 0;  // of training, mean since the point before
  double score = 0;
};

struct TrainingResult {
  bool is_finished = false;    // false: ended by stop_after
  bool has_diverged = false;   // the loss was not finite, and the best weights were kept
  int64_t steps = 0;           // done in all
  double seconds = 0;          // used in all
  std::vector<double> losses;  // means of the parts over the steps of the last line
  std::vector<ValidationPoint> curve;
  ValidationPoint best;
};

// Told after each step.
using TrainingObserver = std::function<void(const TrainingResult& so_far)>;

// Trains the objective's network; in the end it has the best weights by validation or, without validation, the last,
// and is in evaluation mode. The same seed gives the same weights on the CPU with the same number of threads and
// processes, interrupted or not. `observer` replaces the progress bar.
//
// Several processes share a run as DataParallel has it: rank 0 prints, validates, keeps the time and writes.
//
// Throws InputError as CheckTrainingOptions() does, where the checkpoint is of another configuration, and where the
// loss is not finite any more: then the checkpoint holds the last state from which it was.
TrainingResult RunTraining(const TrainingOptions& options, const TrainingRecipe& recipe, TrainingObjective& objective,
                           DataParallel& processes, const TrainingObserver& observer = {});

}  // namespace haplospin
