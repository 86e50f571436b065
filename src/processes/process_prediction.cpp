#include "processes/process_prediction.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int64_t kMaxPairs = int64_t{1} << 21;  // of targets and context points in one block
constexpr int64_t kIntervals = 11;

}  // namespace

Prediction PredictInBlocks(ProcessPredictor& predictor, const ProcessTasks& tasks) {
  const torch::NoGradGuard no_grad;
  const int64_t n = tasks.target_x.size(1);
  const int64_t per_target = tasks.target_x.size(0) * std::max<int64_t>(tasks.context_x.size(1), 64);
  const int64_t block = std::max<int64_t>(kMaxPairs / per_target, 1);
  if (n <= block || !predictor.TargetsAreIndependent()) {
    return predictor.Predict(tasks.context_x, tasks.context_y, tasks.target_x);
  }
  std::vector<torch::Tensor> means, sds;
  for (int64_t i = 0; i < n; i += block) {
    const Prediction part =
        predictor.Predict(tasks.context_x, tasks.context_y, tasks.target_x.narrow(1, i, std::min(block, n - i)));
    means.push_back(part.mean);
    sds.push_back(part.sd);
  }
  return {torch::cat(means, 2), torch::cat(sds, 2)};
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

}  // namespace haplospin
