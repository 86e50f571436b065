// The predictor selected by the options of np predict and np evaluate.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/options/command_options.h"
#include "processes/process_model.h"

namespace haplospin {

struct PredictorArguments {
  std::string model, weights;  // model is fixed beforehand by a short form such as te-tnp
  std::string gp_kernel = "se";
  int64_t gp_iterations = 1000;
  int64_t test_samples = 0;  // 0: the model's

  void Declare(CommandOptions& options, bool choose_model, bool with_oracle);
};

struct ChosenPredictor {
  std::string name;
  std::string weights;                          // file; empty for Gaussian processes
  std::optional<ProcessModel> model;            // of that file
  std::shared_ptr<ProcessPredictor> predictor;  // null: the oracle

  // A model trained on simulated functions needs data scaled by each context.
  bool NeedsContextScaling() const { return !model || !model->scaling; }

  // The first input of which a target lies outside the range of training by more than a hundredth of it; nothing for a
  // predictor that does not depend on where the inputs are. `target_x` is scaled, [..., dx].
  std::optional<int64_t> ColumnOutsideTraining(const torch::Tensor& target_x) const;

  // Throws InputError if the numbers of inputs or outputs of the data differ from those of the model.
  void CheckDimensions(int64_t dx, int64_t dy) const;
};

// `inputs`: those of the data, which the default weights depend on. Throws InputError if --model and --weights
// contradict each other, or there are no weights.
ChosenPredictor ChoosePredictor(const PredictorArguments& arguments, size_t inputs);

}  // namespace haplospin
