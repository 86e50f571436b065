#include "tabular/tabular_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "core/random.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"
#include "nn/tensor_file.h"
#include "tabular/splits.h"

namespace haplospin {
namespace {

constexpr int64_t kQueryRows = 512;
constexpr int64_t kMinRows = 10;
constexpr int kFormatVersion = 3;
constexpr char kMetadataKey[] = "haplospin.tabular";

// The rows in which every target has a value.
std::vector<size_t> LabelledRows(const Table& table, const std::vector<std::string>& targets) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < table.rows(); ++row) {
    const bool labelled = std::ranges::all_of(targets, [&](const std::string& name) {
      const Column& column = *table.Find(name);
      return column.IsNumeric() ? !std::isnan(column.numbers[row]) : column.codes[row] >= 0;
    });
    if (labelled) rows.push_back(row);
  }
  return rows;
}

void CheckTargets(const Table& table, const std::vector<std::string>& targets, const std::vector<size_t>& labelled) {
  for (const std::string& name : targets) {
    const Column& column = *table.Find(name);
    if (column.missing == table.rows()) {
      throw InputError(fmt::format("{}: target '{}' has no values; name another with --target", table.path, name));
    }
    const auto same = [&](size_t row) {
      return column.IsNumeric() ? column.numbers[row] == column.numbers[labelled[0]]
                                : column.codes[row] == column.codes[labelled[0]];
    };
    if (std::ranges::all_of(labelled, same)) {
      throw InputError(
          fmt::format("{}: target '{}' is the same in every row; there is nothing to learn", table.path, name));
    }
  }
  if (std::ssize(labelled) < kMinRows) {
    throw InputError(
        fmt::format("{}: {} rows with all targets; at least {} are needed", table.path, labelled.size(), kMinRows));
  }
}

std::vector<TrainingRows> SplitForMembers(const TrainingTable& data, const std::vector<size_t>& labelled,
                                          const std::vector<size_t>& validation,
                                          const TabularTrainingOptions& options) {
  std::vector<TrainingRows> splits;
  if (!validation.empty()) {
    std::vector<bool> validates(data.strata.size());
    for (const size_t row : validation) validates[row] = true;
    TrainingRows split;
    for (const size_t row : labelled) (validates[row] ? split.validation : split.training).push_back(row);
    splits.assign(static_cast<size_t>(options.members), split);
    return splits;
  }
  const auto parts = std::max<size_t>(
      {2, static_cast<size_t>(options.members), static_cast<size_t>(std::lround(1.0 / options.validation_share))});
  std::vector<uint32_t> strata;
  for (const size_t row : labelled) strata.push_back(data.strata[row]);
  RandomStream random(options.seed, {0});
  const std::vector<size_t> part_of = StratifiedParts(strata, parts, random);
  for (size_t member = 0; member < static_cast<size_t>(options.members); ++member) {
    TrainingRows split;
    for (size_t i = 0; i < labelled.size(); ++i) {
      (part_of[i] == member ? split.validation : split.training).push_back(labelled[i]);
    }
    splits.push_back(std::move(split));
  }
  return splits;
}

// Of the two parts neither may be empty.
void CheckSplits(const Table& table, const std::vector<TrainingRows>& splits) {
  for (const TrainingRows& split : splits) {
    if (!split.training.empty() && !split.validation.empty()) continue;
    throw InputError(fmt::format("{}: {} rows to train on and {} to validate on; both are needed", table.path,
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

NamedTensors MemberState(const NamedTensors& tensors, size_t member) {
  return WithoutPrefix(tensors, fmt::format("member.{}.", member));
}

const torch::Tensor& Take(const NamedTensors& tensors, const std::string& name, const std::string& path) {
  const auto found = tensors.find(name);
  if (found == tensors.end())
    throw InputError(fmt::format("{}: tensor {} is missing; train the model again", path, name));
  return found->second;
}

}  // namespace

TabularModel TabularModel::Train(const Table& table, const std::vector<std::string>& targets,
                                 const std::vector<size_t>& validation, const TabularTrainingOptions& options,
                                 torch::Device device, const std::function<void(double, const std::string&)>& report) {
  CheckTrainingOptions(options);
  const std::vector<size_t> labelled = LabelledRows(table, targets);
  CheckTargets(table, targets, labelled);
  TabularModel model(TableEncoder(table, targets, labelled), options, device);
  const TrainingTable data{.table = model.encoder_.Encode(table).To(device),
                           .attributes = model.encoder_.attributes(),
                           .is_target = model.encoder_.IsTarget().to(device),
                           .strata = Strata(*table.Find(targets.front()))};
  const std::vector<TrainingRows> splits = SplitForMembers(data, labelled, validation, options);
  CheckSplits(table, splits);
  model.TrainMembers(data, splits, report);
  if (!model.is_trained_) return model;
  model.MeasureResiduals(data, splits);
  model.context_rows_ = ContextRows(labelled, data.strata, options.context_rows, options.seed);
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
    TabularNetwork& network = *members_[member];
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

torch::Tensor TabularModel::MemberProbabilities(TabularNetwork& network, const TabularContext& context,
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
    const TabularContext encoded = network->Encode(ContextOf(options_, context.To(device_), is_target));
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

void TabularModel::Save(const std::string& path, bool encoded) const {
  HS_ASSERT(!encoded || options_.network.model == "spin");
  NamedTensors tensors;
  for (size_t member = 0; member < members_.size(); ++member) {
    InsertWithPrefix(tensors, fmt::format("member.{}.", member), ModuleState(*members_[member]));
    if (encoded) tensors[fmt::format("encoded.{}", member)] = contexts_[member].inducing_points;
  }
  if (!encoded) {
    tensors["rows.values"] = context_.values;
    tensors["rows.missing"] = context_.missing;
  }
  const nlohmann::json json = {
      {"format", kFormatVersion},          {"haplospin", kVersion},       {"network", options_.network.ToJson()},
      {"members", members_.size()},        {"encoded", encoded},          {"target_masking", options_.target_masking},
      {"residual_deviations", residuals_}, {"columns", encoder_.ToJson()}};
  WriteTensorFile(path, tensors, {{kMetadataKey, json.dump()}});
}

TabularModel TabularModel::Load(const std::string& path, torch::Device device) {
  const Safetensors file = ReadSafetensors(path);
  if (!file.metadata.contains(kMetadataKey)) {
    throw InputError(path + ": not a model of haplospin tabular train");
  }
  const nlohmann::json json =
      nlohmann::json::parse(file.metadata.at(kMetadataKey), nullptr, /*allow_exceptions=*/false);
  const auto damaged = [&]() { return InputError(path + ": its metadata is damaged; train the model again"); };
  if (!json.is_object() || !json.contains("format") || !json.contains("columns") || !json.contains("network")) {
    throw damaged();
  }
  if (json["format"] != kFormatVersion) {
    throw InputError(path + ": of another version of haplospin; train the model again with this one");
  }
  TabularTrainingOptions options;
  options.network = TabularNetworkOptions::FromJson(json["network"], path);
  TabularModel model(TableEncoder(json["columns"], path), options, device);
  size_t members = 0;
  bool encoded = false;
  try {
    members = json.at("members");
    encoded = json.at("encoded");
    model.options_.target_masking = json.at("target_masking");
    model.residuals_ = json.at("residual_deviations").get<std::vector<double>>();
  } catch (const nlohmann::json::exception&) {
    throw damaged();
  }
  if (members == 0 || members > 1000 || model.residuals_.size() != model.encoder_.targets().size()) throw damaged();
  const NamedTensors tensors = FileTensors(file);
  const int64_t d = std::ssize(model.encoder_.columns());
  if (!encoded) {
    const torch::Tensor& values = Take(tensors, "rows.values", path);
    const torch::Tensor& missing = Take(tensors, "rows.missing", path);
    if (values.dim() != 2 || values.size(1) != d || values.sizes() != missing.sizes() || values.size(0) == 0) {
      throw InputError(path + ": its rows do not fit its columns; train the model again");
    }
    model.context_ = EncodedTable{values.to(torch::kFloat32), missing.to(torch::kBool)}.To(device);
  }
  for (size_t member = 0; member < members; ++member) {
    auto network = MakeTabularNetwork(options.network, model.encoder_.attributes());
    LoadModuleState(*network, MemberState(tensors, member), path);
    network->to(device);
    network->eval();
    model.members_.push_back(network);
    if (!encoded) continue;
    const torch::Tensor& points = Take(tensors, fmt::format("encoded.{}", member), path);
    const TabularNetworkOptions& net = options.network;
    if (points.sizes() != torch::IntArrayRef({net.inducing_points, net.latent_attributes, net.width})) {
      throw InputError(path + ": its inducing points do not fit its network; train the model again");
    }
    model.contexts_.push_back({{}, points.to(device)});
  }
  if (!encoded) model.EncodeContexts();
  return model;
}

}  // namespace haplospin
