// What a network for tables it has never seen is trained to do.
#pragma once

#include <vector>

#include "models/in_context/in_context_network.h"
#include "tabular/prior/synthetic_task.h"

namespace haplospin {

struct TaskPredictions {
  torch::Tensor logits;  // of the rows after the context: of each class, or of each bin of the standardized label
  torch::Tensor labels;  // of the same rows
  int64_t classes = 0;

  // Cross-entropy, of numbers with the shares of the bins; a mean over the rows.
  torch::Tensor Loss() const;
};

// Predicts the rows after the context of each table. The tables have the same sizes. `seed`: of CellInputs().
std::vector<TaskPredictions> PredictTasks(InContextNetworkImpl& network, const std::vector<SyntheticTask>& tasks,
                                          torch::Device device, uint64_t seed);

}  // namespace haplospin
