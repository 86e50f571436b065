#include "learning/processes/process_predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/install_paths.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int64_t kMaxPairs = int64_t{1} << 21;  // pairs of a target and a context point in one block
constexpr int64_t kMaxSampledTargets = 400;

// The model where neither --model nor --weights is given. The weights that come with haplospin are a choice (te-tnp),
// because their errors are twice those of a fitted Gaussian process (benchmarks/processes/RESULTS.md, Curves).
constexpr const char* kDefaultModel = "gp";

std::string DefaultWeights(const std::string& model, size_t inputs) {
  if (model != "te-tnp") {
    throw InputError(
        fmt::format("there are no default weights for {}, only for te-tnp; train a model with haplospin np train "
                    "--model {} and give --weights",
                    model, model));
  }
  if (inputs > 2) {
    throw InputError(
        fmt::format("the default weights are for one or two inputs, not for {}; use --model gp, or train a model with "
                    "haplospin np train and give --weights",
                    inputs));
  }
  const char* name = inputs == 2 ? "te-tnp-2d.safetensors" : "te-tnp-1d.safetensors";
  return (std::filesystem::path(ModelsFolder()) / name).string();
}

}  // namespace

Prediction PredictInBlocks(ProcessPredictor& predictor, const ProcessTasks& tasks) {
  const torch::NoGradGuard no_grad;
  const int64_t n = tasks.target_x.size(1);
  const int64_t per_target = tasks.target_x.size(0) * std::max<int64_t>(tasks.context_x.size(1), 64);
  const int64_t block = std::max<int64_t>(kMaxPairs / per_target, 1);
  if (n <= block || !predictor.TargetsAreIndependent()) {
    return predictor.Predict(tasks.context_x, tasks.context_y, tasks.target_x);
  }
  std::vector<Prediction> parts;
  for (int64_t i = 0; i < n; i += block) {
    const torch::Tensor targets = tasks.target_x.narrow(1, i, std::min(block, n - i));
    parts.push_back(predictor.Predict(tasks.context_x, tasks.context_y, targets));
  }
  return Join(parts, 2);
}

torch::Tensor SampleFunctions(ProcessPredictor& predictor, const ProcessTasks& task, int64_t count,
                              RandomStream& random) {
  HS_ASSERT(task.target_x.size(0) == 1);
  const torch::NoGradGuard no_grad;
  const int64_t n = task.target_x.size(1), dy = task.context_y.size(2);
  const auto order = RandomOrder<int64_t>(n, random);
  torch::Tensor x = task.context_x.expand({count, -1, -1}), y = task.context_y.expand({count, -1, -1});
  torch::Tensor samples = torch::empty({count, n, dy}, task.target_x.options());
  for (const int64_t target : order) {
    const torch::Tensor at = task.target_x.narrow(1, target, 1).expand({count, -1, -1});
    const Prediction p = predictor.Predict(x, y, at);
    torch::Tensor drawn = torch::empty({count, 1, dy}, at.options());
    for (int64_t k = 0; k < count; ++k) {
      const auto component = static_cast<int64_t>(random.UniformInt(static_cast<uint64_t>(p.mean.size(0))));
      for (int64_t d = 0; d < dy; ++d) {
        drawn[k][0][d] = p.mean[component][k][0][d] + p.sd[component][k][0][d] * random.Normal();
      }
    }
    samples.narrow(1, target, 1).copy_(drawn);
    x = torch::cat({x, at}, 1);
    y = torch::cat({y, drawn}, 1);
  }
  return samples;
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

ChosenPredictor ChoosePredictor(const PredictorOptions& options, size_t inputs) {
  const bool is_default = options.model == "auto" && options.weights.empty();
  ChosenPredictor chosen{.name = is_default ? kDefaultModel : options.model,
                         .weights = options.weights,
                         .model = {},
                         .predictor = nullptr,
                         .is_default = is_default};
  if (chosen.name == "gp" || chosen.name == "oracle") {
    if (!options.weights.empty()) {
      throw InputError(fmt::format("--model {} has no weights; omit --weights", chosen.name));
    }
    if (chosen.name == "gp") chosen.predictor = std::make_shared<FittedGaussianProcess>(options.gp_kernel);
    return chosen;
  }
  if (chosen.weights.empty()) chosen.weights = DefaultWeights(chosen.name, inputs);
  chosen.model = ReadProcessModel(chosen.weights, options.test_samples);
  chosen.name = chosen.model->options.model;
  if (options.model != "auto" && options.model != chosen.name) {
    throw InputError(fmt::format("{}: the weights are of {}, not of {}", chosen.weights, chosen.name, options.model));
  }
  chosen.predictor = chosen.model->network;
  return chosen;
}

GroupPrediction PredictGroup(const ChosenPredictor& chosen, const Points& context, const torch::Tensor& target_x,
                             int64_t samples, uint64_t seed, const DataScaling* all_scaling) {
  if (samples > 0 && target_x.size(0) > kMaxSampledTargets) {
    throw InputError(fmt::format("np predict: {} targets are too many for --samples; at most {} are allowed in a group",
                                 target_x.size(0), kMaxSampledTargets));
  }
  const DataScaling scaling =
      chosen.NeedsContextScaling() ? ScaleContext(context.x, context.y, target_x, all_scaling) : *chosen.model->scaling;
  const ProcessTasks task = scaling.ScaledTask(context.x, context.y, target_x);
  const auto fitted = chosen.predictor->FitTo(task.context_x[0], task.context_y[0]);
  ProcessPredictor& predictor = fitted ? *fitted : *chosen.predictor;
  GroupPrediction result{.prediction = scaling.Unscale(PredictInBlocks(predictor, task)),
                         .samples = {},
                         .is_outside_training = chosen.ColumnOutsideTraining(task.target_x).has_value()};
  if (samples > 0) {
    RandomStream random(seed, {3});
    result.samples = scaling.UnscaleY(SampleFunctions(predictor, task, samples, random));
  }
  return result;
}

}  // namespace haplospin
