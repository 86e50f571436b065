#include "cli/np/np_evaluation.h"

#include <chrono>
#include <vector>

#include "core/progress/progress.h"
#include "processes/csv_tasks.h"

namespace haplospin {
namespace {

// Each task of a batch with data scaled by its own context.
Prediction PredictScaled(ProcessPredictor& predictor, const ProcessTasks& tasks) {
  std::vector<torch::Tensor> means, sds;
  for (int64_t b = 0; b < tasks.target_x.size(0); ++b) {
    const auto in_double = [&](const torch::Tensor& part) { return part[b].to(torch::kFloat64); };
    const torch::Tensor cx = in_double(tasks.context_x), cy = in_double(tasks.context_y);
    const torch::Tensor tx = in_double(tasks.target_x);
    const DataScaling scaling = ScalingOfContext(cx, cy, tx);
    const Prediction one = scaling.Unscale(PredictInBlocks(
        predictor,
        {scaling.ScaleX(cx).unsqueeze(0), scaling.ScaleY(cy).unsqueeze(0), scaling.ScaleX(tx).unsqueeze(0), {}}));
    means.push_back(one.mean.to(torch::kFloat32));
    sds.push_back(one.sd.to(torch::kFloat32));
  }
  return {torch::cat(means, 1), torch::cat(sds, 1)};
}

ProcessTasks FirstTask(const ProcessTasks& tasks) {
  return {tasks.context_x.narrow(0, 0, 1), tasks.context_y.narrow(0, 0, 1), tasks.target_x.narrow(0, 0, 1),
          tasks.target_y.narrow(0, 0, 1)};
}

// In the units of the table.
torch::Tensor UnscaleY(const DataScaling& scaling, const torch::Tensor& y) {
  return scaling.Unscale({y, torch::ones_like(y)}).mean;
}

}  // namespace

NpEvaluation EvaluatePredictor(const ChosenPredictor& chosen, const TaskSource& source, int64_t batches, int64_t batch,
                               uint64_t seed) {
  const auto* csv = dynamic_cast<const CsvTasks*>(&source);
  const bool scale = csv != nullptr && chosen.NeedsContextScaling();
  NpEvaluation outcome;
  EvaluationSums sums;
  Progress progress("evaluating", "batches", static_cast<double>(batches));
  for (int64_t k = 0; k < batches; ++k) {
    RandomStream random = BatchStream(seed, TaskStream::kTest, k);
    RandomStream same = random;
    for (const ProcessTasks& tasks : source.Draw(batch, random)) {
      const auto start = std::chrono::steady_clock::now();
      Prediction prediction;
      if (chosen.predictor == nullptr) {
        prediction = source.DrawOracle(batch, same);
      } else {
        prediction = scale ? PredictScaled(*chosen.predictor, tasks) : PredictInBlocks(*chosen.predictor, tasks);
      }
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      outcome.seconds += took.count();
      if (!outcome.example.tasks.target_x.defined()) {
        outcome.example = {FirstTask(tasks), {prediction.mean.narrow(1, 0, 1), prediction.sd.narrow(1, 0, 1)}};
      }
      if (csv != nullptr) {
        sums.Add(csv->scaling().Unscale(prediction), UnscaleY(csv->scaling(), tasks.target_y));
      } else {
        sums.Add(prediction, tasks.target_y);
      }
    }
    progress.Set(static_cast<double>(k + 1));
  }
  progress.Finish();
  outcome.figures = sums.Result();
  return outcome;
}

}  // namespace haplospin
