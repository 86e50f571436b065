#include "learning/tabular/tabular_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/random.h"
#include "haplospin/errors.h"
#include "learning/models/context_network.h"
#include "learning/models/table_model.h"
#include "learning/nn/random_state.h"
#include "learning/tabular/splits.h"

namespace haplospin {
namespace {

// The smallest scale of residuals: numbers of 32 bits are not precise enough for smaller ones.
constexpr double kMinScale = 1e-4;
constexpr int64_t kQueryRows = 512;  // rows that are predicted at once
constexpr int64_t kWarmUpSteps = 20;
constexpr double kFlatFraction = 0.5;   // share of the steps at the full learning rate
constexpr double kRandomized = 0.1;     // share of the masked features that get a random value instead of the mask
constexpr double kTargetMasking = 0.5;  // share of the targets of a batch that is predicted; Hopular predicts all

// Keys of the random draws.
enum RandomPurpose : uint64_t { kBatches = 1, kMemory = 2, kWeights = 3 };

TrainingRecipe MakeRecipe(const TabularTrainingOptions& options) {
  const int64_t warm_up = std::min(kWarmUpSteps, options.steps);
  return {.optimizer = {OptimizerKind::kAdamW,
                        LookaheadOptions{.period = 1, .slow_rate = options.average_rate, .synchronize = false}},
          .schedule = FlatThenAnneal(options.steps, kFlatFraction),
          .warm_up = WithWarmUp(warm_up, ConstantSchedule()),
          .clipping = {ClippingKind::kValue, 1.0},
          .keeps_best_when_diverged = true};
}

std::string HashTable(const EncodedTable& table) {
  const torch::Tensor values = table.values.cpu().contiguous();
  return fmt::format("{:016x}", HashName({static_cast<const char*>(values.data_ptr()), values.nbytes()}));
}

// Iterates over the rows in stratified order, epoch after epoch.
class Batches {
 public:
  Batches(const std::vector<size_t>& rows, const std::vector<uint32_t>& table_strata, RandomStream random)
      : rows_(rows), random_(random) {
    for (const size_t row : rows) strata_.push_back(table_strata[row]);
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

class TabularObjective : public TrainingObjective {
 public:
  TabularObjective(const TabularTrainingOptions& options, const TrainingTable& data, const TrainingRows& rows,
                   const std::shared_ptr<LinearModel>& linear, uint64_t member)
      : options_(options),
        data_(data),
        rows_(rows),
        member_(member),
        device_(data.table.values.device()),
        batches_(rows.training, data.strata, Stream(kBatches, 0)),
        unlabeled_(rows.validation, data.strata, Stream(kBatches, 1)),
        random_(Stream(kMemory, 0)) {
    HS_ASSERT(!rows.training.empty() && !rows.validation.empty());
    SeedGenerators(RandomStream(options.seed, {member, kWeights})());
    network_ = MakeTabularNetwork(options.network, linear, data.attributes, data.is_target);
    network_->to(device_);
    network_->Fit(data.table.Rows(RowTensor(rows.training, device_)));
    batch_rows_ = std::min<int64_t>(options.batch_rows, std::ssize(rows.training));
    unlabeled_rows_ = batch_rows_ * std::ssize(rows.validation) / std::ssize(rows.training);
    context_ = data.table.Rows(
        RowTensor(ContextRows(rows.training, data.strata, options.context_rows, options.seed + member), device_));
    validation_ = data.table.Rows(RowTensor(rows.validation, device_));
  }

  torch::nn::Module& network() override { return *network_; }
  const std::shared_ptr<ResidualNetwork>& tabular_network() const { return network_; }

  nlohmann::json Configuration() const override {
    return {{"network", options_.network},
            {"member", member_},
            {"members", options_.members},
            {"training_rows", rows_.training.size()},
            {"validation_rows", rows_.validation.size()},
            {"hash_of_table", HashTable(data_.table)},
            {"average_rate", options_.average_rate},
            {"batch_rows", options_.batch_rows},
            {"context_rows", options_.context_rows},
            {"feature_masking", options_.feature_masking},
            {"tradeoff", options_.tradeoff}};
  }

  // Draws what the steps would have drawn from the random streams.
  void SkipSteps(int64_t steps) override {
    for (int64_t step = 0; step < steps; ++step) {
      batches_.Next(batch_rows_);
      if (!FindArchitecture(options_.network).trains_from_memory) {
        unlabeled_.Next(unlabeled_rows_);
      } else if (!MemoryIsAllRows()) {
        random_();
      }
    }
  }

  StepLosses AddGradients(const TrainingStep& step) override {
    const TableLosses losses =
        FindArchitecture(options_.network).trains_from_memory ? LossFromMemory() : LossWithinBatch();
    const torch::Tensor loss = losses.Total(AnnealedTradeoff(options_.tradeoff, step.schedule_step, options_.steps));
    loss.backward();
    return {.total = loss.item<double>(), .parts = {losses.labels.item<double>()}};
  }

  std::string LossText(const std::vector<double>& means) const override {
    return fmt::format("network {}: loss {:.4g}", member_ + 1, means[0]);
  }

  double Validate() override {
    const EncodedContext context = network_->Encode(context_.Masked());
    double loss = 0.0, count = 0.0;
    for (int64_t first = 0; first < validation_.rows(); first += kQueryRows) {
      const EncodedTable part = validation_.Part(first, kQueryRows);
      const MaskedTable query = part.Query(data_.is_target);
      const TableLosses losses =
          TableLoss(network_->Predict(context, query), part.values, query.in_loss, data_.is_target, data_.attributes);
      const auto rows = static_cast<double>(part.rows());
      loss += losses.labels.item<double>() * rows;
      count += rows;
    }
    return -loss / count;
  }

  std::string ScoreText(double score) const override { return fmt::format("loss {:.4g}", -score); }

 private:
  // The random stream of this member and process for a purpose.
  RandomStream Stream(uint64_t purpose, uint64_t index) const {
    if (options_.place.rank > 0) {
      return RandomStream(options_.seed, {member_, purpose, index, static_cast<uint64_t>(options_.place.rank)});
    }
    return index == 0 ? RandomStream(options_.seed, {member_, purpose})
                      : RandomStream(options_.seed, {member_, purpose, index});
  }

  MaskedTable MaskFeatures(const EncodedTable& table) const {
    MaskedTable masked = table.Masked();
    MaskAtRandom(masked, data_.attributes, ~table.missing & ~data_.is_target, options_.feature_masking, kRandomized);
    return masked;
  }

  // Losses in units of the residuals that the network learns.
  TableLosses ScaledLosses(const torch::Tensor& predictions, const EncodedTable& truth,
                           const MaskedTable& masked) const {
    const torch::Tensor& scale = network_->scale();
    return TableLoss(predictions / scale.unsqueeze(1), truth.values / scale, masked.in_loss, data_.is_target,
                     data_.attributes);
  }

  // Hopular: all targets of the batch are masked, those of the memory are not. Every feature is predicted, masked or
  // not, as published.
  TableLosses LossFromMemory() {
    const std::vector<size_t> batch = batches_.Next(batch_rows_);
    const std::vector<size_t> memory = MemoryRows();
    const EncodedTable table = data_.table.Rows(RowTensor(batch, device_));
    MaskedTable masked = MaskFeatures(table);
    Hide(masked, data_.is_target.expand_as(masked.masked));
    masked.in_loss = ~table.missing;
    std::vector<int64_t> own_row;
    for (const size_t row : batch) {
      const auto found = std::ranges::lower_bound(memory, row);
      own_row.push_back(found != memory.end() && *found == row ? found - memory.begin() : -1);
    }
    return ScaledLosses(network_->Train(masked, data_.table.Rows(RowTensor(memory, device_)).Masked(),
                                        torch::tensor(own_row, torch::kInt64).to(device_)),
                        table, masked);
  }

  bool MemoryIsAllRows() const { return std::ssize(rows_.training) <= options_.context_rows; }

  // The training rows in ascending order, or as many of them as a prediction is made from.
  std::vector<size_t> MemoryRows() {
    if (MemoryIsAllRows()) {
      std::vector<size_t> all = rows_.training;
      std::ranges::sort(all);
      return all;
    }
    return ContextRows(rows_.training, data_.strata, options_.context_rows, random_());
  }

  // NPT, SPIN and the Set Transformer: some targets of the batch are masked and predicted from the rest; validation
  // rows are included without their targets.
  TableLosses LossWithinBatch() {
    std::vector<size_t> rows = batches_.Next(batch_rows_);
    const int64_t labeled = std::ssize(rows);
    for (const size_t row : unlabeled_.Next(unlabeled_rows_)) rows.push_back(row);
    const EncodedTable table = data_.table.Rows(RowTensor(rows, device_));
    MaskedTable masked = MaskFeatures(table);
    const torch::Tensor is_labeled = torch::arange(std::ssize(rows), torch::TensorOptions(device_)) < labeled;
    Hide(masked, ~is_labeled.unsqueeze(1) & data_.is_target);
    if (FindArchitecture(options_.network).masks_chunks) {
      MaskChunks(masked, is_labeled, data_.is_target, kTargetMasking);
      masked.in_loss = masked.in_loss & ~table.missing;
    } else {
      MaskAtRandom(masked, data_.attributes, is_labeled.unsqueeze(1) & data_.is_target & ~table.missing,
                   kTargetMasking);
    }
    return ScaledLosses(network_->Train(masked, {}, {}), table, masked);
  }

  const TabularTrainingOptions& options_;
  const TrainingTable& data_;
  const TrainingRows& rows_;
  const uint64_t member_;
  const torch::Device device_;
  Batches batches_, unlabeled_;
  RandomStream random_;
  std::shared_ptr<ResidualNetwork> network_;
  int64_t batch_rows_ = 0, unlabeled_rows_ = 0;
  EncodedTable context_, validation_;
};

}  // namespace

ResidualNetwork::ResidualNetwork(std::shared_ptr<ContextNetwork> inner, std::shared_ptr<LinearModel> linear,
                                 const Attributes& attributes, const torch::Tensor& is_target)
    : inner_(register_module("inner", std::move(inner))),
      linear_(std::move(linear)),
      is_number_(NumericTargets(attributes, is_target)) {
  scale_ = register_buffer("scale", torch::ones({std::ssize(attributes)}));
}

void ResidualNetwork::Fit(const EncodedTable& rows) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor residuals = rows.values - linear_->forward(rows.Masked()).select(2, 0);
  const torch::Tensor deviation = (residuals - residuals.mean(0)).square().mean(0).sqrt().clamp_min(kMinScale);
  scale_.copy_(torch::where(is_number_.to(scale_.device()), deviation, torch::ones_like(deviation)));
}

MaskedTable ResidualNetwork::ToResiduals(const MaskedTable& rows, const torch::Tensor& linear) const {
  if (!rows.values.defined()) return rows;
  const torch::Tensor is_seen = is_number_.to(rows.values.device()) & ~rows.masked;
  MaskedTable residuals = rows;
  residuals.values = torch::where(is_seen, (rows.values - linear.select(2, 0)) / scale_, rows.values);
  return residuals;
}

torch::Tensor ResidualNetwork::FromResiduals(const torch::Tensor& predictions, const torch::Tensor& linear) const {
  return linear + predictions * scale_.unsqueeze(1);
}

torch::Tensor ResidualNetwork::Train(const MaskedTable& batch, const MaskedTable& memory,
                                     const torch::Tensor& own_row) {
  const torch::Tensor linear = linear_->forward(batch);
  const MaskedTable stored = memory.values.defined() ? ToResiduals(memory, linear_->forward(memory)) : memory;
  return FromResiduals(inner_->Train(ToResiduals(batch, linear), stored, own_row), linear);
}

EncodedContext ResidualNetwork::Encode(const MaskedTable& rows) {
  return inner_->Encode(ToResiduals(rows, linear_->forward(rows)));
}

torch::Tensor ResidualNetwork::Predict(const EncodedContext& context, const MaskedTable& query) {
  const torch::Tensor linear = linear_->forward(query);
  return FromResiduals(inner_->Predict(context, ToResiduals(query, linear)), linear);
}

torch::Tensor ResidualNetwork::ContextWeights(const EncodedContext& context, const MaskedTable& query) {
  return inner_->ContextWeights(context, ToResiduals(query, linear_->forward(query)));
}

std::shared_ptr<ResidualNetwork> MakeTabularNetwork(const ContextNetworkOptions& options,
                                                    std::shared_ptr<LinearModel> linear, const Attributes& attributes,
                                                    const torch::Tensor& is_target) {
  const ContextNetworkTable table{
      .attributes = attributes, .long_values = true, .normalize_keys = true, .rows_per_block = kSpinRowsPerBlock};
  return std::make_shared<ResidualNetwork>(MakeContextNetwork(options, table), std::move(linear), attributes,
                                           is_target);
}

torch::Tensor PredictInBlocks(ContextNetwork& network, const EncodedContext& context, const EncodedTable& rows,
                              const Attributes& attributes, const torch::Tensor& is_target) {
  std::vector<torch::Tensor> blocks;
  for (int64_t first = 0; first < rows.rows(); first += kQueryRows) {
    const MaskedTable query = rows.Part(first, kQueryRows).Query(is_target);
    blocks.push_back(ToProbabilities(network.Predict(context, query), attributes));
  }
  return torch::cat(blocks);
}

TrainedNetwork TrainTabularNetwork(const TabularTrainingOptions& options, const TrainingTable& data,
                                   const TrainingRows& rows, const std::shared_ptr<LinearModel>& linear,
                                   uint64_t member, DataParallel& processes, const TrainingObserver& observer) {
  TabularObjective objective(options, data, rows, linear, member);
  const TrainingResult result = RunTraining(options, MakeRecipe(options), objective, processes, observer);
  return {objective.tabular_network(), result};
}

}  // namespace haplospin
