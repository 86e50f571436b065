#include "tabular/pretrained/table_task.h"

#include <algorithm>

namespace haplospin {

TaskTable MakeTaskTable(const EncodedTable& rows, const Attributes& attributes, const torch::Tensor& features,
                        int64_t context) {
  TaskTable table{.values = rows.values.index_select(1, features),
                  .missing = rows.missing.index_select(1, features),
                  .columns = {},
                  .context = context};
  for (int64_t i = 0; i < features.size(0); ++i) {
    table.columns.push_back(attributes[static_cast<size_t>(features[i].item<int64_t>())]);
  }
  return table;
}

LabelScale ScaleOf(const torch::Tensor& labels) {
  return {.mean = labels.mean().item<double>(), .deviation = std::max(1e-6, labels.std(false).item<double>())};
}

torch::Tensor Coded(const torch::Tensor& labels, const std::vector<int64_t>& code) {
  return torch::tensor(code, torch::kInt64).index_select(0, labels.to(torch::kInt64));
}

int64_t CodedClasses(const std::vector<int64_t>& code) { return std::min<int64_t>(std::ssize(code), kMaxClasses); }

}  // namespace haplospin
