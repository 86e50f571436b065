#include "processes/process_model.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "nn/model_file.h"

namespace haplospin {
namespace {

constexpr int64_t kRangeBatches = 16, kRangeTasks = 2;

// Calls visit(name, field) for each entry of the description of the data.
template <typename Model, typename Scaling, typename Visit>
void VisitData(Model& model, Scaling& scaling, const Visit& visit) {
  visit("x_low", model.x_low);
  visit("x_high", model.x_high);
  visit("x_names", model.columns.x);
  visit("y_names", model.columns.y);
  visit("group", model.columns.group);
  visit("x_centre", scaling.x_center);
  visit("x_scale", scaling.x_scale);
  visit("y_centre", scaling.y_center);
  visit("y_scale", scaling.y_scale);
}

bool AreScales(const std::vector<double>& scales) {
  return std::ranges::all_of(scales, [](double s) { return std::isfinite(s) && s > 0; });
}

bool IsConsistent(const ProcessModel& model) {
  const auto dx = static_cast<size_t>(model.options.dx), dy = static_cast<size_t>(model.options.dy);
  const auto fits_or_empty = [](size_t size, size_t wanted) { return size == wanted || size == 0; };
  if (model.x_low.size() != dx || model.x_high.size() != dx || !fits_or_empty(model.columns.x.size(), dx) ||
      !fits_or_empty(model.columns.y.size(), dy)) {
    return false;
  }
  if (!model.scaling) return true;
  const DataScaling& scaling = *model.scaling;
  return scaling.x_center.size() == dx && scaling.x_scale.size() == dx && scaling.y_center.size() == dy &&
         scaling.y_scale.size() == dy && AreScales(scaling.x_scale) && AreScales(scaling.y_scale);
}

nlohmann::json DataToJson(const ProcessModel& model) {
  nlohmann::json json;
  const DataScaling scaling = model.scaling.value_or(DataScaling());
  VisitData(model, scaling, [&](const char* name, const auto& field) { json[name] = field; });
  json["scaling"] = model.scaling ? "fixed" : "context";
  return json;
}

void DataFromJson(const nlohmann::json& json, ProcessModel& model) {
  DataScaling scaling;
  VisitData(model, scaling, [&](const char* name, auto& field) { json.at(name).get_to(field); });
  static const nlohmann::json is_fixed = {{"context", false}, {"fixed", true}};
  if (is_fixed.at(json.at("scaling").get<std::string>()).get<bool>()) model.scaling = scaling;
}

}  // namespace

void WriteProcessModel(const std::string& path, const ProcessModel& model) {
  WriteModelFile(path,
                 {.kind = ModelKind::kNeuralProcess,
                  .configuration = {{"network", model.options}, {"data", DataToJson(model)}},
                  .provenance = model.provenance,
                  .results = model.results},
                 ModuleState(*model.network));
}

ProcessModel ReadProcessModel(const std::string& path, int64_t test_samples) {
  const ModelFile file = ReadModelFile(path, ModelKind::kNeuralProcess);
  ProcessModel model{.provenance = file.header.provenance, .results = file.header.results};
  ReadConfiguration(file.header.configuration, path, [&](const nlohmann::json& json) {
    json.at("network").get_to(model.options);
    DataFromJson(json.at("data"), model);
  });
  if (test_samples > 0) model.options.test_samples = test_samples;
  CheckProcessOptions(model.options, path);
  if (!IsConsistent(model)) throw DamagedModel(path, "its description of the data contradicts itself");
  file.CheckHolds(MinWeights(model.options));
  model.network = MakeNeuralProcess(model.options);
  LoadModuleState(*model.network, file.tensors, path);
  model.network->eval();
  return model;
}

void SetTrainedRange(const TaskSource& source, uint64_t seed, ProcessModel& model) {
  model.x_low.assign(static_cast<size_t>(source.dx()), std::numeric_limits<double>::infinity());
  model.x_high.assign(static_cast<size_t>(source.dx()), -std::numeric_limits<double>::infinity());
  for (int64_t batch = 0; batch < kRangeBatches; ++batch) {
    RandomStream random = BatchStream(seed, TaskStream::kTraining, batch);
    for (const ProcessTasks& tasks : source.Draw(kRangeTasks, random)) {
      const torch::Tensor x = torch::cat({tasks.context_x, tasks.target_x}, 1).flatten(0, 1);
      for (int64_t c = 0; c < source.dx(); ++c) {
        const auto at = static_cast<size_t>(c);
        model.x_low[at] = std::min(model.x_low[at], x.select(1, c).min().item<double>());
        model.x_high[at] = std::max(model.x_high[at], x.select(1, c).max().item<double>());
      }
    }
  }
}

}  // namespace haplospin
