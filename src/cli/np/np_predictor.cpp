#include "cli/np/np_predictor.h"

#include <fmt/format.h>

#include "cli/np/np_options.h"
#include "haplospin/errors.h"
#include "processes/gaussian_process.h"

namespace haplospin {

void PredictorArguments::Declare(CommandOptions& options, bool choose_model, bool with_oracle) {
  options.Group("Model");
  options.Add("weights,w", "FILE", &weights, "weights made by haplospin np train [the default weights]");
  if (choose_model) {
    std::vector<std::string> choices = {"auto", "gp"};
    if (with_oracle) choices.push_back("oracle");
    for (const std::string& name : ProcessModels()) choices.push_back(name);
    model = "auto";
    options.AddChoice("model", &model, choices,
                      with_oracle ? "auto: the model of the weights; gp: a Gaussian process fitted to each context; "
                                    "oracle: the Gaussian process that generated the tasks"
                                  : "auto: the model of the weights; gp: a Gaussian process fitted to the context");
  }
  options.Add("test-samples", "N", &test_samples,
              "samples of the latent variable, or bootstraps; 0: as many as the weights were trained for", {0, 10000});
  options.AddChoice("gp-kernel", &gp_kernel, {"se", "periodic", "matern52", "linear"}, "of --model gp");
  options.Add("gp-iterations", "N", &gp_iterations, "optimization steps to fit --model gp", {1, 1000000});
}

std::optional<int64_t> ChosenPredictor::ColumnOutsideTraining(const torch::Tensor& target_x) const {
  if (!model || predictor->IsTranslationEquivariant()) return std::nullopt;
  for (int64_t c = 0; c < target_x.size(-1); ++c) {
    const torch::Tensor x = target_x.select(-1, c);
    const double low = model->x_low[c], high = model->x_high[c], slack = 0.01 * (high - low);
    if (x.min().item<double>() < low - slack || x.max().item<double>() > high + slack) return c;
  }
  return std::nullopt;
}

void ChosenPredictor::CheckDimensions(int64_t dx, int64_t dy) const {
  if (!model || (model->options.dx == dx && model->options.dy == dy)) return;
  throw InputError(fmt::format(
      "{}: the model has {} inputs and {} outputs, the data have {} and {}; give as many columns in --x and --y, or "
      "train a model for these data",
      weights, model->options.dx, model->options.dy, dx, dy));
}

ChosenPredictor ChoosePredictor(const PredictorArguments& a, size_t inputs) {
  ChosenPredictor chosen{.name = a.model, .weights = a.weights, .model = {}, .predictor = nullptr};
  if (a.model == "gp" || a.model == "oracle") {
    if (!a.weights.empty()) throw InputError(fmt::format("--model {} has no weights; omit --weights", a.model));
    if (a.model == "oracle") return chosen;
    chosen.predictor = std::make_shared<FittedGaussianProcess>(
        GpFitOptions{.kernel = ParseGpKernel(a.gp_kernel), .iterations = a.gp_iterations});
    return chosen;
  }
  if (chosen.weights.empty()) chosen.weights = ShippedWeights(a.model == "auto" ? "te-tnp" : a.model, inputs);
  chosen.model = ReadProcessModel(chosen.weights, a.test_samples);
  if (a.model != "auto" && chosen.model->options.model != a.model) {
    throw InputError(
        fmt::format("{}: the weights are of {}, not of {}", chosen.weights, chosen.model->options.model, a.model));
  }
  chosen.name = chosen.model->options.model;
  chosen.predictor = chosen.model->network;
  return chosen;
}

}  // namespace haplospin
