#include "tabular/pretrained/task_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/in_context/number_bins.h"
#include "tabular/baselines.h"
#include "tabular/linear/linear_model.h"

namespace haplospin {
namespace {

// The task as a table whose last column is the label, with standardized features.
struct LabeledTable {
  EncodedTable context, rows;
  Attributes attributes;
  torch::Tensor is_target;
};

torch::Tensor StandardizedByContext(const TaskTable& table) {
  torch::Tensor values = table.values.clone();
  for (int64_t j = 0; j < values.size(1); ++j) {
    if (!table.columns[static_cast<size_t>(j)].IsContinuous()) continue;
    const torch::Tensor context = values.select(1, j).narrow(0, 0, table.context);
    values.select(1, j).sub_(context.mean()).div_(context.std(false).clamp_min(1e-6));
  }
  return values.masked_fill(table.missing, 0.0);
}

LabeledTable WithLabel(const TableTask& task) {
  const torch::Tensor labels = task.labels.unsqueeze(1);
  const torch::Tensor values = torch::cat({StandardizedByContext(task.table), labels}, 1);
  const torch::Tensor missing = torch::cat({task.table.missing, torch::zeros_like(labels, torch::kBool)}, 1);
  const int64_t c = task.table.context, n = labels.size(0);
  LabeledTable table{.context = {values.narrow(0, 0, c), missing.narrow(0, 0, c)},
                     .rows = {values.narrow(0, c, n - c), missing.narrow(0, c, n - c)},
                     .attributes = task.table.columns,
                     .is_target = torch::zeros({values.size(1)}, torch::kBool)};
  table.attributes.push_back({.classes = task.classes});
  table.is_target[-1] = true;
  return table;
}

// Of [n, d, c] as TabularModel::Predict() gives it or logits, that of the last attribute.
torch::Tensor Chosen(const torch::Tensor& predictions, int64_t classes) {
  const torch::Tensor label = predictions.select(1, predictions.size(1) - 1);
  return classes > 0 ? label.narrow(1, 0, classes).argmax(1) : label.select(1, 0);
}

}  // namespace

void TaskScores::Add(const torch::Tensor& predicted, const torch::Tensor& labels, int64_t classes) {
  if (classes > 0) {
    right_ += (predicted == labels).to(torch::kFloat64).mean().item<double>();
    ++class_tables_;
    return;
  }
  const auto error = (predicted - labels).square().mean().item<double>();
  const auto of_mean = labels.square().mean().item<double>();
  error_ += std::min(2.0, std::sqrt(error / std::max(of_mean, 1e-6)));
  ++number_tables_;
}

void TaskScores::Add(const TaskPredictions& predictions) {
  const torch::Tensor chosen =
      predictions.classes > 0 ? predictions.logits.argmax(1) : BinMean(predictions.logits.softmax(1));
  Add(chosen, predictions.labels, predictions.classes);
}

std::string TaskScores::Text() const {
  std::vector<std::string> parts;
  if (class_tables_ > 0) parts.push_back(fmt::format("accuracy {:.4f}", right_ / class_tables_));
  if (number_tables_ > 0) parts.push_back(fmt::format("relative RMSE {:.4f}", error_ / number_tables_));
  return parts.size() == 2 ? parts[0] + ", " + parts[1] : parts.empty() ? "" : parts[0];
}

BaselineScores ScoreBaselines(const std::vector<TableTask>& tasks) {
  const torch::NoGradGuard no_grad;
  BaselineScores scores;
  for (const TableTask& task : tasks) {
    const LabeledTable table = WithLabel(task);
    const torch::Tensor truth = table.rows.values.select(1, table.rows.values.size(1) - 1);
    LinearModel linear(table.attributes, table.is_target);
    linear.Fit(table.context);
    const auto add = [&](TaskScores& to, const torch::Tensor& predictions) {
      to.Add(Chosen(predictions, task.classes), truth, task.classes);
    };
    add(scores.linear, linear.forward(table.rows.Masked()));
    add(scores.neighbors, PredictFromNeighbors(table.context, table.rows, table.attributes, table.is_target));
    add(scores.constant, PredictConstant(table.context, table.attributes, table.rows.rows()));
  }
  return scores;
}

}  // namespace haplospin
