// The predictor that a user chooses, and its predictions for one task of the user's points.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/random.h"
#include "learning/models/neural_process/neural_process.h"
#include "learning/processes/fitted_gaussian_process.h"
#include "learning/processes/process_arguments.h"
#include "learning/processes/process_model.h"

namespace haplospin {

// Calls predictor.Predict() without gradients. Independent targets are predicted in blocks, so that memory depends on
// the context only.
Prediction PredictInBlocks(ProcessPredictor& predictor, const ProcessTasks& tasks);

// Functions drawn at the targets of one task, [count, n, dy]: targets are drawn one after the other in a random order,
// each with those before it added to the context, so that they are consistent although the model predicts only marginal
// distributions (Bruinsma et al., 2023).
torch::Tensor SampleFunctions(ProcessPredictor& predictor, const ProcessTasks& task, int64_t count,
                              RandomStream& random);

struct ChosenPredictor {
  std::string name;                             // the model's, "gp" or "oracle"
  std::string weights;                          // file; empty for Gaussian processes
  std::optional<ProcessModel> model;            // the contents of that file
  std::shared_ptr<ProcessPredictor> predictor;  // null: the oracle
  bool is_default = false;                      // neither a model nor weights were asked for

  // Returns whether the context of each task scales its data: the model was trained on simulated functions.
  bool NeedsContextScaling() const { return !model || !model->scaling; }

  // The first input in which a target lies outside the range of training by more than a hundredth of it; none if the
  // predictor is translation equivariant. `target_x` is scaled, [.., dx].
  std::optional<int64_t> ColumnOutsideTraining(const torch::Tensor& target_x) const;

  // Throws InputError if the numbers of inputs or outputs of the data differ from those of the model.
  void CheckDimensions(int64_t dx, int64_t dy) const;
};

// `inputs`: the number of inputs of the data, which selects the default weights. Throws InputError if model and weights
// contradict each other, or there are no default weights. With neither, a Gaussian process is fitted to each context.
ChosenPredictor ChoosePredictor(const PredictorOptions& options, size_t inputs);

// The observed points of one task, in the units of the data.
struct Points {
  torch::Tensor x, y;  // double [m, dx], [m, dy]
};

struct GroupPrediction {
  Prediction prediction;             // [s, 1, n, dy], in the units of the data
  torch::Tensor samples;             // functions, [samples, n, dy]; undefined: none
  bool is_outside_training = false;  // ChosenPredictor::ColumnOutsideTraining() found a column
};

// Predicts at target_x [n, dx], and draws as many functions as `samples`. `all_scaling` as in ScaleContext(). Throws
// InputError if functions are to be drawn at more than 400 targets.
GroupPrediction PredictGroup(const ChosenPredictor& chosen, const Points& context, const torch::Tensor& target_x,
                             int64_t samples, uint64_t seed, const DataScaling* all_scaling = nullptr);

}  // namespace haplospin
