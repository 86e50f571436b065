#include "cli/np/np_group_prediction.h"

#include <fmt/format.h>

#include "cli/np/np_plots.h"
#include "haplospin/errors.h"
#include "processes/process_prediction.h"

namespace haplospin {
namespace {

constexpr int64_t kMaxSampled = 400;

DataScaling ScalingFor(const ChosenPredictor& chosen, const Points& context, const torch::Tensor& target_x) {
  return chosen.NeedsContextScaling() ? ScalingOfContext(context.x, context.y, target_x) : *chosen.model->scaling;
}

}  // namespace

GroupPrediction PredictGroup(const ChosenPredictor& chosen, const Points& context, const torch::Tensor& target_x,
                             const GroupPredictionOptions& options) {
  if (options.samples > 0 && target_x.size(0) > kMaxSampled) {
    throw InputError(fmt::format("np predict: {} targets are too many for --samples; at most {} are allowed in a group",
                                 target_x.size(0), kMaxSampled));
  }
  const DataScaling scaling = ScalingFor(chosen, context, target_x);
  const ProcessTasks task{scaling.ScaleX(context.x).unsqueeze(0),
                          scaling.ScaleY(context.y).unsqueeze(0),
                          scaling.ScaleX(target_x).unsqueeze(0),
                          {}};
  const Prediction prediction = scaling.Unscale(PredictInBlocks(*chosen.predictor, task));
  GroupPrediction result{.context = context,
                         .target_x = target_x,
                         .mean = MixtureMean(prediction)[0],
                         .sd = MixtureSd(prediction)[0],
                         .low = MixtureQuantile(prediction, kBandLow)[0],
                         .high = MixtureQuantile(prediction, kBandHigh)[0],
                         .is_outside_training = chosen.ColumnOutsideTraining(task.target_x).has_value()};
  for (const double q : options.quantiles) result.quantiles.push_back(MixtureQuantile(prediction, q)[0]);
  if (options.samples > 0) {
    RandomStream random(options.seed, {3});
    const torch::Tensor drawn = SampleFunctions(*chosen.predictor, task, options.samples, random);
    result.samples = scaling.Unscale({drawn, torch::ones_like(drawn)}).mean;
  }
  return result;
}

}  // namespace haplospin
