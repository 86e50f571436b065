// How a TabularModel is trained: the fits of all splits, the networks of some, and what each part counts.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/log.h"
#include "core/random.h"
#include "haplospin/errors.h"
#include "tabular/baselines.h"
#include "tabular/ensemble_training.h"
#include "tabular/splits.h"
#include "tabular/tabular_model.h"
#include "tabular/target_check.h"

namespace haplospin {
namespace {

constexpr int64_t kMinTrainingRows = 5;
constexpr size_t kSplitsOfFits = 5, kManyRows = 10000;  // of larger tables, one fit is enough
constexpr int64_t kNeighborRows = 10000;                // that the nearest neighbors are looked for among

constexpr double kMinGainOfNetworks = 0.01;  // of the loss, by the first of several kinds

using Clock = std::chrono::steady_clock;

std::vector<TrainingRows> MakeSplits(const TrainingTable& data, const std::vector<size_t>& labeled,
                                     const std::vector<size_t>& validation, const TabularTrainingOptions& options) {
  if (!validation.empty()) {
    std::vector<bool> validates(data.strata.size());
    for (const size_t row : validation) validates[row] = true;
    TrainingRows split;
    for (const size_t row : labeled) (validates[row] ? split.validation : split.training).push_back(row);
    return {split};
  }
  const auto members = static_cast<size_t>(options.members);
  const size_t parts = std::max<size_t>({2, members, static_cast<size_t>(std::lround(1.0 / options.validation_share))});
  std::vector<uint32_t> strata;
  for (const size_t row : labeled) strata.push_back(data.strata[row]);
  RandomStream random(options.seed, {0});
  const std::vector<size_t> part_of = StratifiedParts(strata, parts, random);
  std::vector<TrainingRows> splits;
  const size_t of_fits = labeled.size() > kManyRows ? 1 : kSplitsOfFits;
  for (size_t part = 0; part < std::min(parts, std::max(members, of_fits)); ++part) {
    TrainingRows split;
    for (size_t i = 0; i < labeled.size(); ++i) {
      (part_of[i] == part ? split.validation : split.training).push_back(labeled[i]);
    }
    splits.push_back(std::move(split));
  }
  return splits;
}

// The linear fit needs a few rows, and so does its penalty.
void CheckSplits(const Table& table, const std::vector<TrainingRows>& splits) {
  for (const TrainingRows& split : splits) {
    if (std::ssize(split.training) >= kMinTrainingRows && !split.validation.empty()) continue;
    throw InputError(fmt::format("{}: {} rows for training and {} for validation; at least {} and 1 are needed",
                                 table.path, split.training.size(), split.validation.size(), kMinTrainingRows));
  }
}

}  // namespace

class TabularModel::Trainer {
 public:
  Trainer(TabularModel& model, const TrainingTable& data, std::vector<TrainingRows> splits)
      : model_(model), data_(data), splits_(std::move(splits)), parts_(splits_.size()) {
    for (const TrainingRows& split : splits_) rows_.push_back(RowsAt(split.validation));
  }

  // The fits, the smoother of what the linear fits leave, and what trees and nearest rows count.
  void Fit() {
    const torch::NoGradGuard no_grad;
    const bool has_trees = !model_.options_.only_gaussian_processes;  // else the linear fit is there to compare with
    for (size_t i = 0; i < splits_.size(); ++i) {
      auto fit = std::make_shared<TableFit>(data_.attributes, data_.is_target);
      fit->to(model_.device_);
      if (has_trees) {
        fit->Fit(RowsAt(splits_[i].training), rows_[i], model_.options_.seed + i);
      } else {
        fit->linear()->Fit(RowsAt(splits_[i].training));
      }
      splits_[i].linear = fit->linear();
      parts_[i] = model_.PredictFit(*fit, rows_[i], has_trees);
      parts_[i].smoothed = torch::zeros_like(parts_[i].linear);
      model_.fits_.push_back(std::move(fit));
    }
    model_.MakeParts();
    if (model_.options_.smooths) Smooth();
    if (model_.options_.only_gaussian_processes) return;
    ChooseFitGains(model_.gains_, Join(parts_), Joined(rows_), data_.attributes, data_.is_target);
  }

  // What the prediction without training counts, for the validation rows from the others.
  void AddGaussianProcesses() {
    const torch::NoGradGuard no_grad;
    const TabularTrainingOptions& options = model_.options_;
    if (!options.gaussian_processes) return;
    const std::string limit = LimitOfTable();
    if (!limit.empty()) {
      if (options.only_gaussian_processes) throw InputError(limit + "; give another --model");
      LogInfo("{}: --model auto does without them", limit);
      return;
    }
    for (size_t i = 0; i < splits_.size(); ++i) {
      const auto predictor = model_.GaussianProcessesOf(ContextOfSplit(i));
      parts_[i].gaussian_processes = predictor->Predict(rows_[i].To(torch::kCPU)).values.to(model_.device_);
    }
    if (options.only_gaussian_processes) {
      model_.gains_.gaussian_processes = data_.is_target.to(torch::kFloat32).cpu();
    } else {
      ChooseGaussianProcessesGains(model_.gains_, PredictFitsBySplit(), Join(parts_).gaussian_processes, Joined(rows_),
                                   data_.attributes, data_.is_target);
    }
  }

  // The first member of each candidate, then the other members of the best. Where there is a choice and the first
  // network of all adds next to nothing to the fit, it stays the only one.
  void TrainNetworks(const std::vector<TabularTrainingOptions>& candidates,
                     const std::function<void(double, const std::string&)>& report) {
    const auto members = static_cast<size_t>(candidates.front().members);
    if (members == 0) return;
    EnsembleTraining training(candidates, members, model_.device_, report);
    std::vector<TrainedNetwork>& networks = model_.training_;
    model_.is_trained_ = false;
    bool goes_on = true;
    for (const TabularTrainingOptions& candidate : candidates) {
      TrainedNetwork first = training.Train(candidate, data_, splits_[0], 0);
      if (!first.is_finished) return;
      if (networks.empty() && candidates.size() > 1) goes_on = IsWorthMore(candidate, *first.network);
      const bool is_best = networks.empty() || first.best.validation_loss < networks[0].best.validation_loss;
      if (!is_best) continue;
      model_.options_ = candidate;
      networks.assign(1, std::move(first));
      if (!goes_on) break;
    }
    for (size_t member = 1; goes_on && member < members; ++member) {
      networks.push_back(training.Train(model_.options_, data_, splits_[member % splits_.size()], member));
      if (!networks.back().is_finished) return;
    }
    model_.is_trained_ = true;
    for (const TrainedNetwork& network : networks) model_.members_.push_back(network.network);
  }

  // What the networks count, the errors to expect, and the measures on validation rows.
  void Finish() {
    const torch::NoGradGuard no_grad;
    ValidateNetworks();
    const EncodedTable rows = Joined(rows_);
    const PartPredictions parts = Join(parts_);
    const torch::Tensor predictions = Combine(parts, model_.gains_, data_.attributes);
    model_.errors_->Fit(rows, predictions);
    const torch::Tensor deviations = model_.errors_->Deviations(QueryOf(rows, data_.is_target));
    std::vector<torch::Tensor> neighbors, constant;
    for (size_t i = 0; i < splits_.size(); ++i) {
      const EncodedTable known =
          RowsAt(ContextRows(splits_[i].training, data_.strata, kNeighborRows, model_.options_.seed + i));
      neighbors.push_back(PredictFromNeighbors(known, rows_[i], data_.attributes, data_.is_target));
      constant.push_back(PredictConstant(known, data_.attributes, rows_[i].rows()));
    }
    for (const int64_t j : model_.encoder_.targets()) {
      const EncodedColumn& column = model_.encoder_.columns()[static_cast<size_t>(j)];
      const auto metrics = [&](const torch::Tensor& predicted, const torch::Tensor& expected = {}) {
        return TargetMetrics(column, predicted.select(1, j).cpu(), rows.values.select(1, j).cpu(), expected);
      };
      model_.validation_.push_back({metrics(predictions, deviations.select(1, j).cpu()), metrics(parts.linear),
                                    metrics(torch::cat(neighbors)), metrics(torch::cat(constant))});
    }
  }

 private:
  EncodedTable RowsAt(const std::vector<size_t>& rows) const {
    return data_.table.Rows(RowTensor(rows, model_.device_));
  }

  static EncodedTable Joined(const std::vector<EncodedTable>& tables) {
    std::vector<torch::Tensor> values, missing;
    for (const EncodedTable& table : tables) {
      values.push_back(table.values);
      missing.push_back(table.missing);
    }
    return {torch::cat(values), torch::cat(missing)};
  }

  EncodedTable ContextOfSplit(size_t split) const {
    return RowsAt(
        ContextRows(splits_[split].training, data_.strata, model_.options_.context_rows, model_.options_.seed + split));
  }

  // What the fits predict together for the validation rows of each split, with gains from those of the others.
  torch::Tensor PredictFitsBySplit() const {
    if (splits_.size() == 1) return Combine(parts_[0], model_.gains_, data_.attributes);
    std::vector<torch::Tensor> predicted;
    for (size_t i = 0; i < splits_.size(); ++i) {
      std::vector<PartPredictions> parts = parts_;
      std::vector<EncodedTable> rows = rows_;
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i));
      PartGains gains(std::ssize(data_.attributes));
      ChooseFitGains(gains, Join(parts), Joined(rows), data_.attributes, data_.is_target);
      predicted.push_back(Combine(parts_[i], gains, data_.attributes));
    }
    return torch::cat(predicted);
  }

  // Why the table cannot be predicted without training; empty: it can.
  std::string LimitOfTable() const {
    const std::vector<int64_t> targets = model_.encoder_.targets();
    if (std::ssize(data_.attributes) - std::ssize(targets) > kMaxGaussianProcessColumns) {
      return fmt::format("Gaussian processes take at most {} columns", kMaxGaussianProcessColumns);
    }
    for (const int64_t j : targets) {
      if (data_.attributes[static_cast<size_t>(j)].classes > kMaxGaussianProcessClasses) {
        return fmt::format("Gaussian processes take at most {} classes", kMaxGaussianProcessClasses);
      }
      for (size_t i = 0; i < splits_.size(); ++i) {
        if (ContextOfSplit(i).missing.select(1, j).all().item<bool>()) {
          return "Gaussian processes need a value of each target in every part of the rows";
        }
      }
    }
    return "";
  }

  void Smooth() {
    KernelSmoother& smoother = *model_.smoother_;
    const EncodedTable unseen = Joined(rows_);
    smoother.Choose(unseen, Indicators(unseen, data_.attributes) - Join(parts_).linear);
    for (size_t i = 0; i < splits_.size(); ++i) {
      const EncodedTable known = ContextOfSplit(i);
      const torch::Tensor residuals =
          Indicators(known, data_.attributes) - model_.PredictFit(*model_.fits_[i], known, false).linear;
      parts_[i].smoothed = smoother.Predict(smoother.FitTo(known, residuals), rows_[i]);
    }
  }

  // What a network that was trained on the split predicts for its validation rows.
  torch::Tensor Predict(const TabularTrainingOptions& options, ResidualNetwork& network, size_t split) const {
    const EncodedContext context = network.Encode(ContextOf(options, ContextOfSplit(split), data_.is_target));
    return model_.MemberProbabilities(network, context, rows_[split]);
  }

  // Whether the first network lowers the loss on its validation rows by more than chance would.
  bool IsWorthMore(const TabularTrainingOptions& options, ResidualNetwork& network) const {
    const torch::NoGradGuard no_grad;
    PartPredictions parts = parts_[0];
    PartGains gains(std::ssize(data_.attributes));
    gains.SetFrom(model_.gains_.Stacked());  // a copy
    const auto loss = [&] {
      return CombinedLoss(Combine(parts, gains, data_.attributes), rows_[0], data_.attributes, data_.is_target);
    };
    const double without = loss();
    parts.network = Predict(options, network, 0);
    ChooseNetworkGains(gains, parts, rows_[0], data_.attributes, data_.is_target);
    return loss() < (1 - kMinGainOfNetworks) * without;
  }

  // Where no network has left out the rows, the fit stands for it.
  void ValidateNetworks() {
    const size_t splits = std::min(splits_.size(), model_.members_.size());
    for (size_t i = 0; i < splits_.size(); ++i) parts_[i].network = Combine(parts_[i], model_.gains_, data_.attributes);
    for (size_t i = 0; i < splits; ++i) {
      std::vector<torch::Tensor> predicted;
      for (size_t member = i; member < model_.members_.size(); member += splits_.size()) {
        predicted.push_back(Predict(model_.options_, *model_.members_[member], i));
      }
      parts_[i].network = torch::stack(predicted).mean(0);
    }
    if (splits == 0) return;
    const auto end = static_cast<std::ptrdiff_t>(splits);
    ChooseNetworkGains(model_.gains_, Join({parts_.begin(), parts_.begin() + end}),
                       Joined({rows_.begin(), rows_.begin() + end}), data_.attributes, data_.is_target);
  }

  TabularModel& model_;
  const TrainingTable& data_;
  std::vector<TrainingRows> splits_;
  std::vector<EncodedTable> rows_;      // for validation, of each split
  std::vector<PartPredictions> parts_;  // for them
};

TabularModel TabularModel::Train(const Table& table, const std::vector<std::string>& targets,
                                 const std::vector<size_t>& validation,
                                 const std::vector<TabularTrainingOptions>& candidates, torch::Device device,
                                 const std::function<void(double, const std::string&)>& report) {
  const auto start = Clock::now();
  const TabularTrainingOptions& options = candidates.at(0);
  CheckTrainingOptions(options);
  const std::vector<size_t> labeled = LabeledRows(table, targets);
  CheckTargets(table, targets, labeled);
  TabularModel model(TableEncoder(table, targets, labeled), options, device);
  const TrainingTable data{.table = model.encoder_.Encode(table).To(device),
                           .attributes = model.encoder_.attributes(),
                           .is_target = model.encoder_.IsTarget().to(device),
                           .strata = Strata(*table.Find(targets.front()))};
  std::vector<TrainingRows> splits = MakeSplits(data, labeled, validation, options);
  CheckSplits(table, splits);
  Trainer trainer(model, data, std::move(splits));
  trainer.Fit();
  trainer.AddGaussianProcesses();
  std::vector<TabularTrainingOptions> for_networks = candidates;
  for (TabularTrainingOptions& candidate : for_networks) {
    if (candidate.time_limit == 0) continue;
    const double used = std::chrono::duration<double>(Clock::now() - start).count();
    candidate.time_limit = std::max(0.01, candidate.time_limit - used);
  }
  trainer.TrainNetworks(for_networks, report);
  if (!model.is_trained_) return model;
  trainer.Finish();
  model.context_rows_ = ContextRows(labeled, data.strata, model.options_.context_rows, options.seed);
  model.context_ = data.table.Rows(RowTensor(model.context_rows_, device));
  model.known_ = model.Encoded(model.context_);
  return model;
}

}  // namespace haplospin
