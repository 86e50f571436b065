// What a network for tables it has never seen is trained to do.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "models/in_context/in_context_network.h"
#include "tabular/pretrained/table_task.h"

namespace haplospin {

// A table as the network reads it; n rows, of which c are the context. Does not depend on the network's weights.
struct NetworkTask {
  torch::Tensor cells;    // [n, d, kCellInputs]
  torch::Tensor known;    // [c, kLabelInputs + kFitInputs]
  torch::Tensor unknown;  // [n - c, kLabelInputs + kFitInputs]
  torch::Tensor fitted;   // [n - c, kMaxClasses + kNumberBins]: logits of the fits
  torch::Tensor labels;   // [n - c]
  int64_t classes = 0;
};

// `seed`: of CellInputs().
NetworkTask MakeNetworkTask(const TableTask& table, uint64_t seed);

struct TaskPredictions {
  torch::Tensor logits;  // of the rows after the context: of each class, or of each bin of the standardized label
  torch::Tensor labels;  // of the same rows
  int64_t classes = 0;

  // Cross-entropy, of numbers with the shares of the bins; a mean over the rows.
  torch::Tensor Loss() const;
};

// Predicts the rows after the context of each table. The tables have the same sizes.
std::vector<TaskPredictions> PredictTasks(InContextNetworkImpl& network, const std::vector<NetworkTask>& tasks,
                                          torch::Device device);

}  // namespace haplospin
