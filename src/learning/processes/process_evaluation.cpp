#include "learning/processes/process_evaluation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/progress.h"
#include "haplospin/errors.h"
#include "learning/processes/csv_tasks.h"
#include "learning/processes/process_predictor.h"

namespace haplospin {
namespace {

constexpr int64_t kIntervals = 11;

// Predicts each task with its data scaled by its own context, as PredictGroup() does. The data of all tasks have the
// scale of the table.
Prediction PredictScaled(ProcessPredictor& predictor, const ProcessTasks& tasks) {
  const auto repeat = [](const torch::Tensor& points, double value) {
    return std::vector<double>(static_cast<size_t>(points.size(2)), value);
  };
  const DataScaling all_scaling{repeat(tasks.context_x, 0), repeat(tasks.context_x, 1), repeat(tasks.context_y, 0),
                                repeat(tasks.context_y, 1)};
  std::vector<Prediction> predictions;
  for (int64_t b = 0; b < tasks.target_x.size(0); ++b) {
    const auto in_double = [&](const torch::Tensor& part) { return part[b].to(torch::kFloat64); };
    const torch::Tensor cx = in_double(tasks.context_x), cy = in_double(tasks.context_y);
    const torch::Tensor tx = in_double(tasks.target_x);
    const DataScaling scaling = ScaleContext(cx, cy, tx, &all_scaling);
    predictions.push_back(scaling.Unscale(PredictInBlocks(predictor, scaling.ScaledTask(cx, cy, tx))));
  }
  const Prediction all = Join(predictions, 1);
  return {all.mean.to(torch::kFloat32), all.sd.to(torch::kFloat32)};
}

}  // namespace

EvaluationSums::EvaluationSums() : inside_(kIntervals, 0.0) {}

void EvaluationSums::Add(const Prediction& prediction, const torch::Tensor& target_y) {
  const torch::Tensor log_likelihood = LogLikelihood(prediction, target_y).mean(1).to(torch::kFloat64).contiguous();
  task_means_.insert(task_means_.end(), log_likelihood.data_ptr<double>(),
                     log_likelihood.data_ptr<double>() + log_likelihood.numel());
  squared_error_ += (MixtureMean(prediction) - target_y).square().sum().item<double>();
  targets_ += target_y.size(0) * target_y.size(1);
  observations_ += target_y.numel();
  // An observation is inside all central intervals of at least this probability.
  const torch::Tensor smallest = (2 * MixtureCdf(prediction, target_y) - 1).abs();
  for (int64_t i = 0; i < kIntervals; ++i) {
    const double confidence = static_cast<double>(i) / (kIntervals - 1);
    const torch::Tensor inside = i + 1 == kIntervals ? torch::ones_like(smallest) : (smallest < confidence);
    inside_[static_cast<size_t>(i)] += inside.sum().item<double>();
  }
}

ProcessEvaluation EvaluationSums::Result() const {
  HS_ASSERT(!task_means_.empty());
  ProcessEvaluation result;
  const auto n = static_cast<double>(task_means_.size());
  result.tasks = static_cast<int64_t>(task_means_.size());
  result.targets = targets_;
  result.log_likelihood = std::accumulate(task_means_.begin(), task_means_.end(), 0.0) / n;
  double squares = 0;
  for (const double mean : task_means_) squares += (mean - result.log_likelihood) * (mean - result.log_likelihood);
  result.standard_error = n > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
  result.rmse = std::sqrt(squared_error_ / static_cast<double>(observations_));
  for (int64_t i = 0; i < kIntervals; ++i) {
    const double confidence = static_cast<double>(i) / (kIntervals - 1);
    const double covered = inside_[static_cast<size_t>(i)] / static_cast<double>(observations_);
    result.confidence.push_back(confidence);
    result.covered.push_back(covered);
    result.calibration += (covered - confidence) * (covered - confidence) / kIntervals;
  }
  return result;
}

ProcessEvaluation EvaluatePredictor(const ChosenPredictor& chosen, const TaskSource& source, int64_t batches,
                                    int64_t batch, uint64_t seed) {
  const auto* csv = dynamic_cast<const CsvTasks*>(&source);
  const bool scale = csv != nullptr && chosen.NeedsContextScaling();
  ProcessTasks example;
  Prediction example_prediction;
  EvaluationSums sums;
  IntegerRange context{std::numeric_limits<int64_t>::max(), 0};
  double seconds = 0;
  Progress progress("evaluating", "batches", static_cast<double>(batches));
  for (int64_t k = 0; k < batches; ++k) {
    RandomStream random = BatchStream(seed, TaskStream::kTest, k);
    RandomStream same = random;
    for (const ProcessTasks& tasks : source.Draw(batch, random)) {
      context = {std::min(context.low, tasks.context_x.size(1)), std::max(context.high, tasks.context_x.size(1))};
      const auto start = std::chrono::steady_clock::now();
      Prediction prediction;
      if (chosen.predictor == nullptr) {
        prediction = source.DrawOracle(batch, same);
      } else {
        prediction = scale ? PredictScaled(*chosen.predictor, tasks) : PredictInBlocks(*chosen.predictor, tasks);
      }
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (!example.target_x.defined()) {
        example = tasks.Range(0, 1);
        example_prediction = {prediction.mean.narrow(1, 0, 1), prediction.sd.narrow(1, 0, 1)};
      }
      if (csv != nullptr) {
        sums.Add(csv->scaling().Unscale(prediction), csv->scaling().UnscaleY(tasks.target_y));
      } else {
        sums.Add(prediction, tasks.target_y);
      }
    }
    progress.Set(static_cast<double>(k + 1));
  }
  progress.Finish();
  ProcessEvaluation evaluation = sums.Result();
  evaluation.context = context;
  evaluation.seconds = seconds;
  evaluation.example = example;
  evaluation.example_prediction = example_prediction;
  return evaluation;
}

}  // namespace haplospin
