// What the presets mean. For larger tables the width of an attribute's vector falls as the table gets wider, so that
// the time for a row stays about the same; but vectors of 8 numbers were too narrow for tables of 17 columns and more.
#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"
#include "tabular/tabular_trainer.h"

namespace haplospin {
namespace {

constexpr int64_t kSmallTable = 2000;  // rows up to which "auto" is "small"

// The multiple of 4 in [low, high] that brings d e nearest to `wanted`.
int64_t Width(int64_t wanted, int64_t columns, int64_t low, int64_t high) {
  return std::clamp<int64_t>((wanted / columns + 2) / 4 * 4, low, high);
}

TabularTrainingOptions Paper(const std::string& model) {
  TabularTrainingOptions options;
  options.network = {.model = model, .width = 128, .depth = 8, .heads = 8, .dropout = 0.1};
  options.lamb = true;
  options.learning_rate = 1e-3;
  options.weight_decay = 0.0;
  options.members = 1;
  options.steps = 10000;
  options.patience = 40;
  options.validation_steps = 50;
  options.batch_rows = 2048;
  options.target_masking = 0.5;
  options.tradeoff = 1.0;
  if (model == "spin") options.tradeoff = 0.5;
  if (model == "hopular") {
    options.network.width = 32;
    options.network.depth = 16;
    options.weight_decay = 0.1;
    options.feature_masking = 0.2;
    options.randomised = 0.875;  // masks 0.025 of the features, replaces 0.175
  }
  return options;
}

// Bytes that a training step holds at its height, roughly: what each row of the batch keeps in each layer for the
// backward pass, the rows of Hopular's memory, and one layer's attention.
double StepBytes(const TabularTrainingOptions& options, int64_t columns, double batch, double context) {
  const TabularNetworkOptions& network = options.network;
  const auto row = static_cast<double>(4 * columns * network.width);
  const auto depth = static_cast<double>(network.depth), heads = static_cast<double>(network.heads);
  const double between_columns = static_cast<double>(4 * columns * columns) * heads;
  if (network.model == "hopular") {
    return batch * (depth * (6 * row + 2 * between_columns) + 4 * heads * depth * context) +
           context * row * (8 + depth);
  }
  const double kept = depth * (16 * row + 2 * between_columns);
  if (network.model == "spin") {
    // The latent attributes of each layer, and what one XABD makes of them; the rest is one block of rows.
    const auto latent = static_cast<double>(4 * network.latent_attributes * network.width);
    return std::min(batch, static_cast<double>(kSpinRowsPerBlock)) * kept + batch * latent * (depth / 2 + 10);
  }
  const double attended = network.model == "npt" ? batch : static_cast<double>(network.inducing_points);
  return batch * kept + std::min(4 * heads * batch * attended * depth, 5e8);
}

}  // namespace

const std::vector<std::string>& TabularPresetNames() {
  static const std::vector<std::string> names = {"auto", "small", "base", "paper"};
  return names;
}

TabularTrainingOptions TabularPreset(const std::string& preset, const std::string& model, int64_t rows,
                                     int64_t columns) {
  if (preset == "paper") return Paper(model);
  const bool small = preset == "small" || (preset == "auto" && rows <= kSmallTable);
  TabularTrainingOptions options;
  options.network.model = model;
  options.network.depth = 4;
  options.network.heads = 4;
  options.network.width = small ? 16 : Width(512, columns, 16, 64);
  // Few, as a label may need all features of its row; some, so that missing values are known.
  options.feature_masking = model == "hopular" ? 0.05 : 0.01;
  options.tradeoff = 0.2;
  if (model == "hopular") options.network.association_width = 32;
  if (small) {
    options.members = 4;
    options.steps = model == "hopular" ? 600 : 1000;
    options.learning_rate = model == "hopular" ? 4e-3 : 1e-3;
    options.patience = 8;
    options.batch_rows = 128;
    options.average_rate = 0.05;
  } else {
    options.members = 2;
    options.steps = 3000;
    options.patience = 12;
    options.validation_steps = 100;
    // More steps of fewer rows learnt more in the same time, except with SPIN (docs/tabular.md, medium sets).
    if (model == "spin") {
      // With the rows of the validation part, a quarter as many, one block.
      options.batch_rows = kSpinRowsPerBlock * 4 / 5;
    } else {
      options.batch_rows = model == "hopular" ? 128 : 256;
      options.context_rows = 512;
    }
    if (model == "hopular") options.learning_rate = 4e-3;
  }
  return options;
}

void FitMemory(TabularTrainingOptions& options, int64_t columns, double bytes) {
  const auto needed = [&] {
    return StepBytes(options, columns, static_cast<double>(options.batch_rows),
                     static_cast<double>(options.context_rows));
  };
  while (needed() > bytes && std::max(options.batch_rows, options.context_rows) > 64) {
    int64_t& larger = options.context_rows >= options.batch_rows ? options.context_rows : options.batch_rows;
    larger = std::max<int64_t>(64, larger / 2);
  }
  if (needed() > bytes) {
    throw InputError("this network does not fit the --memory-limit even with 64 rows; give a smaller --width");
  }
}

}  // namespace haplospin
