#include "processes/process_trainer.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>

#include "core/log.h"
#include "core/progress.h"
#include "haplospin/errors.h"
#include "nn/checkpoint.h"
#include "nn/device.h"
#include "nn/optimization/adam.h"
#include "nn/optimization/gradient_clipping.h"
#include "nn/optimization/schedule.h"

namespace haplospin {
namespace {

using Clock = std::chrono::steady_clock;

void CheckOptions(const ProcessTraining& t) {
  if (t.checkpoint.empty()) {
    if (t.stop_after > 0) throw InputError("np train: --stop-after needs --checkpoint");
    if (t.resume) throw InputError("np train: --resume needs --checkpoint");
  } else if (t.resume && !std::filesystem::exists(t.checkpoint)) {
    throw InputError(t.checkpoint + ": no such checkpoint; start without --resume");
  }
}

ProcessTasks OnDevice(const ProcessTasks& tasks, torch::Device device) {
  return {tasks.context_x.to(device), tasks.context_y.to(device), tasks.target_x.to(device), tasks.target_y.to(device)};
}

// Adds the gradients of the step's tasks, a part at a time; returns the mean loss over tasks.
double AddGradients(NeuralProcess& network, const TaskSource& source, const ProcessTraining& t, torch::Device device,
                    int64_t step) {
  RandomStream random = BatchStream(t.seed, TaskStream::kTraining, step);
  double sum = 0;
  for (const ProcessTasks& tasks : source.Draw(t.batch, random)) {
    const double share = static_cast<double>(tasks.target_x.size(0)) / static_cast<double>(t.batch);
    const torch::Tensor loss = network.Loss(OnDevice(tasks, device)) * share;
    loss.backward();
    sum += loss.item<double>();
  }
  return sum;
}

bool AreFinite(const Optimizer& optimizer) {
  for (const NamedParameter& parameter : optimizer.parameters()) {
    if (!parameter.tensor.isfinite().all().item<bool>()) return false;
  }
  return true;
}

[[noreturn]] void FailNotFinite(const ProcessTraining& t, int64_t step) {
  throw InputError(fmt::format(
      "np train: the loss is not a number at step {}; {}; lower --learning-rate", step,
      t.checkpoint.empty() ? "nothing was kept" : t.checkpoint + " holds the last good state, if one was reached"));
}

}  // namespace

ProcessTrainingResult TrainProcess(NeuralProcess& network, const TaskSource& source, const ProcessTraining& t) {
  CheckOptions(t);
  const torch::Device device = ParseDevice(t.device);
  network.to(device);
  network.train();
  AdamW optimizer(TrainableParameters(network), {.weight_decay = t.weight_decay});
  const Schedule schedule = t.cosine ? CosineSchedule(t.steps) : ConstantSchedule();
  TrainingProgress position;
  if (t.resume) position = LoadCheckpoint(t.checkpoint, network, optimizer);

  const auto start = Clock::now();
  Progress progress("training", "steps", static_cast<double>(t.steps));
  ProcessTrainingResult result{.steps = position.step};
  double sum = 0;
  int64_t summed = 0;
  const auto save = [&] {
    if (t.checkpoint.empty()) return;
    if (!AreFinite(optimizer)) FailNotFinite(t, result.steps);
    SaveCheckpoint(t.checkpoint, network, optimizer, {result.steps, {}});
  };
  while (result.steps < t.steps) {
    optimizer.ZeroGrad();
    const double loss = AddGradients(network, source, t, device, result.steps);
    if (!std::isfinite(loss)) FailNotFinite(t, result.steps);
    ClipGradients(optimizer.parameters(), {ClippingKind::kValue, t.clip});
    optimizer.Step(t.learning_rate * schedule(result.steps));
    ++result.steps;
    sum += loss;
    ++summed;
    const bool last = result.steps == t.steps;
    if (result.steps % t.log_steps == 0 || last) {
      result.last_loss = sum / static_cast<double>(summed);
      LogInfo("step {}: loss {:.4f}", result.steps, result.last_loss);
      sum = 0;
      summed = 0;
    }
    progress.Set(static_cast<double>(result.steps));
    const std::chrono::duration<double> elapsed = Clock::now() - start;
    if (t.time_limit > 0 && elapsed.count() > 60 * t.time_limit && !last) {
      LogWarning("stopped at step {} of {}: the time limit of {} minutes is reached", result.steps, t.steps,
                 t.time_limit);
      break;
    }
    if (t.stop_after > 0 && result.steps - position.step >= t.stop_after && !last) {
      save();
      return result;
    }
    if (result.steps % t.checkpoint_steps == 0 && !last) save();
  }
  if (!AreFinite(optimizer)) FailNotFinite(t, result.steps);
  save();
  progress.Finish();
  result.is_finished = true;
  network.to(torch::kCPU);
  network.eval();
  return result;
}

}  // namespace haplospin
