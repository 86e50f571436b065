#include "processes/process_model.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "nn/model_file.h"

namespace haplospin {
namespace {

// The kinds of scaling by their names in files; an unknown name is an nlohmann::json::exception of at().
const nlohmann::json kScalings = {
    {"context", ScalingKind::kContext}, {"fixed", ScalingKind::kFixed}, {"none", ScalingKind::kNone}};
constexpr int64_t kRangeBatches = 16, kRangeTasks = 2;

template <typename Model, typename Visit>
void VisitData(Model& model, const Visit& visit) {
  visit("x_low", model.x_low);
  visit("x_high", model.x_high);
  visit("x_names", model.columns.x);
  visit("y_names", model.columns.y);
  visit("group", model.columns.group);
  visit("x_centre", model.fixed.x_center);
  visit("x_scale", model.fixed.x_scale);
  visit("y_centre", model.fixed.y_center);
  visit("y_scale", model.fixed.y_scale);
}

bool AreScales(const std::vector<double>& scales) {
  return std::ranges::all_of(scales, [](double s) { return std::isfinite(s) && s > 0; });
}

bool IsConsistent(const ProcessModel& model) {
  const auto dx = static_cast<size_t>(model.options.dx), dy = static_cast<size_t>(model.options.dy);
  const auto fits = [](size_t size, size_t wanted, bool required) {
    return size == wanted || (!required && size == 0);
  };
  const bool fixed = model.scaling == ScalingKind::kFixed;
  return fits(model.x_low.size(), dx, true) && fits(model.x_high.size(), dx, true) &&
         fits(model.columns.x.size(), dx, false) && fits(model.columns.y.size(), dy, false) &&
         fits(model.fixed.x_center.size(), dx, fixed) && fits(model.fixed.x_scale.size(), dx, fixed) &&
         fits(model.fixed.y_center.size(), dy, fixed) && fits(model.fixed.y_scale.size(), dy, fixed) &&
         AreScales(model.fixed.x_scale) && AreScales(model.fixed.y_scale);
}

nlohmann::json DataToJson(const ProcessModel& model) {
  nlohmann::json json;
  VisitData(model, [&](const char* name, const auto& field) { json[name] = field; });
  for (const auto& [name, scaling] : kScalings.items()) {
    if (scaling == model.scaling) json["scaling"] = name;
  }
  return json;
}

void DataFromJson(const nlohmann::json& json, ProcessModel& model) {
  VisitData(model, [&](const char* name, auto& field) { json.at(name).get_to(field); });
  kScalings.at(json.at("scaling").get<std::string>()).get_to(model.scaling);
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
