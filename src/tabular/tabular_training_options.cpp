#include "tabular/tabular_training_options.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "haplospin/errors.h"
#include "tabular/tabular_network.h"

namespace haplospin {
namespace {

constexpr int64_t kSmallTable = 2000;  // rows up to which "auto" is "small"
// Low, because a label may depend on all features of its row; above 0, so that networks learn what a missing value is.
constexpr double kFeatureMasking = 0.01;

// The multiple of 4 in [low, high] for which the width times the number of columns is closest to `wanted`, so that the
// time per row is about the same for all tables. Widths of 8 were too narrow for tables of 17 and more columns.
int64_t Width(int64_t wanted, int64_t columns, int64_t low, int64_t high) {
  return std::clamp<int64_t>((wanted / columns + 2) / 4 * 4, low, high);
}

// The size of a training step.
struct StepSize {
  double columns, batch, context;
};

// Bytes of a row's entries in one layer, and of the attention between them.
double RowBytes(const ContextNetworkOptions& network, const StepSize& step) {
  return 4 * step.columns * static_cast<double>(network.width);
}
double ColumnAttentionBytes(const ContextNetworkOptions& network, const StepSize& step) {
  return 4 * step.columns * step.columns * static_cast<double>(network.heads);
}

// Bytes that all layers keep of a row for the backward pass.
double KeptBytes(const ContextNetworkOptions& network, const StepSize& step) {
  return static_cast<double>(network.depth) * (16 * RowBytes(network, step) + 2 * ColumnAttentionBytes(network, step));
}

constexpr double kCopiesOfWeights = 5;  // weights, gradient, two moments and the mean over steps

double HopularBytes(const ContextNetworkOptions& network, const StepSize& step) {
  const auto depth = static_cast<double>(network.depth), heads = static_cast<double>(network.heads);
  const double row = RowBytes(network, step);
  const double readout = row * step.columns;  // weights from all entries of a row to a prediction of each column
  return step.batch * (depth * (6 * row + 2 * ColumnAttentionBytes(network, step)) + 4 * heads * depth * step.context) +
         step.context * row * (8 + depth) + kCopiesOfWeights * readout;
}

// One block of rows, the latent attributes of each layer, and the result of one XABD.
double SpinBytes(const ContextNetworkOptions& network, const StepSize& step) {
  const auto latent = static_cast<double>(4 * network.latent_attributes * network.width);
  return std::min(step.batch, static_cast<double>(kSpinRowsPerBlock)) * KeptBytes(network, step) +
         step.batch * latent * (static_cast<double>(network.depth) / 2 + 10);
}

double AttentionBytes(const ContextNetworkOptions& network, const StepSize& step, double attended) {
  const auto depth = static_cast<double>(network.depth), heads = static_cast<double>(network.heads);
  return step.batch * KeptBytes(network, step) + std::min(4 * heads * step.batch * attended * depth, 5e8);
}

// More steps of fewer rows are more accurate after the same time, except with SPIN.
void SetBaseRows(TabularTrainingOptions& options, int64_t batch) {
  options.batch_rows = batch;
  options.context_rows = 512;
}

void HopularPaper(TabularTrainingOptions& options) {
  options.network.width = 32;
  options.network.depth = 16;
  options.weight_decay = 0.1;
  options.feature_masking = 0.2;
  options.randomized = 0.875;  // masks 0.025 of the features, replaces 0.175
  // Hopular keeps a moving average of its weights; NPT resets its weights to the slow ones every sixth step.
  options.lookahead = {.period = 1, .slow_rate = 0.005, .synchronize = false};
}

void HopularAuto(TabularTrainingOptions& options) {
  options.network.association_width = 32;
  options.feature_masking = 0.05;
  options.learning_rate = 4e-3;
}

// The changes that an architecture makes to each preset, and an estimate of the peak memory of a training step in
// bytes.
struct ArchitecturePreset {
  const char* architecture;
  void (*paper)(TabularTrainingOptions&);
  void (*small)(TabularTrainingOptions&);
  void (*base)(TabularTrainingOptions&);
  double (*step_bytes)(const ContextNetworkOptions&, const StepSize&);
};

const ArchitecturePreset kPresets[] = {
    {.architecture = "hopular",
     .paper = HopularPaper,
     .small = [](TabularTrainingOptions& options) { HopularAuto(options); },
     .base =
         [](TabularTrainingOptions& options) {
           HopularAuto(options);
           SetBaseRows(options, 128);
         },
     .step_bytes = HopularBytes},
    {.architecture = "spin",
     .paper = [](TabularTrainingOptions& options) { options.tradeoff = 0.5; },
     .small = [](TabularTrainingOptions&) {},
     // Together with the validation rows, which are a quarter as many, the rows of a step are one block.
     .base = [](TabularTrainingOptions& options) { options.batch_rows = kSpinRowsPerBlock * 4 / 5; },
     .step_bytes = SpinBytes},
    {.architecture = "npt",
     .paper = [](TabularTrainingOptions&) {},
     .small = [](TabularTrainingOptions&) {},
     .base = [](TabularTrainingOptions& options) { SetBaseRows(options, 256); },
     .step_bytes = [](const ContextNetworkOptions& network,
                      const StepSize& step) { return AttentionBytes(network, step, step.batch); }},
    {.architecture = "set-transformer",
     .paper = [](TabularTrainingOptions&) {},
     .small = [](TabularTrainingOptions&) {},
     .base = [](TabularTrainingOptions& options) { SetBaseRows(options, 256); },
     .step_bytes =
         [](const ContextNetworkOptions& network, const StepSize& step) {
           return AttentionBytes(network, step, static_cast<double>(network.inducing_points));
         }},
};

const ArchitecturePreset& PresetOf(const std::string& architecture) {
  const auto* found = std::ranges::find(kPresets, std::string_view(architecture), &ArchitecturePreset::architecture);
  HS_ASSERT(found != std::end(kPresets));
  return *found;
}

TabularTrainingOptions Paper(const std::string& architecture) {
  TabularTrainingOptions options;
  options.network = {.architecture = architecture, .width = 128, .depth = 8, .heads = 8, .dropout = 0.1};
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
  PresetOf(architecture).paper(options);
  return options;
}

TabularTrainingOptions Small(const std::string& architecture) {
  TabularTrainingOptions options;
  options.network = {.architecture = architecture, .width = 16, .depth = 4, .heads = 4};
  options.feature_masking = kFeatureMasking;
  options.tradeoff = 0.2;
  options.members = 3;
  options.steps = 100;
  options.learning_rate = 4e-3;
  options.patience = 4;
  options.validation_steps = 10;
  options.batch_rows = 128;
  options.average_rate = 0.05;
  PresetOf(architecture).small(options);
  return options;
}

TabularTrainingOptions Base(const std::string& architecture, int64_t columns) {
  TabularTrainingOptions options;
  options.network = {.architecture = architecture, .width = Width(512, columns, 16, 64), .depth = 4, .heads = 4};
  options.feature_masking = kFeatureMasking;
  options.tradeoff = 0.2;
  options.members = 2;
  options.steps = 1000;
  options.patience = 5;
  options.validation_steps = 50;
  PresetOf(architecture).base(options);
  return options;
}

}  // namespace

TabularTrainingOptions TabularPreset(const std::string& preset, const std::string& architecture, int64_t rows,
                                     int64_t columns) {
  if (preset == "paper") return Paper(architecture);
  const bool small = preset == "small" || (preset == "auto" && rows <= kSmallTable);
  return small ? Small(architecture) : Base(architecture, columns);
}

void FitMemory(TabularTrainingOptions& options, int64_t columns, double bytes) {
  const auto needed = [&] {
    return PresetOf(options.network.architecture)
        .step_bytes(options.network, {.columns = static_cast<double>(columns),
                                      .batch = static_cast<double>(options.batch_rows),
                                      .context = static_cast<double>(options.context_rows)});
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
