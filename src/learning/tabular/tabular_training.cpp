#include "learning/tabular/tabular_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>

#include "core/log.h"
#include "core/random.h"
#include "haplospin/errors.h"
#include "learning/tabular/baselines.h"
#include "learning/tabular/splits.h"

namespace haplospin {
namespace {

using Clock = std::chrono::steady_clock;
using Report = std::function<void(double, const std::string&)>;

constexpr int64_t kMinTrainingRows = 5;              // needed to choose the penalty of the linear fit
constexpr size_t kFitSplits = 5, kManyRows = 10000;  // more rows need only one split
constexpr int64_t kNeighborRows = 10000;             // maximum number of rows among which neighbors are looked for
constexpr int64_t kEstimatedAfter = 3;               // steps
constexpr double kFewSteps = 100;

// Rows to train and to validate on, and what the fit to the training rows predicts for the validation rows.
struct FittedSplit {
  TrainingRows rows;
  EncodedTable validation;
  TableFit fit;
  PartPredictions predicted;
};

std::vector<TrainingRows> SplitRows(const std::vector<uint32_t>& table_strata, const std::vector<size_t>& labeled,
                                    const std::vector<size_t>& validation, const TabularTrainingOptions& options) {
  if (!validation.empty()) {
    std::vector<bool> validates(table_strata.size());
    for (const size_t row : validation) validates[row] = true;
    TrainingRows split;
    for (const size_t row : labeled) (validates[row] ? split.validation : split.training).push_back(row);
    return {split};
  }
  const auto members = static_cast<size_t>(options.members);
  const size_t parts = std::max<size_t>({2, members, static_cast<size_t>(std::lround(1.0 / options.validation_share))});
  std::vector<uint32_t> strata;
  std::map<uint32_t, size_t> sizes;
  for (const size_t row : labeled) {
    strata.push_back(table_strata[row]);
    ++sizes[strata.back()];
  }
  RandomStream random(options.seed, {0});
  const std::vector<size_t> row_parts = StratifiedParts(strata, parts, random);
  std::vector<TrainingRows> splits;
  const size_t fit_splits = labeled.size() > kManyRows ? 1 : kFitSplits;
  for (size_t part = 0; part < std::min(parts, std::max(members, fit_splits)); ++part) {
    TrainingRows split;
    for (size_t i = 0; i < labeled.size(); ++i) {
      // A class of one row is never tested: it would have to be learned from nothing.
      const bool is_tested = row_parts[i] == part && sizes[strata[i]] > 1;
      (is_tested ? split.validation : split.training).push_back(labeled[i]);
    }
    splits.push_back(std::move(split));
  }
  return splits;
}

void CheckSplits(const Table& table, const std::vector<TrainingRows>& splits) {
  for (const TrainingRows& split : splits) {
    if (std::ssize(split.training) >= kMinTrainingRows && !split.validation.empty()) continue;
    throw InputError(fmt::format("{}: {} rows for training and {} for validation; at least {} and 1 are needed",
                                 table.path, split.training.size(), split.validation.size(), kMinTrainingRows));
  }
}

EncodedTable RowsAt(const TrainingTable& data, const std::vector<size_t>& rows) {
  return data.table.Rows(RowTensor(rows, data.table.values.device()));
}

FittedSplit FitSplit(const TrainingTable& data, const TrainingRows& rows, const TabularTrainingOptions& options,
                     uint64_t seed) {
  const torch::NoGradGuard no_grad;
  const torch::Device device = data.table.values.device();
  const EncodedTable training = RowsAt(data, rows.training), validation = RowsAt(data, rows.validation);
  const TableFit fit(data.attributes, data.is_target);
  fit.linear->to(device);
  fit.trees->to(device);
  fit.linear->Fit(training);
  if (options.trees) fit.trees->Fit(training, validation, seed);
  return {rows, validation, fit, fit.Predict(validation, data.attributes, data.is_target, options.trees)};
}

// Why the table cannot be predicted by Gaussian processes; empty: it can.
std::string GaussianProcessLimit(const TrainingTable& data, const std::vector<EncodedTable>& contexts) {
  const std::vector<int64_t> targets = FindTargets(data.is_target);
  if (std::ssize(data.attributes) - std::ssize(targets) > kMaxGaussianProcessColumns) {
    return fmt::format("Gaussian processes take at most {} columns", kMaxGaussianProcessColumns);
  }
  for (const int64_t j : targets) {
    if (data.attributes[static_cast<size_t>(j)].classes > kMaxGaussianProcessClasses) {
      return fmt::format("Gaussian processes take at most {} classes", kMaxGaussianProcessClasses);
    }
    for (const EncodedTable& context : contexts) {
      if (context.missing.select(1, j).all().item<bool>()) {
        return "Gaussian processes need a value of each target in every part of the rows";
      }
    }
  }
  return "";
}

void AddGaussianProcesses(const TrainingTable& data, const TabularTrainingOptions& options,
                          std::vector<FittedSplit>& splits) {
  std::vector<EncodedTable> contexts;
  for (size_t i = 0; i < splits.size(); ++i) {
    contexts.push_back(
        RowsAt(data, ContextRows(splits[i].rows.training, data.strata, options.context_rows, options.seed + i)));
  }
  const std::string limit = GaussianProcessLimit(data, contexts);
  if (!limit.empty()) {
    if (!options.trees) throw InputError(limit + "; give another --model");
    LogInfo("{}: --model auto does without them", limit);
    return;
  }
  for (size_t i = 0; i < splits.size(); ++i) {
    const GaussianProcessPredictor predictor(contexts[i].To(torch::kCPU), data.attributes, data.is_target.cpu(),
                                             options.seed, /*with_trees=*/false);
    splits[i].predicted.parts[kGaussianProcesses] =
        predictor.Predict(splits[i].validation.To(torch::kCPU)).values.to(data.table.values.device());
  }
}

// Returns the share of the steps or of the time limit that is used up, whichever is more.
double ShareDone(const TrainingOptions& options, const TrainingResult& so_far) {
  const double step_share = static_cast<double>(so_far.steps) / static_cast<double>(options.steps);
  return std::min(1.0, options.time_limit > 0 ? std::max(step_share, so_far.seconds / options.time_limit) : step_share);
}

std::string StepText(const TrainingResult& so_far) {
  if (so_far.curve.empty()) return fmt::format("step {}", so_far.steps);
  return fmt::format("step {}: loss {:.4g}, validation {:.4g}", so_far.steps, so_far.curve.back().loss,
                     -so_far.curve.back().score);
}

std::string TimeText(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  return seconds < 6000 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

// Trains the networks of a model one after the other: their checkpoints, and their shares of the time.
class EnsembleTraining {
 public:
  EnsembleTraining(const TabularTrainingOptions& options, torch::Device device, Report report)
      : options_(options), report_(std::move(report)), processes_(options.place, device) {
    if (options.checkpoint.empty() || options.resume || options.place.rank > 0) return;
    // The checkpoints of an earlier run must not be resumed by this one.
    for (int64_t member = 0; member < options.members; ++member) std::filesystem::remove(Checkpoint(member));
  }

  // The networks, of which the last is not finished if training ended at stop_after.
  std::vector<TrainedNetwork> Train(const TrainingTable& data, const std::vector<FittedSplit>& splits) {
    std::vector<TrainedNetwork> networks;
    for (int64_t member = 0; member < options_.members; ++member) {
      if (options_.stop_after > 0 && steps_ >= options_.stop_after) {
        networks.emplace_back();
        return networks;
      }
      const FittedSplit& split = splits[static_cast<size_t>(member) % splits.size()];
      const TabularTrainingOptions options = MemberOptions(member);
      networks.push_back(TrainTabularNetwork(options, data, split.rows, split.fit.linear, static_cast<uint64_t>(member),
                                             processes_,
                                             [&](const TrainingResult& so_far) { Tell(options, member, so_far); }));
      seconds_ += networks.back().result.seconds;
      if (!networks.back().result.is_finished) break;
    }
    return networks;
  }

 private:
  std::string Checkpoint(int64_t member) const {
    return options_.checkpoint.empty() || member == 0 ? options_.checkpoint
                                                      : fmt::format("{}.{}", options_.checkpoint, member + 1);
  }

  TabularTrainingOptions MemberOptions(int64_t member) const {
    TabularTrainingOptions options = options_;
    options.checkpoint = Checkpoint(member);
    options.resume = options_.resume && std::filesystem::exists(options.checkpoint);
    options.allow_changes = options_.allow_changes && options.resume;
    options.out.clear();  // the file of the whole model
    if (options_.stop_after > 0) options.stop_after = options_.stop_after - steps_;
    if (options_.time_limit > 0) {
      options.time_limit =
          std::max(0.01, (options_.time_limit - seconds_) / static_cast<double>(options_.members - member));
    }
    return options;
  }

  void Tell(const TabularTrainingOptions& options, int64_t member, const TrainingResult& so_far) {
    ++steps_;
    EstimateTime(so_far);
    if (!report_) return;
    report_((static_cast<double>(member) + ShareDone(options, so_far)) / static_cast<double>(options_.members),
            fmt::format("network {} of {}, {}", member + 1, options_.members, StepText(so_far)));
  }

  // Says once, after a few steps, how long the training may take.
  void EstimateTime(const TrainingResult& so_far) {
    if (has_estimated_ || so_far.steps < kEstimatedAfter || options_.models == 0 || options_.place.rank > 0) return;
    has_estimated_ = true;
    const auto models = static_cast<double>(options_.models), members = static_cast<double>(options_.members);
    const double step = so_far.seconds / static_cast<double>(so_far.steps);
    const double all = step * static_cast<double>(options_.steps) * models * members;
    LogInfo("training takes {} at most: up to {} steps of {:.2g} s for {} networks", TimeText(all), options_.steps,
            step, models * members);
    if (options_.time_limit == 0 || options_.time_limit * models >= all) return;
    const double steps = options_.time_limit / (step * members);
    LogInfo("the time limit allows about {:.0f} steps of each", steps);
    if (steps >= kFewSteps) return;
    LogWarning(
        "these are too few for the networks to add much to the fit and the trees: give more time, fewer columns "
        "(--ignore), or --ensemble 1 and a smaller --batch-rows, --context-rows or --width");
  }

  const TabularTrainingOptions options_;
  const Report report_;
  DataParallel processes_;
  double seconds_ = 0;  // time that the networks took
  int64_t steps_ = 0;   // steps that this process did
  bool has_estimated_ = false;
};

// Adds what the networks predict for the validation rows of their splits.
void AddNetworks(const TrainingTable& data, const TabularTrainingOptions& options,
                 const std::vector<TrainedNetwork>& networks, std::vector<FittedSplit>& splits) {
  for (size_t i = 0; i < std::min(splits.size(), networks.size()); ++i) {
    const EncodedTable rows =
        RowsAt(data, ContextRows(splits[i].rows.training, data.strata, options.context_rows, options.seed + i));
    const MaskedTable context = rows.Masked();
    std::vector<torch::Tensor> predicted;
    for (size_t member = i; member < networks.size(); member += splits.size()) {
      ResidualNetwork& network = *networks[member].network;
      predicted.push_back(
          PredictInBlocks(network, network.Encode(context), splits[i].validation, data.attributes, data.is_target));
    }
    splits[i].predicted.parts[kNetworks] = torch::stack(predicted).mean(0);
  }
}

// The gains of all parts, each chosen on the validation rows of the splits that have it.
PartGains ChooseAllGains(const TrainingTable& data, const std::vector<FittedSplit>& splits) {
  PartGains gains = torch::zeros({kModelParts, std::ssize(data.attributes)});
  for (const ModelPart part : {kTrees, kGaussianProcesses, kNetworks}) {
    std::vector<PartPredictions> predicted;
    std::vector<EncodedTable> rows;
    for (const FittedSplit& split : splits) {
      if (!split.predicted.parts[part].defined()) continue;
      predicted.push_back(split.predicted);
      rows.push_back(split.validation);
    }
    if (!rows.empty()) ChooseGains(part, Join(predicted), Join(rows), data.attributes, data.is_target, gains);
  }
  return gains;
}

// The validation rows of all splits, and what is predicted for them.
struct Validation {
  EncodedTable rows;
  torch::Tensor model, linear, neighbors, constant;
};

Validation Validate(const TrainingTable& data, const std::vector<FittedSplit>& splits, const PartGains& gains,
                    uint64_t seed) {
  std::vector<EncodedTable> rows;
  std::vector<torch::Tensor> model, linear, neighbors, constant;
  for (size_t i = 0; i < splits.size(); ++i) {
    rows.push_back(splits[i].validation);
    model.push_back(Combine(splits[i].predicted, gains));
    linear.push_back(splits[i].predicted.linear);
    const EncodedTable known = RowsAt(data, ContextRows(splits[i].rows.training, data.strata, kNeighborRows, seed + i));
    neighbors.push_back(PredictFromNeighbors(known, splits[i].validation, data.attributes, data.is_target));
    constant.push_back(PredictConstant(known, data.attributes, splits[i].validation.rows()));
  }
  return {Join(rows), torch::cat(model), torch::cat(linear), torch::cat(neighbors), torch::cat(constant)};
}

std::vector<MetricsComparison> Measure(const TableEncoder& encoder, const Validation& validation,
                                       const torch::Tensor& deviations) {
  std::vector<MetricsComparison> comparisons;
  for (const int64_t j : encoder.targets()) {
    const auto metrics = [&](const torch::Tensor& predicted, const torch::Tensor& expected = {}) {
      return TargetMetrics(encoder.columns()[static_cast<size_t>(j)], predicted.select(1, j).cpu(),
                           validation.rows.values.select(1, j).cpu(), expected);
    };
    comparisons.push_back({metrics(validation.model, deviations.select(1, j).cpu()), metrics(validation.linear),
                           metrics(validation.neighbors), metrics(validation.constant)});
  }
  return comparisons;
}

std::string ModelName(const TabularTrainingOptions& options) {
  if (options.members > 0) return options.network.architecture;
  return options.trees ? "auto" : "gp";
}

}  // namespace

TabularTraining TrainTabularModel(const Table& table, const std::vector<std::string>& targets,
                                  const std::vector<size_t>& validation, const TabularTrainingOptions& options,
                                  torch::Device device, const Report& report) {
  const auto start = Clock::now();
  CheckTrainingOptions(options);
  const std::vector<size_t> labeled = LabeledRows(table, targets);
  CheckTargets(table, targets, labeled);
  const TableEncoder encoder(table, targets, labeled);
  const TrainingTable data{.table = encoder.Encode(table).To(device),
                           .attributes = encoder.attributes(),
                           .is_target = encoder.IsTarget().to(device),
                           .strata = Strata(*table.Find(targets.front()))};
  const std::vector<TrainingRows> split_rows = SplitRows(data.strata, labeled, validation, options);
  CheckSplits(table, split_rows);
  std::vector<FittedSplit> splits;
  for (const TrainingRows& rows : split_rows) {
    splits.push_back(FitSplit(data, rows, options, options.seed + splits.size()));
  }
  if (options.gaussian_processes) AddGaussianProcesses(data, options, splits);

  TabularTrainingOptions network_options = options;
  if (options.time_limit > 0) {
    const double used = std::chrono::duration<double>(Clock::now() - start).count();
    network_options.time_limit = std::max(0.01, options.time_limit - used);
  }
  TabularTraining training;
  training.networks = EnsembleTraining(network_options, device, report).Train(data, splits);
  if (std::ranges::any_of(training.networks,
                          [](const TrainedNetwork& network) { return !network.result.is_finished; })) {
    return training;
  }

  const torch::NoGradGuard no_grad;
  AddNetworks(data, options, training.networks, splits);
  TabularParts parts{.name = ModelName(options), .encoder = encoder, .seed = options.seed, .network = options.network};
  parts.gains = ChooseAllGains(data, splits);
  // The Gaussian processes predict alone if there is no other part; the linear fit is only compared with them.
  if (parts.name == "gp") parts.gains[kGaussianProcesses] = data.is_target.to(torch::kFloat32).cpu();
  const Validation validated = Validate(data, splits, parts.gains, options.seed);
  parts.errors = std::make_shared<PredictionErrorModel>(data.attributes, data.is_target);
  parts.errors->to(device);
  parts.errors->Fit(validated.rows, validated.model);
  training.validation = Measure(encoder, validated, parts.errors->Deviations(validated.rows.Query(data.is_target)));
  for (const FittedSplit& split : splits) parts.fits.push_back(split.fit);
  for (const TrainedNetwork& network : training.networks) parts.networks.push_back(network.network);
  training.context_rows = ContextRows(labeled, data.strata, options.context_rows, options.seed);
  parts.context = RowsAt(data, training.context_rows);
  training.model.emplace(std::move(parts), device);
  return training;
}

}  // namespace haplospin
