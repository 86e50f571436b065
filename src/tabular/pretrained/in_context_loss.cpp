#include "tabular/pretrained/in_context_loss.h"

#include "models/in_context/kernel_fits.h"
#include "models/in_context/number_bins.h"

namespace haplospin {

std::vector<TaskPredictions> PredictTasks(InContextNetworkImpl& network, const std::vector<SyntheticTask>& tasks,
                                          torch::Device device, uint64_t seed) {
  const int64_t context = tasks.front().table.context;
  const int64_t targets = tasks.front().labels.size(0) - context;
  std::vector<torch::Tensor> cells, known, unknown, fitted;
  for (const SyntheticTask& task : tasks) {
    cells.push_back(CellInputs(task.table, seed + cells.size()));
    const torch::Tensor labels = task.labels.narrow(0, 0, context);
    const FitRows rows = MakeFitRows(cells.back(), task.table.values, task.table.missing);
    const KernelFits fits(rows.Part(0, context), task.table.columns, labels, task.classes);
    const FitPredictions predicted = fits.Predict(rows.Part(context, targets));
    known.push_back(KnownLabels(labels, task.classes, fits));
    unknown.push_back(UnknownLabels(task.classes, predicted));
    fitted.push_back(predicted.logits);
  }
  const torch::Tensor all = torch::stack(cells).to(device);
  const torch::Tensor changes =
      network.Predict(network.Encode(all.narrow(1, 0, context), torch::stack(known).to(device)),
                      all.narrow(1, context, targets), torch::stack(unknown).to(device));
  const torch::Tensor logits = torch::stack(fitted).to(device) + changes;
  std::vector<TaskPredictions> predictions;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const torch::Tensor own = logits.select(0, static_cast<int64_t>(i));
    const int64_t classes = tasks[i].classes;
    predictions.push_back({.logits = classes > 0 ? own.narrow(1, 0, classes) : own.narrow(1, kMaxClasses, kNumberBins),
                           .labels = tasks[i].labels.narrow(0, context, targets).to(device),
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
