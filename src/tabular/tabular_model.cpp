#include "tabular/tabular_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "haplospin/errors.h"
#include "models/architecture.h"
#include "tabular/baselines.h"
#include "tabular/ensemble_training.h"
#include "tabular/splits.h"
#include "tabular/target_check.h"

namespace haplospin {
namespace {

constexpr int64_t kQueryRows = 512;
constexpr int64_t kMinTrainingRows = 5;
constexpr size_t kMaxMembers = 1000;
constexpr char kRowValues[] = "rows.values", kRowMissing[] = "rows.missing", kErrorPrefix[] = "errors.",
               kSmootherPrefix[] = "smoother.", kGains[] = "gains";
constexpr int64_t kNeighborRows = 10000;  // that the nearest neighbors are looked for among

std::vector<TrainingRows> SplitForMembers(const TrainingTable& data, const std::vector<size_t>& labeled,
                                          const std::vector<size_t>& validation,
                                          const TabularTrainingOptions& options) {
  std::vector<TrainingRows> splits;
  if (!validation.empty()) {
    std::vector<bool> validates(data.strata.size());
    for (const size_t row : validation) validates[row] = true;
    TrainingRows split;
    for (const size_t row : labeled) (validates[row] ? split.validation : split.training).push_back(row);
    splits.assign(static_cast<size_t>(options.members), split);
    return splits;
  }
  const auto parts = std::max<size_t>(
      {2, static_cast<size_t>(options.members), static_cast<size_t>(std::lround(1.0 / options.validation_share))});
  std::vector<uint32_t> strata;
  for (const size_t row : labeled) strata.push_back(data.strata[row]);
  RandomStream random(options.seed, {0});
  const std::vector<size_t> part_of = StratifiedParts(strata, parts, random);
  for (size_t member = 0; member < static_cast<size_t>(options.members); ++member) {
    TrainingRows split;
    for (size_t i = 0; i < labeled.size(); ++i) {
      (part_of[i] == member ? split.validation : split.training).push_back(labeled[i]);
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

std::string MemberPrefix(size_t member) { return fmt::format("member.{}.", member); }

std::string EncodedName(size_t member) { return fmt::format("encoded.{}", member); }

}  // namespace

TabularModel TabularModel::Train(const Table& table, const std::vector<std::string>& targets,
                                 const std::vector<size_t>& validation,
                                 const std::vector<TabularTrainingOptions>& candidates, torch::Device device,
                                 const std::function<void(double, const std::string&)>& report) {
  const TabularTrainingOptions& options = candidates.at(0);
  CheckTrainingOptions(options);
  const std::vector<size_t> labeled = LabeledRows(table, targets);
  CheckTargets(table, targets, labeled);
  TabularModel model(TableEncoder(table, targets, labeled), options, device);
  const TrainingTable data{.table = model.encoder_.Encode(table).To(device),
                           .attributes = model.encoder_.attributes(),
                           .is_target = model.encoder_.IsTarget().to(device),
                           .strata = Strata(*table.Find(targets.front()))};
  const std::vector<TrainingRows> splits = SplitForMembers(data, labeled, validation, options);
  CheckSplits(table, splits);
  model.TrainMembers(data, splits, candidates, report);
  if (!model.is_trained_) return model;
  model.Validate(data, splits);
  model.context_rows_ = ContextRows(labeled, data.strata, model.options_.context_rows, options.seed);
  model.context_ = data.table.Rows(RowTensor(model.context_rows_, device));
  model.contexts_ = model.Encoded(model.context_);
  return model;
}

// The first member of each candidate, then the other members of the best.
void TabularModel::TrainMembers(const TrainingTable& data, const std::vector<TrainingRows>& splits,
                                const std::vector<TabularTrainingOptions>& candidates,
                                const std::function<void(double, const std::string&)>& report) {
  EnsembleTraining training(candidates, splits.size(), device_, report);
  is_trained_ = false;
  for (const TabularTrainingOptions& candidate : candidates) {
    TrainedNetwork first = training.Train(candidate, data, splits[0], 0);
    if (!first.is_finished) return;
    const bool is_best = training_.empty() || first.best.validation_loss < training_[0].best.validation_loss;
    if (!is_best) continue;
    options_ = candidate;
    training_.assign(1, std::move(first));
  }
  for (size_t member = 1; member < splits.size(); ++member) {
    training_.push_back(training.Train(options_, data, splits[member], member));
    if (!training_.back().is_finished) return;
  }
  is_trained_ = true;
  for (const TrainedNetwork& network : training_) members_.push_back(network.network);
}

void TabularModel::Validate(const TrainingTable& data, const std::vector<TrainingRows>& splits) {
  const torch::NoGradGuard no_grad;
  const auto rows_of = [&](const std::vector<size_t>& rows) { return data.table.Rows(RowTensor(rows, device_)); };
  std::vector<ValidationPredictions> parts;
  std::vector<EncodedTable> contexts;
  for (size_t member = 0; member < splits.size(); ++member) {
    ResidualNetwork& network = *members_[member];
    const EncodedTable rows = rows_of(splits[member].validation);
    contexts.push_back(
        rows_of(ContextRows(splits[member].training, data.strata, options_.context_rows, options_.seed + member)));
    const EncodedTable known =
        rows_of(ContextRows(splits[member].training, data.strata, kNeighborRows, options_.seed + member));
    const torch::Tensor linear = LinearProbabilities(network, rows);
    const EncodedContext context = network.Encode(ContextOf(options_, contexts.back(), data.is_target));
    parts.push_back({rows, MemberProbabilities(network, context, rows), linear,
                     PredictFromNeighbors(known, rows, data.attributes, data.is_target),
                     PredictConstant(known, data.attributes, rows.rows()), torch::zeros_like(linear)});
  }
  MakeParts();
  if (options_.smooths) {
    const ValidationPredictions unseen = Join(parts);
    smoother_->Choose(unseen.rows, Indicators(unseen.rows, data.attributes) - unseen.linear);
    for (size_t member = 0; member < splits.size(); ++member) {
      const torch::Tensor residuals =
          Indicators(contexts[member], data.attributes) - LinearProbabilities(*members_[member], contexts[member]);
      parts[member].smoothed = smoother_->Predict(smoother_->FitTo(contexts[member], residuals), parts[member].rows);
    }
  }
  const ValidationPredictions all = Join(parts);
  gains_ = BestGains(all, data.attributes, data.is_target);
  const torch::Tensor predictions = Combine(all.linear, all.network, all.smoothed, gains_, data.attributes);
  errors_->Fit(all.rows, predictions);
  const torch::Tensor deviations = errors_->Deviations(QueryOf(all.rows, data.is_target));
  for (const int64_t j : encoder_.targets()) {
    const EncodedColumn& column = encoder_.columns()[static_cast<size_t>(j)];
    const auto metrics = [&](const torch::Tensor& predicted, const torch::Tensor& expected = {}) {
      return TargetMetrics(column, predicted.select(1, j).cpu(), all.rows.values.select(1, j).cpu(), expected);
    };
    validation_.push_back({metrics(predictions, deviations.select(1, j).cpu()), metrics(all.linear),
                           metrics(all.neighbors), metrics(all.constant)});
  }
}

void TabularModel::MakeParts() {
  const torch::Tensor is_target = encoder_.IsTarget();
  smoother_ = std::make_shared<KernelSmoother>(encoder_.attributes(), is_target);
  errors_ = std::make_shared<ErrorModel>(encoder_.attributes(), is_target);
  smoother_->to(device_);
  errors_->to(device_);
  gains_ = torch::zeros({is_target.size(0), 2});
}

torch::Tensor TabularModel::LinearProbabilities(ResidualNetwork& network, const EncodedTable& rows) const {
  return ToProbabilities(network.PredictLinear(QueryOf(rows, encoder_.IsTarget().to(device_))));
}

// The mean over the members, of rows on the device.
torch::Tensor TabularModel::MeanLinear(const EncodedTable& rows) const {
  std::vector<torch::Tensor> predictions;
  for (const auto& member : members_) predictions.push_back(LinearProbabilities(*member, rows));
  return torch::stack(predictions).mean(0);
}

// What the neighbors of the rows, among those of the context that have all targets, add to the linear fit.
torch::Tensor TabularModel::Smoothed(const EncodedTable& context, const EncodedTable& rows) const {
  const torch::Tensor targets = torch::tensor(encoder_.targets(), torch::kInt64).to(device_);
  const torch::Tensor labeled = (~context.missing.index_select(1, targets)).all(1).nonzero().squeeze(1);
  const EncodedTable known = context.Rows(labeled);
  const torch::Tensor residuals = Indicators(known, encoder_.attributes()) - MeanLinear(known);
  return smoother_->Predict(smoother_->FitTo(known, residuals), rows);
}

torch::Tensor TabularModel::Deviations(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  return errors_->Deviations(QueryOf(rows.To(device_), encoder_.IsTarget().to(device_))).cpu();
}

torch::Tensor TabularModel::PredictLinear(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  return MeanLinear(rows.To(device_)).cpu();
}

std::vector<EncodedContext> TabularModel::Encoded(const EncodedTable& context) const {
  const torch::NoGradGuard no_grad;
  const torch::Tensor is_target = encoder_.IsTarget().to(device_);
  std::vector<EncodedContext> contexts;
  for (const auto& network : members_) contexts.push_back(network->Encode(ContextOf(options_, context, is_target)));
  return contexts;
}

torch::Tensor TabularModel::ToProbabilities(const torch::Tensor& predictions) const {
  const Attributes attributes = encoder_.attributes();
  std::vector<torch::Tensor> columns;
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    const torch::Tensor column = predictions.select(1, j);
    columns.push_back(attributes[static_cast<size_t>(j)].IsContinuous() ? column : column.softmax(-1));
  }
  return torch::stack(columns, 1);
}

torch::Tensor TabularModel::MemberProbabilities(ContextNetwork& network, const EncodedContext& context,
                                                const EncodedTable& rows) const {
  const torch::Tensor is_target = encoder_.IsTarget().to(device_);
  std::vector<torch::Tensor> parts;
  for (int64_t first = 0; first < rows.rows(); first += kQueryRows) {
    const int64_t size = std::min(kQueryRows, rows.rows() - first);
    const EncodedTable part{rows.values.narrow(0, first, size), rows.missing.narrow(0, first, size)};
    parts.push_back(ToProbabilities(network.Predict(context, QueryOf(part.To(device_), is_target))));
  }
  return torch::cat(parts);
}

torch::Tensor TabularModel::PredictWith(const std::vector<EncodedContext>& contexts, const EncodedTable& context,
                                        const EncodedTable& rows) const {
  const EncodedTable query = rows.To(device_);
  torch::Tensor network;
  for (size_t member = 0; member < members_.size(); ++member) {
    const torch::Tensor predicted = MemberProbabilities(*members_[member], contexts[member], query);
    network = network.defined() ? network + predicted : predicted;
  }
  network = network / static_cast<double>(members_.size());
  const bool smooths = gains_.select(1, 1).any().item<bool>();
  const torch::Tensor smoothed = smooths ? Smoothed(context, query) : torch::zeros_like(network);
  return Combine(MeanLinear(query), network, smoothed, gains_, encoder_.attributes()).cpu();
}

torch::Tensor TabularModel::Predict(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  return PredictWith(contexts_, context_, rows);
}

torch::Tensor TabularModel::PredictFrom(const EncodedTable& context, const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  const EncodedTable known = context.To(device_);
  return PredictWith(Encoded(known), known, rows);
}

torch::Tensor TabularModel::ContextWeights(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  HS_ASSERT(context_.values.defined());
  const MaskedTable query = QueryOf(rows.To(device_), encoder_.IsTarget().to(device_));
  torch::Tensor sum;
  for (size_t member = 0; member < members_.size(); ++member) {
    const torch::Tensor weights = members_[member]->ContextWeights(contexts_[member], query);
    sum = sum.defined() ? sum + weights : weights;
  }
  return (sum / static_cast<double>(members_.size())).cpu();
}

nlohmann::json TabularModel::Configuration(bool encoded) const {
  return {{"network", options_.network},
          {"members", members_.size()},
          {"encoded", encoded},
          {"target_masking", options_.target_masking},
          {"table", encoder_.ToJson()}};
}

void TabularModel::Save(const std::string& path, bool encoded, const Provenance& provenance) const {
  HS_ASSERT(!encoded || (ArchitectureOf(options_.network).encodes && !options_.smooths));
  NamedTensors tensors;
  InsertWithPrefix(tensors, kErrorPrefix, ModuleState(*errors_));
  InsertWithPrefix(tensors, kSmootherPrefix, ModuleState(*smoother_));
  tensors[kGains] = gains_;
  for (size_t member = 0; member < members_.size(); ++member) {
    InsertWithPrefix(tensors, MemberPrefix(member), ModuleState(*members_[member]));
    if (encoded) tensors[EncodedName(member)] = contexts_[member].inducing_points;
  }
  if (!encoded) {
    tensors[kRowValues] = context_.values;
    tensors[kRowMissing] = context_.missing;
  }
  WriteModelFile(path, {.kind = ModelKind::kTabular, .configuration = Configuration(encoded), .provenance = provenance},
                 tensors);
}

TabularModel TabularModel::Load(const std::string& path, torch::Device device) {
  const ModelFile file = ReadModelFile(path, ModelKind::kTabular);
  TabularTrainingOptions options;
  nlohmann::json table;
  size_t members = 0;
  bool encoded = false;
  ReadConfiguration(file.header.configuration, path, [&](const nlohmann::json& json) {
    json.at("network").get_to(options.network);
    json.at("members").get_to(members);
    json.at("encoded").get_to(encoded);
    json.at("target_masking").get_to(options.target_masking);
    table = json.at("table");
  });
  if (!AreValid(options.network)) throw DamagedModel(path, "its network's sizes are out of bounds");
  TabularModel model(TableEncoder(table, path), options, device);
  const Architecture& architecture = ArchitectureOf(options.network);
  if (members == 0 || members > kMaxMembers || (encoded && !architecture.encodes)) {
    throw DamagedModel(path, "its configuration contradicts itself");
  }
  const auto d = static_cast<double>(model.encoder_.columns().size());
  file.CheckHolds(static_cast<double>(members) * architecture.least_weights(options.network, d));
  model.MakeParts();
  LoadModuleState(*model.errors_, WithoutPrefix(file.tensors, kErrorPrefix), path);
  LoadModuleState(*model.smoother_, WithoutPrefix(file.tensors, kSmootherPrefix), path);
  model.gains_ = file.At(kGains, model.gains_.sizes()).to(torch::kFloat32);
  if (encoded && model.gains_.select(1, 1).any().item<bool>()) {
    throw DamagedModel(path, "it has no rows but needs neighbors");
  }
  if (!encoded) model.LoadRows(file);
  for (size_t member = 0; member < members; ++member) model.LoadMember(file, member, encoded);
  if (!encoded) model.contexts_ = model.Encoded(model.context_);
  return model;
}

void TabularModel::LoadRows(const ModelFile& file) {
  const int64_t d = std::ssize(encoder_.columns());
  const torch::Tensor& values = file.At(kRowValues, {-1, d});
  if (values.size(0) == 0) throw DamagedModel(file.path, "it holds no rows");
  const torch::Tensor& missing = file.At(kRowMissing, values.sizes());
  context_ = EncodedTable{values.to(torch::kFloat32), missing.to(torch::kBool)}.To(device_);
}

void TabularModel::LoadMember(const ModelFile& file, size_t member, bool encoded) {
  const ContextNetworkOptions& options = options_.network;
  auto network = MakeTabularNetwork(options, encoder_.attributes(), encoder_.IsTarget());
  LoadModuleState(*network, WithoutPrefix(file.tensors, MemberPrefix(member)), file.path);
  network->to(device_);
  network->eval();
  members_.push_back(network);
  if (!encoded) return;
  const torch::Tensor& points =
      file.At(EncodedName(member), {options.inducing_points, options.latent_attributes, options.width});
  contexts_.push_back({{}, points.to(device_)});
}

}  // namespace haplospin
