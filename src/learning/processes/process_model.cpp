#include "learning/processes/process_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "haplospin/errors.h"
#include "learning/nn/device.h"
#include "learning/nn/model_file.h"
#include "learning/nn/training/prefetch.h"

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
  json["groups"] = model.groups;
  return json;
}

void DataFromJson(const nlohmann::json& json, ProcessModel& model) {
  DataScaling scaling;
  VisitData(model, scaling, [&](const char* name, auto& field) { json.at(name).get_to(field); });
  static const nlohmann::json is_fixed = {{"context", false}, {"fixed", true}};
  if (is_fixed.at(json.at("scaling").get<std::string>()).get<bool>()) model.scaling = scaling;
  if (json.contains("groups")) json.at("groups").get_to(model.groups);  // models of before 27 November 2026 have none
}

ProcessTasks OnDevice(const ProcessTasks& tasks, torch::Device device) {
  return {tasks.context_x.to(device), tasks.context_y.to(device), tasks.target_x.to(device), tasks.target_y.to(device)};
}

// Differs between sources of tasks.
std::string HashTasks(const std::vector<ProcessTasks>& parts) {
  uint64_t hash = 0;
  for (const ProcessTasks& tasks : parts) {
    for (const torch::Tensor& tensor : {tasks.context_x, tasks.context_y, tasks.target_x, tasks.target_y}) {
      const torch::Tensor values = tensor.contiguous();
      hash = hash * 31 + HashName({static_cast<const char*>(values.data_ptr()), values.nbytes()});
    }
  }
  return fmt::format("{:016x}", hash);
}

class ProcessObjective : public TrainingObjective {
 public:
  ProcessObjective(NeuralProcess& network, const TaskSource& source, const ProcessTraining& training,
                   torch::Device device)
      : network_(network), source_(source), training_(training), device_(device), tasks_([this](int64_t step) {
          return Draw(step);
        }) {
    const ProcessPlace& place = training.place;
    first_ = training.batch * place.rank / place.world_size;
    end_ = training.batch * (place.rank + 1) / place.world_size;
    if (training.batch < place.world_size) {
      throw InputError(fmt::format("np train: {} processes cannot share the {} tasks of a step; give a larger --batch",
                                   place.world_size, training.batch));
    }
    network.to(device);
  }

  torch::nn::Module& network() override { return network_; }

  nlohmann::json Configuration() const override {
    nlohmann::json configuration = nlohmann::json::object();
    if (!training_.model_options.empty()) configuration = training_.model_options;
    configuration["batch"] = training_.batch;
    configuration["schedule"] = training_.cosine ? "cosine" : "constant";
    configuration["clip"] = training_.clip;
    RandomStream random = BatchStream(training_.seed, TaskStream::kTraining, 0);
    configuration["hash_of_first_tasks"] = HashTasks(source_.Draw(training_.batch, random));
    return configuration;
  }

  // A part of the tasks at a time. Every process draws all tasks of the step and takes its own.
  StepLosses AddGradients(const TrainingStep& step) override {
    StepLosses losses{.weight = static_cast<double>(end_ - first_)};
    int64_t drawn = 0;
    for (const ProcessTasks& tasks : tasks_.Get(step.number)) {
      const int64_t size = tasks.target_x.size(0);
      const int64_t first = std::clamp<int64_t>(first_ - drawn, 0, size);
      const int64_t count = std::clamp<int64_t>(end_ - drawn, 0, size) - first;
      drawn += size;
      if (count == 0) continue;
      const double share = static_cast<double>(count) / losses.weight;
      const torch::Tensor loss = network_.Loss(OnDevice(tasks.Range(first, count), device_)) * share;
      loss.backward();
      losses.total += loss.item<double>();
    }
    losses.parts = {losses.total};
    return losses;
  }

  std::string LossText(const std::vector<double>& means) const override { return fmt::format("loss {:.4f}", means[0]); }

 private:
  std::vector<ProcessTasks> Draw(int64_t step) const {
    RandomStream random = BatchStream(training_.seed, TaskStream::kTraining, step);
    return source_.Draw(training_.batch, random, device_);
  }

  NeuralProcess& network_;
  const TaskSource& source_;
  const ProcessTraining& training_;
  const torch::Device device_;
  int64_t first_ = 0, end_ = 0;  // range of this process's tasks in a step
  Prefetch<std::vector<ProcessTasks>> tasks_;
};

}  // namespace

void WriteProcessModel(const std::string& path, const ProcessModel& model) {
  WriteModelFile(path,
                 {.kind = kNeuralProcessModel,
                  .configuration = {{"network", model.options}, {"data", DataToJson(model)}},
                  .provenance = model.provenance,
                  .results = model.results},
                 ModuleState(*model.network));
}

ProcessModel ReadProcessModel(const std::string& path, int64_t test_samples) {
  const ModelFile file = ReadModelFile(path, kNeuralProcessModel);
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

TrainingResult TrainProcess(NeuralProcess& network, const TaskSource& source, const ProcessTraining& training) {
  CheckTrainingOptions(training);
  const torch::Device device = ParseDevice(training.device, training.place.local_rank);
  ProcessObjective objective(network, source, training, device);
  DataParallel processes(training.place, device);
  const TrainingRecipe recipe{.schedule = training.cosine ? CosineSchedule(training.steps) : ConstantSchedule(),
                              .clipping = {ClippingKind::kValue, training.clip}};
  TrainingResult result = RunTraining(training, recipe, objective, processes);
  network.to(torch::kCPU);
  return result;
}

}  // namespace haplospin
