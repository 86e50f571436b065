#include "tabular/tabular_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"
#include "models/architecture.h"
#include "tabular/baselines.h"

namespace haplospin {
namespace {

constexpr int64_t kQueryRows = 512;
constexpr size_t kMaxMembers = 1000;
constexpr char kRowValues[] = "rows.values", kRowMissing[] = "rows.missing", kErrorPrefix[] = "errors.",
               kSmootherPrefix[] = "smoother.", kGains[] = "gains", kTrees[] = "trees.target",
               kAddedTrees[] = "added_trees.target";

std::string MemberPrefix(size_t member) { return fmt::format("member.{}.", member); }

std::string FitPrefix(size_t fit) { return fmt::format("fit.{}.", fit); }

std::string EncodedName(size_t member) { return fmt::format("encoded.{}", member); }

}  // namespace

void TabularModel::MakeParts() {
  const torch::Tensor is_target = encoder_.IsTarget();
  smoother_ = std::make_shared<KernelSmoother>(encoder_.attributes(), is_target);
  errors_ = std::make_shared<ErrorModel>(encoder_.attributes(), is_target);
  smoother_->to(device_);
  errors_->to(device_);
  gains_ = PartGains(is_target.size(0));
}

// Of rows on the device: the linear part, and with trees if these are used.
PartPredictions TabularModel::PredictFit(TableFit& fit, const EncodedTable& rows, bool with_trees) const {
  const MaskedTable query = QueryOf(rows, encoder_.IsTarget().to(device_));
  const torch::Tensor linear = fit.linear()->forward(query);
  PartPredictions parts{.linear = ToProbabilities(linear)};
  parts.trees = with_trees ? ToProbabilities(fit.trees().forward(query)) : parts.linear;
  parts.linear_trees = with_trees ? ToProbabilities(linear + fit.added_trees().forward(query)) : parts.linear;
  return parts;
}

// The mean over the fits.
PartPredictions TabularModel::MeanFit(const EncodedTable& rows, bool with_trees) const {
  PartPredictions sum = PredictFit(*fits_[0], rows, with_trees);
  for (size_t i = 1; i < fits_.size(); ++i) {
    const PartPredictions more = PredictFit(*fits_[i], rows, with_trees);
    sum.linear = sum.linear + more.linear;
    sum.trees = sum.trees + more.trees;
    sum.linear_trees = sum.linear_trees + more.linear_trees;
  }
  const auto fits = static_cast<double>(fits_.size());
  return {.linear = sum.linear / fits, .trees = sum.trees / fits, .linear_trees = sum.linear_trees / fits};
}

// Those of the context that have all targets, and what the linear fit leaves of them.
KernelSmoother::Fit TabularModel::NeighborsIn(const EncodedTable& context) const {
  const torch::Tensor targets = torch::tensor(encoder_.targets(), torch::kInt64).to(device_);
  const torch::Tensor labeled = (~context.missing.index_select(1, targets)).all(1).nonzero().squeeze(1);
  const EncodedTable known = context.Rows(labeled);
  const torch::Tensor residuals = Indicators(known, encoder_.attributes()) - MeanFit(known, false).linear;
  return smoother_->FitTo(known, residuals);
}

std::shared_ptr<const GaussianProcessPredictor> TabularModel::GaussianProcessesOf(const EncodedTable& context) const {
  return std::make_shared<GaussianProcessPredictor>(context.To(torch::kCPU), encoder_.attributes(), encoder_.IsTarget(),
                                                    options_.seed);
}

torch::Tensor TabularModel::Deviations(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  return errors_->Deviations(QueryOf(rows.To(device_), encoder_.IsTarget().to(device_))).cpu();
}

torch::Tensor TabularModel::PredictLinear(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  return MeanFit(rows.To(device_), false).linear.cpu();
}

TabularModel::EncodedRows TabularModel::Encoded(const EncodedTable& context) const {
  const torch::NoGradGuard no_grad;
  const torch::Tensor is_target = encoder_.IsTarget().to(device_);
  EncodedRows encoded;
  for (const auto& network : members_) {
    encoded.contexts.push_back(network->Encode(ContextOf(options_, context, is_target)));
  }
  if (gains_.smoothed.any().item<bool>()) encoded.neighbors = NeighborsIn(context);
  if (uses_gaussian_processes()) encoded.gaussian_processes = GaussianProcessesOf(context);
  return encoded;
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

torch::Tensor TabularModel::PredictWith(const EncodedRows& known, const EncodedTable& rows) const {
  const EncodedTable query = rows.To(device_);
  PartPredictions parts = MeanFit(query, (gains_.trees + gains_.linear_trees).any().item<bool>());
  parts.smoothed = known.neighbors ? smoother_->Predict(*known.neighbors, query) : torch::zeros_like(parts.linear);
  if (known.gaussian_processes) {
    parts.gaussian_processes = known.gaussian_processes->Predict(rows.To(torch::kCPU)).values.to(device_);
  }
  if (uses_networks()) {
    std::vector<torch::Tensor> predicted;
    for (size_t member = 0; member < members_.size(); ++member) {
      predicted.push_back(MemberProbabilities(*members_[member], known.contexts[member], query));
    }
    parts.network = torch::stack(predicted).mean(0);
  }
  return Combine(parts, gains_, encoder_.attributes()).cpu();
}

torch::Tensor TabularModel::Predict(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  return PredictWith(known_, rows);
}

torch::Tensor TabularModel::PredictFrom(const EncodedTable& context, const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  return PredictWith(Encoded(context.To(device_)), rows);
}

torch::Tensor TabularModel::ContextWeights(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  HS_ASSERT(context_.values.defined() && !members_.empty());
  const MaskedTable query = QueryOf(rows.To(device_), encoder_.IsTarget().to(device_));
  torch::Tensor sum;
  for (size_t member = 0; member < members_.size(); ++member) {
    const torch::Tensor weights = members_[member]->ContextWeights(known_.contexts[member], query);
    sum = sum.defined() ? sum + weights : weights;
  }
  return (sum / static_cast<double>(members_.size())).cpu();
}

nlohmann::json TabularModel::Configuration(bool encoded) const {
  return {{"network", options_.network},
          {"members", members_.size()},
          {"fits", fits_.size()},
          {"encoded", encoded},
          {"target_masking", options_.target_masking},
          {"only_gaussian_processes", options_.only_gaussian_processes},
          {"seed", options_.seed},
          {"table", encoder_.ToJson()}};
}

void TabularModel::Save(const std::string& path, bool encoded, const Provenance& provenance) const {
  HS_ASSERT(!encoded || (ArchitectureOf(options_.network).encodes && !options_.smooths));
  NamedTensors tensors;
  InsertWithPrefix(tensors, kErrorPrefix, ModuleState(*errors_));
  InsertWithPrefix(tensors, kSmootherPrefix, ModuleState(*smoother_));
  tensors[kGains] = gains_.Stacked();
  for (size_t i = 0; i < fits_.size(); ++i) InsertWithPrefix(tensors, FitPrefix(i), ModuleState(*fits_[i]));
  for (size_t member = 0; member < members_.size(); ++member) {
    InsertWithPrefix(tensors, MemberPrefix(member), ModuleState(*members_[member]));
    if (encoded) tensors[EncodedName(member)] = known_.contexts[member].inducing_points;
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
  size_t members = 0, fits = 0;
  bool encoded = false;
  ReadConfiguration(file.header.configuration, path, [&](const nlohmann::json& json) {
    json.at("network").get_to(options.network);
    json.at("members").get_to(members);
    json.at("fits").get_to(fits);
    json.at("encoded").get_to(encoded);
    json.at("target_masking").get_to(options.target_masking);
    json.at("only_gaussian_processes").get_to(options.only_gaussian_processes);
    json.at("seed").get_to(options.seed);
    table = json.at("table");
  });
  if (!AreValid(options.network)) throw DamagedModel(path, "its network's sizes are out of bounds");
  TabularModel model(TableEncoder(table, path), options, device);
  const Architecture& architecture = ArchitectureOf(options.network);
  if (members > kMaxMembers || fits == 0 || fits > kMaxMembers || (encoded && !architecture.encodes)) {
    throw DamagedModel(path, "its configuration contradicts itself");
  }
  const auto d = static_cast<double>(model.encoder_.columns().size());
  file.CheckHolds(static_cast<double>(members) * architecture.min_weights(options.network, d));
  model.MakeParts();
  LoadModuleState(*model.errors_, WithoutPrefix(file.tensors, kErrorPrefix), path);
  LoadModuleState(*model.smoother_, WithoutPrefix(file.tensors, kSmootherPrefix), path);
  model.gains_.SetFrom(file.At(kGains, model.gains_.Stacked().sizes()).to(torch::kFloat32));
  if (encoded && (model.gains_.smoothed.any().item<bool>() || model.uses_gaussian_processes())) {
    throw DamagedModel(path, "it has no rows but predicts from them");
  }
  for (size_t i = 0; i < fits; ++i) model.LoadFit(file, FitPrefix(i));
  if (!encoded) model.LoadRows(file);
  for (size_t member = 0; member < members; ++member) model.LoadMember(file, member, encoded);
  if (!encoded) model.known_ = model.Encoded(model.context_);
  return model;
}

void TabularModel::LoadRows(const ModelFile& file) {
  const int64_t d = std::ssize(encoder_.columns());
  const torch::Tensor& values = file.At(kRowValues, {-1, d});
  if (values.size(0) == 0) throw DamagedModel(file.path, "it holds no rows");
  const torch::Tensor& missing = file.At(kRowMissing, values.sizes());
  context_ = EncodedTable{values.to(torch::kFloat32), missing.to(torch::kBool)}.To(device_);
}

void TabularModel::LoadFit(const ModelFile& file, const std::string& prefix) {
  auto fit = std::make_shared<TableFit>(encoder_.attributes(), encoder_.IsTarget());
  fit->trees().Resize(file.At(prefix + kTrees, {-1}).size(0));
  fit->added_trees().Resize(file.At(prefix + kAddedTrees, {-1}).size(0));
  LoadModuleState(*fit, WithoutPrefix(file.tensors, prefix), file.path);
  fit->trees().Check(file.path);
  fit->added_trees().Check(file.path);
  fit->to(device_);
  fits_.push_back(fit);
}

void TabularModel::LoadMember(const ModelFile& file, size_t member, bool encoded) {
  const ContextNetworkOptions& options = options_.network;
  auto network =
      MakeTabularNetwork(options, fits_[member % fits_.size()]->linear(), encoder_.attributes(), encoder_.IsTarget());
  LoadModuleState(*network, WithoutPrefix(file.tensors, MemberPrefix(member)), file.path);
  network->to(device_);
  network->eval();
  members_.push_back(network);
  if (!encoded) return;
  const torch::Tensor& points =
      file.At(EncodedName(member), {options.inducing_points, options.latent_attributes, options.width});
  known_.contexts.push_back({{}, points.to(device_)});
}

}  // namespace haplospin
