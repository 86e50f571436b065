#include "tabular/tabular_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "core/random.h"
#include "haplospin/errors.h"
#include "models/architecture.h"
#include "tabular/splits.h"

namespace haplospin {
namespace {

constexpr int64_t kQueryRows = 512;
constexpr int64_t kMinRows = 10;
constexpr size_t kMaxMembers = 1000;
constexpr char kRowValues[] = "rows.values", kRowMissing[] = "rows.missing";

// The rows in which every target has a value.
std::vector<size_t> LabeledRows(const Table& table, const std::vector<std::string>& targets) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < table.rows(); ++row) {
    const bool labeled = std::ranges::all_of(targets, [&](const std::string& name) {
      const Column& column = *table.Find(name);
      return column.IsNumeric() ? !std::isnan(column.numbers[row]) : column.codes[row] >= 0;
    });
    if (labeled) rows.push_back(row);
  }
  return rows;
}

void CheckTargets(const Table& table, const std::vector<std::string>& targets, const std::vector<size_t>& labeled) {
  for (const std::string& name : targets) {
    const Column& column = *table.Find(name);
    if (column.missing == table.rows()) {
      throw InputError(fmt::format("{}: target '{}' has no values; give another --target", table.path, name));
    }
    const auto same = [&](size_t row) {
      return column.IsNumeric() ? column.numbers[row] == column.numbers[labeled[0]]
                                : column.codes[row] == column.codes[labeled[0]];
    };
    if (std::ranges::all_of(labeled, same)) {
      throw InputError(
          fmt::format("{}: target '{}' has the same value in every row; there is nothing to learn", table.path, name));
    }
  }
  if (std::ssize(labeled) < kMinRows) {
    throw InputError(
        fmt::format("{}: {} rows with all targets; at least {} are needed", table.path, labeled.size(), kMinRows));
  }
}

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

// Neither of the two parts may be empty.
void CheckSplits(const Table& table, const std::vector<TrainingRows>& splits) {
  for (const TrainingRows& split : splits) {
    if (!split.training.empty() && !split.validation.empty()) continue;
    throw InputError(fmt::format("{}: {} rows for training and {} for validation; both are needed", table.path,
                                 split.training.size(), split.validation.size()));
  }
}

std::string MemberCheckpoint(const TrainingOptions& options, size_t member) {
  if (options.checkpoint.empty() || member == 0) return options.checkpoint;
  return fmt::format("{}.{}", options.checkpoint, member + 1);
}

// What an earlier run left must not be resumed by this one.
void StartCheckpoints(const TabularTrainingOptions& options) {
  if (options.checkpoint.empty() || options.resume || options.place.rank > 0) return;
  for (int64_t member = 0; member < options.members; ++member) {
    std::filesystem::remove(MemberCheckpoint(options, static_cast<size_t>(member)));
  }
}

// After the members before it took so many steps in this process and so many seconds in all.
TabularTrainingOptions MemberOptions(const TabularTrainingOptions& all, size_t member, int64_t steps, double seconds) {
  TabularTrainingOptions options = all;
  options.checkpoint = MemberCheckpoint(all, member);
  options.resume = all.resume && std::filesystem::exists(options.checkpoint);
  options.allow_changes = all.allow_changes && options.resume;
  options.out.clear();  // the model of all members
  if (all.stop_after > 0) options.stop_after = all.stop_after - steps;
  const auto members_left = static_cast<double>(all.members - static_cast<int64_t>(member));
  if (all.time_limit > 0) options.time_limit = std::max(0.01, (all.time_limit - seconds) / members_left);
  return options;
}

std::string MemberPrefix(size_t member) { return fmt::format("member.{}.", member); }

std::string EncodedName(size_t member) { return fmt::format("encoded.{}", member); }

}  // namespace

TabularModel TabularModel::Train(const Table& table, const std::vector<std::string>& targets,
                                 const std::vector<size_t>& validation, const TabularTrainingOptions& options,
                                 torch::Device device, const std::function<void(double, const std::string&)>& report) {
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
  model.TrainMembers(data, splits, report);
  if (!model.is_trained_) return model;
  model.MeasureResiduals(data, splits);
  model.context_rows_ = ContextRows(labeled, data.strata, options.context_rows, options.seed);
  model.context_ = data.table.Rows(RowTensor(model.context_rows_, device));
  model.EncodeContexts();
  return model;
}

void TabularModel::TrainMembers(const TrainingTable& data, const std::vector<TrainingRows>& splits,
                                const std::function<void(double, const std::string&)>& report) {
  StartCheckpoints(options_);
  DataParallel processes(options_.place, device_);
  double seconds = 0;
  int64_t steps = 0;  // of this process
  for (size_t member = 0; member < splits.size(); ++member) {
    is_trained_ = options_.stop_after == 0 || steps < options_.stop_after;
    if (!is_trained_) return;
    const auto tell = [&](int64_t step, const TrainingPoint& point) {
      ++steps;
      if (!report) return;
      report((static_cast<double>(member) + static_cast<double>(step) / static_cast<double>(options_.steps)) /
                 static_cast<double>(splits.size()),
             fmt::format("network {} of {}, step {}: loss {:.4g}, validation {:.4g}", member + 1, splits.size(), step,
                         point.training_loss, point.validation_loss));
    };
    const TabularTrainingOptions options = MemberOptions(options_, member, steps, seconds);
    training_.push_back(TrainTabularNetwork(options, data, splits[member], member, processes, tell));
    is_trained_ = training_.back().is_finished;
    if (!is_trained_) return;
    members_.push_back(training_.back().network);
    seconds += training_.back().seconds;
  }
}

void TabularModel::MeasureResiduals(const TrainingTable& data, const std::vector<TrainingRows>& splits) {
  const torch::NoGradGuard no_grad;
  const std::vector<int64_t> targets = encoder_.targets();
  std::vector<double> squares(targets.size()), count(targets.size());
  for (size_t member = 0; member < splits.size(); ++member) {
    const auto rows_of = [&](const std::vector<size_t>& rows) { return data.table.Rows(RowTensor(rows, device_)); };
    const EncodedTable validation = rows_of(splits[member].validation);
    const EncodedTable context =
        rows_of(ContextRows(splits[member].training, data.strata, options_.context_rows, options_.seed + member));
    ContextNetwork& network = *members_[member];
    const torch::Tensor predicted =
        MemberProbabilities(network, network.Encode(ContextOf(options_, context, data.is_target)), validation);
    for (size_t t = 0; t < targets.size(); ++t) {
      if (!data.attributes[static_cast<size_t>(targets[t])].IsContinuous()) continue;
      const torch::Tensor truth = validation.values.select(1, targets[t]);
      squares[t] += (predicted.select(1, targets[t]).select(1, 0) - truth).square().sum().item<double>();
      count[t] += static_cast<double>(validation.rows());
    }
  }
  residuals_.clear();
  for (size_t t = 0; t < targets.size(); ++t) {
    const double deviation = encoder_.columns()[static_cast<size_t>(targets[t])].deviation;
    residuals_.push_back(count[t] > 0 ? std::max(1e-6, std::sqrt(squares[t] / count[t])) * deviation : 0.0);
  }
}

void TabularModel::EncodeContexts() {
  const torch::NoGradGuard no_grad;
  const torch::Tensor is_target = encoder_.IsTarget().to(device_);
  contexts_.clear();
  for (const auto& network : members_) contexts_.push_back(network->Encode(ContextOf(options_, context_, is_target)));
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

torch::Tensor TabularModel::Predict(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  torch::Tensor sum;
  for (size_t member = 0; member < members_.size(); ++member) {
    const torch::Tensor predicted = MemberProbabilities(*members_[member], contexts_[member], rows);
    sum = sum.defined() ? sum + predicted : predicted;
  }
  return (sum / static_cast<double>(members_.size())).cpu();
}

torch::Tensor TabularModel::PredictFrom(const EncodedTable& context, const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  const torch::Tensor is_target = encoder_.IsTarget().to(device_);
  torch::Tensor sum;
  for (const auto& network : members_) {
    const EncodedContext encoded = network->Encode(ContextOf(options_, context.To(device_), is_target));
    const torch::Tensor predicted = MemberProbabilities(*network, encoded, rows);
    sum = sum.defined() ? sum + predicted : predicted;
  }
  return (sum / static_cast<double>(members_.size())).cpu();
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
          {"residual_deviations", residuals_},
          {"columns", encoder_.ToJson()}};
}

void TabularModel::Save(const std::string& path, bool encoded, const Provenance& provenance) const {
  HS_ASSERT(!encoded || ArchitectureOf(options_.network).encodes);
  NamedTensors tensors;
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
  nlohmann::json columns;
  size_t members = 0;
  bool encoded = false;
  std::vector<double> residuals;
  ReadConfiguration(file.header.configuration, path, [&](const nlohmann::json& json) {
    json.at("network").get_to(options.network);
    json.at("members").get_to(members);
    json.at("encoded").get_to(encoded);
    json.at("target_masking").get_to(options.target_masking);
    json.at("residual_deviations").get_to(residuals);
    columns = json.at("columns");
  });
  if (!AreValid(options.network)) throw DamagedModel(path, "its network's sizes are out of bounds");
  TabularModel model(TableEncoder(columns, path), options, device);
  const Architecture& architecture = ArchitectureOf(options.network);
  if (members == 0 || members > kMaxMembers || residuals.size() != model.encoder_.targets().size() ||
      (encoded && !architecture.encodes)) {
    throw DamagedModel(path, "its configuration contradicts itself");
  }
  const auto d = static_cast<double>(model.encoder_.columns().size());
  file.CheckHolds(static_cast<double>(members) * architecture.least_weights(options.network, d));
  model.residuals_ = std::move(residuals);
  if (!encoded) model.LoadRows(file);
  for (size_t member = 0; member < members; ++member) model.LoadMember(file, member, encoded);
  if (!encoded) model.EncodeContexts();
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
  auto network = MakeTabularNetwork(options, encoder_.attributes());
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
