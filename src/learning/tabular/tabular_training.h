// Trains a model on a table: the fits of all splits, the networks of some, and how much each part counts.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "learning/tables/table.h"
#include "learning/tabular/tabular_metrics.h"
#include "learning/tabular/tabular_model.h"
#include "learning/tabular/tabular_network.h"

namespace haplospin {

struct TabularTraining {
  std::optional<TabularModel> model;  // empty if training ended at TrainingOptions::stop_after
  std::vector<size_t> context_rows;   // the row of the table that each row of the model's context is
  std::vector<TrainedNetwork> networks;
  std::vector<MetricsComparison> validation;  // metrics of each target of the model
};

// Trains on all rows of the table that have all targets. `validation`: rows to validate on; empty: the rows are split
// several times, and each network has its own validation rows. `report` is called with the fraction of the work that is
// done and a status line. The first network has the checkpoint options.checkpoint, the others that name with ".2",
// ".3",
// ... behind it. Throws InputError if a target has no values or is constant, or too few rows are left.
TabularTraining TrainTabularModel(const Table& table, const std::vector<std::string>& targets,
                                  const std::vector<size_t>& validation, const TabularTrainingOptions& options,
                                  torch::Device device,
                                  const std::function<void(double, const std::string&)>& report = {});

}  // namespace haplospin
