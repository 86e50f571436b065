#include "learning/tabular/tabular_training_options.h"

#include <algorithm>

#include "learning/tabular/tabular_network.h"

namespace haplospin {
namespace {

constexpr int64_t kSmallTable = 2000;  // rows up to which "auto" is "small"

// Returns the multiple of 4 in [16, 64] for which the width times the number of columns is closest to 512, so that the
// time per row is about the same for all tables. Widths of 8 were too narrow for tables of 17 and more columns.
int64_t BaseWidth(int64_t columns) { return std::clamp<int64_t>((512 / columns + 2) / 4 * 4, 16, 64); }

void SetSmall(TabularTrainingOptions& options) {
  options.network.width = 16;
  options.members = 3;
  options.steps = 100;
  options.learning_rate = 4e-3;
  options.patience = 4;
  options.validation_steps = 10;
  options.batch_rows = 128;
  options.average_rate = 0.05;
}

void SetBase(TabularTrainingOptions& options, int64_t columns) {
  options.network.width = BaseWidth(columns);
  options.members = 2;
  options.steps = 1000;
  options.patience = 5;
  options.validation_steps = 50;
  if (options.network.architecture == "spin") {
    // Together with the validation rows, which are a quarter as many, the rows of a step are one block.
    options.batch_rows = kSpinRowsPerBlock * 4 / 5;
    return;
  }
  // More steps of fewer rows are more accurate after the same time, except with SPIN.
  options.batch_rows = options.network.architecture == "hopular" ? 128 : 256;
  options.context_rows = 512;
}

}  // namespace

TabularTrainingOptions TabularPreset(const std::string& preset, const std::string& architecture, int64_t rows,
                                     int64_t columns) {
  TabularTrainingOptions options;
  options.network = {.architecture = architecture, .depth = 4, .heads = 4};
  // Low, because a label may depend on all features of its row; above 0, so that networks learn what a missing value
  // is.
  options.feature_masking = 0.01;
  options.tradeoff = 0.2;
  if (preset == "small" || (preset == "auto" && rows <= kSmallTable)) {
    SetSmall(options);
  } else {
    SetBase(options, columns);
  }
  if (architecture == "hopular") {
    options.network.association_width = 32;
    options.feature_masking = 0.05;
    options.learning_rate = 4e-3;
  }
  return options;
}

}  // namespace haplospin
