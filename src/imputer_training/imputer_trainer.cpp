#include "imputer_training/imputer_trainer.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <cmath>
#include <filesystem>
#include <optional>

#include "core/log.h"
#include "core/output_file.h"
#include "core/progress.h"
#include "core/safetensors.h"
#include "haplospin/errors.h"
#include "imputer_training/imputer_network.h"
#include "nn/checkpoint.h"
#include "nn/device.h"
#include "nn/optimization/adam.h"
#include "nn/optimization/gradient_clipping.h"
#include "nn/optimization/schedule.h"
#include "nn/random_state.h"
#include "nn/torch_threads.h"

namespace haplospin {
namespace {

// Keys of random streams.
enum Stream : uint64_t { kTasks, kEpisodes };

constexpr double kMinProbability = 1e-6;

// Tasks by number, made when first asked for. Task k takes part in the steps (k - tasks + 1) * task_steps up to
// (k + 1) * task_steps, so that a resumed run sees the same ones.
class TaskPool {
 public:
  TaskPool(const ImputerTraining& training, const std::vector<TrainingPanel>& panels)
      : training_(training), panels_(panels), slots_(training.tasks), number_(training.tasks, -1) {}

  void Prepare(int64_t step) {
    for (int64_t slot = 0; slot < training_.tasks; ++slot) {
      const int64_t newest = step / training_.task_steps + training_.tasks - 1;
      const int64_t number = newest - ((newest - slot) % training_.tasks + training_.tasks) % training_.tasks;
      if (number_[slot] == number) continue;
      slots_[slot].emplace(panels_, training_.episodes,
                           RandomStream(training_.seed, {kTasks, static_cast<uint64_t>(number)}));
      number_[slot] = number;
    }
  }
  const TrainingTask& task(size_t slot) const { return *slots_[slot]; }
  size_t size() const { return slots_.size(); }

 private:
  const ImputerTraining& training_;
  const std::vector<TrainingPanel>& panels_;
  std::vector<std::optional<TrainingTask>> slots_;
  std::vector<int64_t> number_;
};

EpisodeBatch DrawBatch(const ImputerTraining& training, const TaskPool& pool, int64_t step) {
  std::vector<EpisodeBatch> parts(training.samples_per_step);
  tbb::parallel_for(size_t{0}, parts.size(), [&](size_t k) {
    RandomStream random(training.seed, {kEpisodes, static_cast<uint64_t>(step), k});
    pool.task(random.UniformInt(pool.size())).AddEpisodes(training.stretches, random, parts[k]);
  });
  EpisodeBatch batch;
  for (const EpisodeBatch& part : parts) batch.Append(part);
  return batch;
}

// Sums over the markers of the steps since the last line.
struct RunningLoss {
  double cross_entropy = 0, squared_error = 0, copying_cross_entropy = 0, copying_squared_error = 0;
  int64_t steps = 0;
};

struct Loss {
  torch::Tensor cross_entropy;
  torch::Tensor squared_error;
};

Loss LossOf(const torch::Tensor& p, const torch::Tensor& truth) {
  const torch::Tensor bounded = p.clamp(kMinProbability, 1 - kMinProbability);
  return {torch::binary_cross_entropy(bounded, truth), torch::mse_loss(p, truth)};
}

void AddCopyingLoss(const EpisodeTensors& episodes, const torch::Tensor& truth, RunningLoss& running) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor p = torch::cat({CopyingProbabilities(episodes), episodes.plain_candidate}).clamp(1e-4, 1 - 1e-4);
  const Loss loss = LossOf(p, truth);
  running.copying_cross_entropy += loss.cross_entropy.item<double>();
  running.copying_squared_error += loss.squared_error.item<double>();
}

std::string Figures(const RunningLoss& r) {
  const auto steps = static_cast<double>(r.steps);
  return fmt::format("cross-entropy {:.5f} ({:.3f} of Li-Stephens'), squared error {:.3e} ({:.3f})",
                     r.cross_entropy / steps, r.cross_entropy / r.copying_cross_entropy, r.squared_error / steps,
                     r.squared_error / r.copying_squared_error);
}

bool AllFinite(const ImputerNetwork& network) {
  const torch::NoGradGuard no_grad;
  for (const torch::Tensor& parameter : network->parameters()) {
    if (!torch::isfinite(parameter).all().item<bool>()) return false;
  }
  return true;
}

[[noreturn]] void StopAtNoNumber(const ImputerTraining& training, int64_t step) {
  throw InputError(fmt::format(
      "train: the loss is not a number at step {}; {}; lower --learning-rate", step,
      training.checkpoint.empty() ? "nothing was kept" : training.checkpoint + " holds the last good state"));
}

void CheckOptions(const ImputerTraining& training) {
  const OutputFile can_write(training.out);  // known before hours of training
  if (!training.checkpoint.empty()) OutputFile{training.checkpoint};
  if (training.stop_after > 0 && training.checkpoint.empty())
    throw InputError("train: --stop-after needs --checkpoint");
  if (!training.resume) return;
  if (training.checkpoint.empty()) throw InputError("train: --resume needs --checkpoint");
  if (!std::filesystem::exists(training.checkpoint)) {
    throw InputError(training.checkpoint + ": no such checkpoint; start without --resume");
  }
}

}  // namespace

void TrainImputer(const ImputerTraining& training, const std::vector<TrainingPanel>& panels) {
  CheckOptions(training);
  // The network is small: more threads gain it little, and with some LibTorches they change sums. Episodes use them
  // all.
  SetTorchThreads(1);
  const torch::Device device = ParseDevice(training.device);
  SeedGenerators(training.seed);
  ImputerNetwork network(training.copy_hidden, training.allele_hidden);
  network->to(device);
  AdamW optimizer(TrainableParameters(*network), {.weight_decay = training.weight_decay});
  const Schedule schedule = OneCycleSchedule(training.steps);
  TrainingProgress position;
  if (training.resume) position = LoadCheckpoint(training.checkpoint, *network, optimizer);

  TaskPool pool(training, panels);
  Progress progress("training", "steps", static_cast<double>(training.steps));
  RunningLoss running;
  std::string figures;
  for (int64_t step = position.step; step < training.steps; ++step) {
    pool.Prepare(step);
    const EpisodeTensors episodes(DrawBatch(training, pool, step), device);
    const torch::Tensor truth = torch::cat({episodes.truth, episodes.plain_truth});
    if (truth.numel() == 0) continue;
    const torch::Tensor p = torch::cat({network->Forward(episodes), network->Plain(episodes)});
    if (!torch::isfinite(p).all().item<bool>()) StopAtNoNumber(training, step);
    const Loss loss = LossOf(p, truth);
    const torch::Tensor total = loss.cross_entropy + training.squared_error_weight * loss.squared_error;
    if (!std::isfinite(total.item<double>())) StopAtNoNumber(training, step);
    // Only now is the state that the last step left known to be good.
    if (!training.checkpoint.empty() && step % training.checkpoint_steps == 0) {
      SaveCheckpoint(training.checkpoint, *network, optimizer, {step, {}});
    }
    optimizer.ZeroGrad();
    total.backward();
    ClipGradients(optimizer.parameters(), {ClippingKind::kNorm, 1.0});
    optimizer.Step(training.learning_rate * schedule(step));

    running.cross_entropy += loss.cross_entropy.item<double>();
    running.squared_error += loss.squared_error.item<double>();
    AddCopyingLoss(episodes, truth, running);
    ++running.steps;
    const bool last = step + 1 == training.steps;
    if ((step + 1) % training.log_steps == 0 || last) {
      figures = Figures(running);
      LogInfo("step {}: {}", step + 1, figures);
      running = {};
    }
    progress.Set(static_cast<double>(step + 1));
    const bool stop = training.stop_after > 0 && step + 1 - position.step >= training.stop_after;
    if (!last && !stop) continue;
    if (!AllFinite(network)) StopAtNoNumber(training, step + 1);
    if (!training.checkpoint.empty()) SaveCheckpoint(training.checkpoint, *network, optimizer, {step + 1, {}});
    if (!last) return;
  }
  progress.Finish();
  WriteSafetensors(training.out, ToSafetensors(ToWeights(network), training.provenance,
                                               {{"steps", std::to_string(training.steps)}, {"figures", figures}}));
}

}  // namespace haplospin
