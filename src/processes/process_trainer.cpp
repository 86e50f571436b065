#include "processes/process_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "haplospin/errors.h"
#include "nn/device.h"

namespace haplospin {
namespace {

ProcessTasks OnDevice(const ProcessTasks& tasks, torch::Device device) {
  return {tasks.context_x.to(device), tasks.context_y.to(device), tasks.target_x.to(device), tasks.target_y.to(device)};
}

// Differs between sources of tasks.
std::string HashOfTasks(const std::vector<ProcessTasks>& parts) {
  uint64_t hash = 0;
  for (const ProcessTasks& tasks : parts) {
    for (const torch::Tensor& tensor : {tasks.context_x, tasks.context_y, tasks.target_x, tasks.target_y}) {
      const torch::Tensor values = tensor.contiguous();
      hash = hash * 31 + HashOf({static_cast<const char*>(values.data_ptr()), values.nbytes()});
    }
  }
  return fmt::format("{:016x}", hash);
}

class ProcessObjective : public TrainingObjective {
 public:
  ProcessObjective(NeuralProcess& network, const TaskSource& source, const ProcessTraining& training,
                   torch::Device device)
      : network_(network), source_(source), training_(training), device_(device) {
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
    configuration["hash_of_first_tasks"] = HashOfTasks(Draw(0));
    return configuration;
  }

  // A part of the tasks at a time. Every process draws all tasks of the step and takes its own.
  StepLosses AddGradients(const TrainingStep& step) override {
    StepLosses losses{.weight = static_cast<double>(end_ - first_)};
    int64_t drawn = 0;
    for (const ProcessTasks& tasks : Draw(step.number)) {
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
    return source_.Draw(training_.batch, random);
  }

  NeuralProcess& network_;
  const TaskSource& source_;
  const ProcessTraining& training_;
  const torch::Device device_;
  int64_t first_ = 0, end_ = 0;  // range of this process's tasks in a step
};

}  // namespace

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
