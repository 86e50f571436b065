// Synthetic tables: what a network for tables it has never seen is trained on.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "core/random.h"
#include "tabular/pretrained/table_task.h"

namespace haplospin {

struct PriorOptions {
  int64_t min_rows = 40;  // context and rows to predict together
  int64_t max_rows = 400;
  int64_t max_columns = 20;
  int64_t max_cells = 4000;     // rows times columns
  double classification = 0.5;  // share of the tables whose label is a class
  double missing = 0.2;         // share of the tables with missing values
};

void to_json(nlohmann::json& json, const PriorOptions& options);
void from_json(const nlohmann::json& json, PriorOptions& options);

struct TaskSizes {
  size_t rows = 0, columns = 0, context = 0;
};

// Rows and columns within the options; the logarithm of each is about uniform. Half of the rows or more are the
// context.
TaskSizes DrawTaskSizes(const PriorOptions& options, RandomStream& random);

// Columns are numbers of many distributions and categories, with missing values, and some say nothing about the label.
// The label depends on some of the columns through a random function with noise of any strength, or is another column
// of their causal graph.
TableTask DrawSyntheticTask(const PriorOptions& options, const TaskSizes& sizes, RandomStream& random);

}  // namespace haplospin
