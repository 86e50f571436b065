#include "processes/task_source.h"

#include <algorithm>

#include "core/random.h"
#include "haplospin/errors.h"

namespace haplospin {

Prediction TaskSource::DrawOracle(int64_t, RandomStream&) const {
  throw InputError("only tasks of Gaussian processes (--task gp) have an oracle; choose another --model");
}

RandomStream BatchStream(uint64_t seed, TaskStream stream, int64_t batch) {
  return RandomStream(seed, {static_cast<uint64_t>(stream), static_cast<uint64_t>(batch)});
}

ProcessTasks SplitPoints(const torch::Tensor& x, const torch::Tensor& y, int64_t context, int64_t max_targets,
                         RandomStream& random) {
  const int64_t n = x.size(0);
  HS_ASSERT(context >= 0 && context < n);
  const int64_t targets = max_targets > 0 ? std::min(max_targets, n - context) : n - context;
  const torch::Tensor index = torch::tensor(RandomOrder<int64_t>(n, random));
  const torch::Tensor c = index.narrow(0, 0, context), t = index.narrow(0, context, targets);
  const auto take = [](const torch::Tensor& rows, const torch::Tensor& at) {
    return rows.index_select(0, at).unsqueeze(0).contiguous();
  };
  return {take(x, c), take(y, c), take(x, t), take(y, t)};
}

ProcessTasks JoinTasks(const std::vector<ProcessTasks>& tasks) {
  ProcessTasks batch;
  for (const auto part :
       {&ProcessTasks::context_x, &ProcessTasks::context_y, &ProcessTasks::target_x, &ProcessTasks::target_y}) {
    std::vector<torch::Tensor> parts;
    for (const ProcessTasks& task : tasks) parts.push_back(task.*part);
    batch.*part = torch::cat(parts);
  }
  return batch;
}

}  // namespace haplospin
