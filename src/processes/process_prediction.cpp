#include "processes/process_prediction.h"

#include <algorithm>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int64_t kMaxPairs = int64_t{1} << 21;  // pairs of a target and a context point in one block

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

}  // namespace haplospin
