#include "tabular/prior/synthetic_task.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tabular/prior/causal_graph.h"
#include "tabular/prior/observed_columns.h"
#include "tabular/prior/random_labels.h"

namespace haplospin {
namespace {

// Numbers of the classes that several rows of the context have, from 0 on; -1 of others.
std::map<float, float> KnownClasses(const Numbers& labels, size_t context) {
  std::map<float, int> rows;
  for (size_t i = 0; i < context; ++i) ++rows[labels[i]];
  std::map<float, float> numbers;
  for (const auto& [label, count] : rows) {
    const auto next = static_cast<float>(numbers.size());
    if (count >= 2) numbers[label] = next;
  }
  return numbers;
}

// Rows of other classes go to the first class. Fewer than two classes: 0.
int64_t NumberClasses(Numbers& labels, size_t context) {
  const std::map<float, float> numbers = KnownClasses(labels, context);
  for (float& label : labels) {
    const auto found = numbers.find(label);
    label = found == numbers.end() ? 0.0f : found->second;
  }
  return numbers.size() < 2 ? 0 : std::ssize(numbers);
}

// By mean and standard deviation of the context; false where these are the same number.
bool StandardizeByContext(Numbers& labels, size_t context) {
  double sum = 0, squares = 0;
  const auto n = static_cast<double>(context);
  for (size_t i = 0; i < context; ++i) sum += labels[i];
  for (size_t i = 0; i < context; ++i) squares += (labels[i] - sum / n) * (labels[i] - sum / n);
  const double deviation = std::sqrt(squares / n);
  if (!(deviation > 1e-3)) return false;
  for (float& label : labels) label = static_cast<float>((label - sum / n) / deviation);
  return true;
}

class TaskDrawing {
 public:
  TaskDrawing(const PriorOptions& options, const TaskSizes& sizes, RandomStream& random)
      : options_(options), random_(random), sizes_(sizes) {}

  // False where the label came out the same in all rows.
  bool Draw(TableTask& task) {
    const bool wants_classes = random_.Bernoulli(options_.classification);
    const bool is_in_graph = random_.Bernoulli(0.3);
    const size_t useless = random_.Bernoulli(0.3) ? random_.UniformInt(sizes_.columns / 2 + 1) : 0;
    const size_t useful = sizes_.columns - useless;
    const size_t hidden = random_.UniformInt(useful + 1) + (is_in_graph ? 1 : 0);
    std::vector<Numbers> graph = DrawCausalGraph(sizes_.rows, useful + hidden, random_);
    random_.Shuffle(std::span(graph));
    const size_t classes = wants_classes ? DrawClassCount() : 0;
    Numbers labels = DrawLabels(graph, is_in_graph, useful, static_cast<int64_t>(classes));
    graph.resize(useful);
    for (size_t i = 0; i < useless; ++i) graph.push_back(DrawCausalGraph(sizes_.rows, 1, random_).front());
    random_.Shuffle(std::span(graph));
    task.classes = wants_classes ? NumberClasses(labels, sizes_.context) : 0;
    if (wants_classes ? task.classes == 0 : !StandardizeByContext(labels, sizes_.context)) return false;
    task.labels = torch::tensor(labels);
    Fill(task.table, graph);
    return true;
  }

 private:
  size_t DrawClassCount() {
    return random_.Bernoulli(0.5) ? 2 : static_cast<size_t>(LogUniform(random_, 2, kMaxClasses + 0.999));
  }

  // A column of the graph that is not among the first `useful`, or a function of these.
  Numbers DrawLabels(const std::vector<Numbers>& graph, bool is_in_graph, size_t useful, int64_t classes) {
    if (is_in_graph) {
      if (classes > 0) return CutIntoClasses(graph.back(), classes, random_);
      return random_.Bernoulli(0.3) ? Warp(graph.back(), random_) : graph.back();
    }
    // Sometimes not all of what the label depends on is seen.
    const size_t known = random_.Bernoulli(0.8) ? useful : graph.size();
    const std::vector<Numbers> columns(graph.begin(), graph.begin() + static_cast<std::ptrdiff_t>(known));
    if (classes > 0) return DrawClassLabel(columns, classes, random_);
    const Numbers label = DrawNumberLabel(columns, random_);
    return random_.Bernoulli(0.3) ? Warp(label, random_) : label;
  }

  void Fill(TaskTable& table, const std::vector<Numbers>& graph) {
    const auto n = static_cast<int64_t>(sizes_.rows), d = static_cast<int64_t>(sizes_.columns);
    table.context = static_cast<int64_t>(sizes_.context);
    table.values = torch::zeros({n, d});
    table.missing = torch::zeros({n, d}, torch::kBool);
    auto values = table.values.accessor<float, 2>();
    auto missing = table.missing.accessor<bool, 2>();
    const bool has_missing = random_.Bernoulli(options_.missing);
    for (int64_t j = 0; j < d; ++j) {
      const Numbers& numbers = graph[static_cast<size_t>(j)];
      const ObservedColumn column = Observe(numbers, random_);
      table.columns.push_back({.classes = column.classes});
      const double share = has_missing && random_.Bernoulli(0.5) ? 0.5 * random_.Uniform() : 0;
      const bool is_random = random_.Bernoulli(0.6);  // else large numbers are missing
      for (int64_t i = 0; i < n; ++i) {
        const auto row = static_cast<size_t>(i);
        const double chance = is_random ? share : std::min(1.0, 2 * share) * (numbers[row] > 0 ? 1 : 0);
        missing[i][j] = share > 0 && random_.Bernoulli(chance);
        values[i][j] = missing[i][j] ? 0.0f : column.values[row];
      }
    }
  }

  const PriorOptions& options_;
  RandomStream& random_;
  const TaskSizes sizes_;
};

}  // namespace

void to_json(nlohmann::json& json, const PriorOptions& options) {
  json = {{"min_rows", options.min_rows},
          {"max_rows", options.max_rows},
          {"max_columns", options.max_columns},
          {"max_cells", options.max_cells},
          {"classification", options.classification},
          {"missing", options.missing}};
}

void from_json(const nlohmann::json& json, PriorOptions& options) {
  json.at("min_rows").get_to(options.min_rows);
  json.at("max_rows").get_to(options.max_rows);
  json.at("max_columns").get_to(options.max_columns);
  json.at("max_cells").get_to(options.max_cells);
  json.at("classification").get_to(options.classification);
  json.at("missing").get_to(options.missing);
}

TaskSizes DrawTaskSizes(const PriorOptions& options, RandomStream& random) {
  const auto columns = static_cast<int64_t>(LogUniform(random, 1, static_cast<double>(options.max_columns) + 0.999));
  const int64_t max_rows = std::clamp(options.max_cells / columns, options.min_rows, options.max_rows);
  const auto rows = static_cast<int64_t>(
      LogUniform(random, static_cast<double>(options.min_rows), static_cast<double>(max_rows) + 0.999));
  const double share = 0.5 + 0.4 * random.Uniform();
  const auto context = static_cast<int64_t>(share * static_cast<double>(rows));
  return {static_cast<size_t>(rows), static_cast<size_t>(columns), static_cast<size_t>(context)};
}

TableTask DrawSyntheticTask(const PriorOptions& options, const TaskSizes& sizes, RandomStream& random) {
  for (;;) {
    TableTask task;
    if (TaskDrawing(options, sizes, random).Draw(task)) return task;
  }
}

}  // namespace haplospin
