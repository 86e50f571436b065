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
constexpr int64_t kMaxGroupTasks = 16;  // tasks of a group of a table, each with another context

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

// What evaluations of any tasks have in common.
class Evaluator {
 protected:
  explicit Evaluator(const ChosenPredictor& chosen) : chosen_(chosen) {}

  // Calls predict() for the tasks, and keeps the time, the numbers of context points, and the first task.
  template <typename Predict>
  Prediction Timed(const ProcessTasks& tasks, const Predict& predict) {
    context_ = {std::min(context_.low, tasks.context_x.size(1)), std::max(context_.high, tasks.context_x.size(1))};
    const auto start = std::chrono::steady_clock::now();
    const Prediction prediction = predict();
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!example_.target_x.defined()) {
      example_ = tasks.Range(0, 1);
      example_prediction_ = {prediction.mean.narrow(1, 0, 1), prediction.sd.narrow(1, 0, 1)};
    }
    return prediction;
  }

  ProcessEvaluation Result() const {
    ProcessEvaluation evaluation = sums_.Result();
    evaluation.context = context_;
    evaluation.seconds = seconds_;
    evaluation.example = example_;
    evaluation.example_prediction = example_prediction_;
    return evaluation;
  }

  const ChosenPredictor& chosen_;
  EvaluationSums sums_;

 private:
  IntegerRange context_{std::numeric_limits<int64_t>::max(), 0};
  double seconds_ = 0;
  ProcessTasks example_;
  Prediction example_prediction_;
};

class SimulationEvaluator : Evaluator {
 public:
  SimulationEvaluator(const ChosenPredictor& chosen, const TaskSource& source) : Evaluator(chosen), source_(source) {}

  ProcessEvaluation Evaluate(int64_t batches, int64_t batch, uint64_t seed) {
    Progress progress("evaluating", "batches", static_cast<double>(batches));
    for (int64_t k = 0; k < batches; ++k) {
      RandomStream random = BatchStream(seed, TaskStream::kTest, k);
      RandomStream same = random;
      for (const ProcessTasks& tasks : source_.Draw(batch, random)) {
        sums_.Add(Timed(tasks,
                        [&] {
                          return chosen_.predictor == nullptr ? source_.DrawOracle(batch, same)
                                                              : PredictInBlocks(*chosen_.predictor, tasks);
                        }),
                  tasks.target_y);
      }
      progress.Set(static_cast<double>(k + 1));
    }
    progress.Finish();
    return Result();
  }

 private:
  const TaskSource& source_;
};

class TableEvaluator : Evaluator {
 public:
  TableEvaluator(const ChosenPredictor& chosen, const CsvTasks& source) : Evaluator(chosen), source_(source) {}

  ProcessEvaluation Evaluate(int64_t max_tasks, uint64_t seed) {
    const auto groups = static_cast<int64_t>(source_.num_groups());
    const int64_t rounds = std::clamp<int64_t>(max_tasks / groups, 1, kMaxGroupTasks);
    RandomStream random = BatchStream(seed, TaskStream::kTest, 0);
    const auto order = RandomOrder<size_t>(groups, random);
    const int64_t used = std::min(groups, std::max<int64_t>(1, max_tasks));
    Progress progress("evaluating", "tasks", static_cast<double>(rounds * used));
    for (int64_t round = 0; round < rounds; ++round) {
      for (int64_t k = 0; k < used; ++k) {
        AddTask(order[static_cast<size_t>(k)], random);
        progress.Advance(1);
      }
    }
    progress.Finish();
    return Result();
  }

 private:
  void AddTask(size_t group, RandomStream& random) {
    const ProcessTasks task = source_.DrawGroup(group, random);
    const Prediction prediction = Timed(task, [&] {
      if (chosen_.predictor == nullptr) return source_.DrawOracle(1, random);
      return chosen_.NeedsContextScaling() ? PredictScaled(*chosen_.predictor, task)
                                           : PredictInBlocks(*chosen_.predictor, task);
    });
    sums_.Add(source_.scaling().Unscale(prediction), source_.scaling().UnscaleY(task.target_y), group);
  }

  const CsvTasks& source_;
};

}  // namespace

EvaluationSums::EvaluationSums() : inside_(kIntervals, 0.0) {}

void EvaluationSums::Add(const Prediction& prediction, const torch::Tensor& target_y, std::optional<size_t> group) {
  const torch::Tensor log_likelihood = LogLikelihood(prediction, target_y).mean(1).to(torch::kFloat64).contiguous();
  for (int64_t b = 0; b < log_likelihood.numel(); ++b) {
    const size_t at = group.value_or(groups_.size());
    if (at >= groups_.size()) groups_.resize(at + 1);
    groups_[at].sum += log_likelihood.data_ptr<double>()[b];
    ++groups_[at].tasks;
  }
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
  ProcessEvaluation result;
  std::vector<double> means;
  for (const Mean& group : groups_) {
    if (group.tasks == 0) continue;
    means.push_back(group.sum / static_cast<double>(group.tasks));
    result.tasks += group.tasks;
  }
  HS_ASSERT(!means.empty());
  const auto n = static_cast<double>(means.size());
  result.groups = std::ssize(means);
  result.targets = targets_;
  result.log_likelihood = std::accumulate(means.begin(), means.end(), 0.0) / n;
  double squares = 0;
  for (const double mean : means) squares += (mean - result.log_likelihood) * (mean - result.log_likelihood);
  if (means.size() > 1) result.standard_error = std::sqrt(squares / (n - 1) / n);
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
  return csv != nullptr ? TableEvaluator(chosen, *csv).Evaluate(batches * batch, seed)
                        : SimulationEvaluator(chosen, source).Evaluate(batches, batch, seed);
}

}  // namespace haplospin
