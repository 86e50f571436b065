#include "tabular/pretrained/in_context_loss.h"

#include "models/in_context/kernel_fits.h"
#include "models/in_context/number_bins.h"

namespace haplospin {

NetworkTask MakeNetworkTask(const TableTask& table, uint64_t seed) {
  const int64_t context = table.table.context;
  const int64_t targets = table.labels.size(0) - context;
  const torch::Tensor cells = CellInputs(table.table, seed);
  const torch::Tensor labels = table.labels.narrow(0, 0, context);
  const FitRows rows = MakeFitRows(cells, table.table.values, table.table.missing);
  const KernelFits fits(rows.Part(0, context), table.table.columns, labels, table.classes);
  const FitPredictions predicted = fits.Predict(rows.Part(context, targets));
  return {.cells = cells,
          .known = KnownLabels(labels, table.classes, fits),
          .unknown = UnknownLabels(table.classes, predicted),
          .fitted = predicted.logits,
          .labels = table.labels.narrow(0, context, targets),
          .classes = table.classes};
}

std::vector<TaskPredictions> PredictTasks(InContextNetworkImpl& network, const std::vector<NetworkTask>& tasks,
                                          torch::Device device) {
  const auto stacked = [&](torch::Tensor NetworkTask::*part) {
    std::vector<torch::Tensor> parts;
    for (const NetworkTask& task : tasks) parts.push_back(task.*part);
    return torch::stack(parts).to(device);
  };
  const torch::Tensor cells = stacked(&NetworkTask::cells), known = stacked(&NetworkTask::known);
  const int64_t context = known.size(1);
  const torch::Tensor changes =
      network.Predict(network.Encode(cells.narrow(1, 0, context), known),
                      cells.narrow(1, context, cells.size(1) - context), stacked(&NetworkTask::unknown));
  const torch::Tensor logits = stacked(&NetworkTask::fitted) + changes;
  std::vector<TaskPredictions> predictions;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const torch::Tensor own = logits.select(0, static_cast<int64_t>(i));
    const int64_t classes = tasks[i].classes;
    predictions.push_back({.logits = classes > 0 ? own.narrow(1, 0, classes) : own.narrow(1, kMaxClasses, kNumberBins),
                           .labels = tasks[i].labels.to(device),
                           .classes = classes});
  }
  return predictions;
}

torch::Tensor TaskPredictions::Loss() const {
  const torch::Tensor log_probabilities = logits.log_softmax(1);
  if (classes > 0) return -log_probabilities.gather(1, labels.to(torch::kInt64).unsqueeze(1)).mean();
  return -(log_probabilities * BinShares(labels)).sum(1).mean();
}

}  // namespace haplospin
