#include "tabular/tabular_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "haplospin/errors.h"
#include "models/architecture.h"
#include "models/table_loss.h"
#include "nn/optimization/adam.h"
#include "nn/optimization/gradient_clipping.h"
#include "nn/optimization/lookahead.h"
#include "nn/optimization/schedule.h"
#include "nn/random_state.h"
#include "tabular/splits.h"

namespace haplospin {
namespace {

constexpr int64_t kWarmUpSteps = 20;
constexpr double kFlatFraction = 0.5;  // of the learning rate's schedule
constexpr int64_t kQueryRows = 512;

enum RandomPurpose : uint64_t { kBatches = 1, kMemory = 2, kWeights = 3, kContext = 4 };

std::unique_ptr<Lookahead> MakeOptimizer(const TabularTrainingOptions& options, const torch::nn::Module& network) {
  if (options.lamb) {
    AdamOptions lamb = Lamb::DefaultOptions();
    lamb.weight_decay = options.weight_decay;
    return std::make_unique<Lookahead>(std::make_unique<Lamb>(TrainableParameters(network), lamb), options.lookahead);
  }
  return std::make_unique<Lookahead>(
      std::make_unique<AdamW>(TrainableParameters(network), AdamOptions{.weight_decay = options.weight_decay}),
      LookaheadOptions{.period = 1, .slow_rate = options.average_rate, .synchronise = false});
}

// Goes through the rows again and again in stratified order.
class Batches {
 public:
  Batches(const std::vector<size_t>& rows, const std::vector<uint32_t>& strata_of_table, RandomStream random)
      : rows_(rows), random_(random) {
    for (const size_t row : rows) strata_.push_back(strata_of_table[row]);
  }

  std::vector<size_t> Next(int64_t count) {
    std::vector<size_t> batch;
    while (std::ssize(batch) < count) {
      if (at_ == order_.size()) {
        order_ = StratifiedOrder(rows_, strata_, random_);
        at_ = 0;
      }
      batch.push_back(order_[at_++]);
    }
    return batch;
  }

 private:
  const std::vector<size_t> rows_;
  std::vector<uint32_t> strata_;
  RandomStream random_;
  std::vector<size_t> order_;
  size_t at_ = 0;
};

class Trainer {
 public:
  Trainer(const TabularTrainingOptions& options, const TrainingTable& data, const TrainingRows& rows, uint64_t member,
          double seconds)
      : options_(options),
        data_(data),
        rows_(rows),
        member_(member),
        seconds_(seconds),
        device_(data.table.values.device()),
        start_(Clock::now()),
        batches_(rows.training, data.strata, RandomStream(options.seed, {member, kBatches})),
        unlabelled_(rows.validation, data.strata, RandomStream(options.seed, {member, kBatches, 1})),
        random_(options.seed, {member, kMemory}) {
    HS_ASSERT(!rows.training.empty() && !rows.validation.empty());
    SeedGenerators(RandomStream(options.seed, {member, kWeights})());
    network_ = MakeTabularNetwork(options.network, data.attributes);
    network_->to(device_);
    optimizer_ = MakeOptimizer(options, *network_);
    rate_ = WithWarmUp(std::min(kWarmUpSteps, options.steps), FlatThenAnneal(options.steps, kFlatFraction));
    batch_rows_ = std::min<int64_t>(options.batch_rows, std::ssize(rows.training));
    unlabelled_rows_ = batch_rows_ * std::ssize(rows.validation) / std::ssize(rows.training);
    context_ = data.table.Rows(
        RowTensor(ContextRows(rows.training, data.strata, options.context_rows, options.seed + member), device_));
    validation_ = data.table.Rows(RowTensor(rows.validation, device_));
  }

  TrainedNetwork Run(const std::function<void(int64_t, const TrainingPoint&)>& report) {
    int64_t without_better = 0;
    for (step_ = 0; step_ < options_.steps; ++step_) {
      result_.lost_numbers = !Step();
      const bool last = step_ + 1 == options_.steps || Progress() >= 1.0;
      if (!result_.lost_numbers && ((step_ + 1) % options_.validate_every == 0 || last)) {
        const TrainingPoint point = Validate();
        result_.lost_numbers = !std::isfinite(point.validation_loss);
        if (!result_.lost_numbers) without_better = Keep(point) ? 0 : without_better + 1;
      }
      if (result_.lost_numbers) {
        if (!result_.curve.empty()) break;
        throw InputError(fmt::format("the loss is no number after {} steps; give a lower --learning-rate", step_ + 1));
      }
      report(step_ + 1, result_.curve.empty() ? TrainingPoint{} : result_.curve.back());
      if (last || without_better >= options_.patience) break;
    }
    LoadModuleState(*network_, best_weights_, "the best weights");
    network_->eval();
    result_.network = network_;
    return std::move(result_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Share of the steps or of the time that is used up, whichever is more.
  double Progress() const {
    const double by_steps = static_cast<double>(step_) / static_cast<double>(options_.steps);
    if (seconds_ == 0.0) return by_steps;
    return std::max(by_steps, std::chrono::duration<double>(Clock::now() - start_).count() / seconds_);
  }

  bool Step() {
    const auto schedule_step = static_cast<int64_t>(Progress() * static_cast<double>(options_.steps));
    network_->train();
    const TableLosses losses =
        ArchitectureOf(options_.network).trains_from_memory ? LossFromMemory() : LossWithinBatch();
    const torch::Tensor loss = losses.Total(AnnealedTradeoff(options_.tradeoff, schedule_step, options_.steps));
    if (!std::isfinite(loss.item<double>())) return false;
    optimizer_->ZeroGrad();
    loss.backward();
    if (options_.clip > 0.0) ClipGradients(optimizer_->parameters(), {ClippingKind::kValue, options_.clip});
    // The warm-up is in true steps: a time limit must not skip it.
    optimizer_->Step(options_.learning_rate * rate_(step_ < kWarmUpSteps ? step_ : schedule_step));
    loss_sum_ += losses.labels.item<double>();
    ++loss_count_;
    return true;
  }

  MaskedTable MaskFeatures(const EncodedTable& table) const {
    MaskedTable masked = table.Masked();
    MaskAtRandom(masked, data_.attributes, ~table.missing & ~data_.is_target, options_.feature_masking,
                 options_.randomised);
    return masked;
  }

  TableLosses Losses(const torch::Tensor& predictions, const EncodedTable& truth, const MaskedTable& masked) const {
    return TableLoss(predictions, truth.values, masked.in_loss, data_.is_target, data_.attributes);
  }

  // Hopular: all targets of the batch are hidden, those of the memory are not.
  TableLosses LossFromMemory() {
    const std::vector<size_t> batch = batches_.Next(batch_rows_);
    const std::vector<size_t> memory = MemoryRows();
    const EncodedTable table = data_.table.Rows(RowTensor(batch, device_));
    MaskedTable masked = MaskFeatures(table);
    MaskAtRandom(masked, data_.attributes, ~table.missing & data_.is_target, 1.0);
    std::vector<int64_t> own_row;
    for (const size_t row : batch) {
      const auto found = std::ranges::lower_bound(memory, row);
      own_row.push_back(found != memory.end() && *found == row ? found - memory.begin() : -1);
    }
    return Losses(network_->Train(masked, data_.table.Rows(RowTensor(memory, device_)).Masked(),
                                  torch::tensor(own_row, torch::kInt64).to(device_)),
                  table, masked);
  }

  // The training rows in ascending order, or as many of them as a prediction is made from.
  std::vector<size_t> MemoryRows() {
    if (std::ssize(rows_.training) <= options_.context_rows) {
      std::vector<size_t> all = rows_.training;
      std::ranges::sort(all);
      return all;
    }
    return ContextRows(rows_.training, data_.strata, options_.context_rows, random_());
  }

  // The others: some targets of the batch are hidden and predicted from the rest; validation rows are there without
  // theirs.
  TableLosses LossWithinBatch() {
    std::vector<size_t> rows = batches_.Next(batch_rows_);
    const int64_t labelled = std::ssize(rows);
    for (const size_t row : unlabelled_.Next(unlabelled_rows_)) rows.push_back(row);
    const EncodedTable table = data_.table.Rows(RowTensor(rows, device_));
    MaskedTable masked = MaskFeatures(table);
    const torch::Tensor is_labelled = torch::arange(std::ssize(rows), torch::TensorOptions(device_)) < labelled;
    Hide(masked, ~is_labelled.unsqueeze(1) & data_.is_target);
    if (ArchitectureOf(options_.network).masks_chunks) {
      MaskChunks(masked, is_labelled, data_.is_target, options_.target_masking);
      masked.in_loss = masked.in_loss & ~table.missing;
    } else {
      MaskAtRandom(masked, data_.attributes, is_labelled.unsqueeze(1) & data_.is_target & ~table.missing,
                   options_.target_masking);
    }
    return Losses(network_->Train(masked, {}, {}), table, masked);
  }

  TrainingPoint Validate() {
    const torch::NoGradGuard no_grad;
    const SlowWeights averaged(*optimizer_);
    network_->eval();
    const EncodedContext context = network_->Encode(ContextOf(options_, context_, data_.is_target));
    double loss = 0.0, count = 0.0;
    for (int64_t first = 0; first < validation_.rows(); first += kQueryRows) {
      const int64_t size = std::min(kQueryRows, validation_.rows() - first);
      const EncodedTable part{validation_.values.narrow(0, first, size), validation_.missing.narrow(0, first, size)};
      const MaskedTable query = QueryOf(part, data_.is_target);
      loss += Losses(network_->Predict(context, query), part, query).labels.item<double>() * static_cast<double>(size);
      count += static_cast<double>(size);
    }
    const TrainingPoint point{step_ + 1, loss_count_ > 0 ? loss_sum_ / static_cast<double>(loss_count_) : 0.0,
                              loss / count};
    loss_sum_ = 0.0;
    loss_count_ = 0;
    return point;
  }

  // Whether it is the best so far, and its weights are kept.
  bool Keep(const TrainingPoint& point) {
    result_.curve.push_back(point);
    if (!best_weights_.empty() && point.validation_loss >= result_.best.validation_loss) return false;
    result_.best = point;
    const torch::NoGradGuard no_grad;
    const SlowWeights averaged(*optimizer_);
    for (const auto& [name, tensor] : ModuleState(*network_)) best_weights_[name] = tensor.detach().clone();
    return true;
  }

  const TabularTrainingOptions& options_;
  const TrainingTable& data_;
  const TrainingRows& rows_;
  const uint64_t member_;
  const double seconds_;
  const torch::Device device_;
  const Clock::time_point start_;
  Batches batches_, unlabelled_;
  RandomStream random_;
  std::shared_ptr<ContextNetwork> network_;
  std::unique_ptr<Lookahead> optimizer_;
  Schedule rate_;
  int64_t batch_rows_ = 0, unlabelled_rows_ = 0, step_ = 0;
  EncodedTable context_, validation_;
  double loss_sum_ = 0.0;
  int64_t loss_count_ = 0;
  NamedTensors best_weights_;
  TrainedNetwork result_;
};

}  // namespace

TrainedNetwork TrainTabularNetwork(const TabularTrainingOptions& options, const TrainingTable& data,
                                   const TrainingRows& rows, uint64_t member, double seconds,
                                   const std::function<void(int64_t, const TrainingPoint&)>& report) {
  return Trainer(options, data, rows, member, seconds).Run(report);
}

std::vector<size_t> ContextRows(const std::vector<size_t>& rows, const std::vector<uint32_t>& strata_of_table,
                                int64_t most, uint64_t seed) {
  std::vector<size_t> chosen = rows;
  if (std::ssize(rows) > most) {
    std::vector<uint32_t> strata;
    for (const size_t row : rows) strata.push_back(strata_of_table[row]);
    RandomStream random(seed, {kContext});
    chosen = StratifiedOrder(rows, strata, random);
    chosen.resize(static_cast<size_t>(most));
  }
  std::ranges::sort(chosen);
  return chosen;
}

torch::Tensor RowTensor(const std::vector<size_t>& rows, torch::Device device) {
  return torch::tensor(std::vector<int64_t>(rows.begin(), rows.end()), torch::kInt64).to(device);
}

MaskedTable ContextOf(const TabularTrainingOptions& options, const EncodedTable& table,
                      const torch::Tensor& is_target) {
  MaskedTable context = table.Masked();
  const bool never_sees_targets = !ArchitectureOf(options.network).trains_from_memory && options.target_masking == 1.0;
  if (never_sees_targets) Hide(context, is_target.expand_as(context.masked));
  return context;
}

MaskedTable QueryOf(const EncodedTable& table, const torch::Tensor& is_target) {
  MaskedTable query = table.Masked();
  query.in_loss = ~table.missing & is_target;
  Hide(query, is_target.expand_as(query.masked));
  return query;
}

}  // namespace haplospin
