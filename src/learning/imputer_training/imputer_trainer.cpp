#include "learning/imputer_training/imputer_trainer.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/safetensors.h"
#include "haplospin/errors.h"
#include "learning/imputer_training/imputer_network.h"
#include "learning/nn/device.h"
#include "learning/nn/named_tensors.h"
#include "learning/nn/random_state.h"
#include "learning/nn/training/prefetch.h"
#include "learning/nn/training/training_run.h"

namespace haplospin {
namespace {

// Keys of random streams.
enum Stream : uint64_t { kTasks, kEpisodes, kScales };

constexpr double kMinProbability = 1e-6;

// The unit of a task's loss is that of the Li-Stephens model for this many people, and at least kMinScale.
constexpr size_t kScalePeople = 8;
constexpr double kMinScale = 5e-4;

// The largest norms of the gradients of the loss and of the relative loss.
constexpr double kMaxGradient = 1, kMaxRelativeGradient = 20;

// Means over markers, with weights.
struct Loss {
  torch::Tensor cross_entropy;
  torch::Tensor squared_error;

  torch::Tensor Total(double squared_error_weight) const {
    return cross_entropy + squared_error_weight * squared_error;
  }
};

Loss ComputeLoss(const torch::Tensor& p, const torch::Tensor& truth, const torch::Tensor& weight = {}) {
  const torch::Tensor bounded = p.clamp(kMinProbability, 1 - kMinProbability);
  const torch::Tensor squares = (p - truth).square();
  return {torch::binary_cross_entropy(bounded, truth, weight), (weight.defined() ? squares * weight : squares).mean()};
}

// The loss of the Li-Stephens model alone.
Loss CopyingLoss(const EpisodeTensors& episodes) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor truth = torch::cat({episodes.truth, episodes.plain_truth});
  return ComputeLoss(torch::cat({CopyingProbabilities(episodes), episodes.plain_candidate}).clamp(1e-4, 1 - 1e-4),
                     truth);
}

// The unit in which the loss on a task is measured. Errors in a large panel are a hundredth of those in a small one:
// without a unit, the network learns the tasks with many errors at the cost of the others.
double TaskScale(const TrainingTask& task, const ImputerTraining& training, uint64_t number) {
  if (!training.relative_loss) return 1;
  std::vector<EpisodeBatch> parts(kScalePeople);
  tbb::parallel_for(size_t{0}, parts.size(), [&](size_t k) {
    task.AddEpisodes(training.stretches, RandomStream(training.seed, {kScales, number, k}), parts[k]);
  });
  EpisodeBatch batch;
  for (const EpisodeBatch& part : parts) batch.Append(part);
  if (batch.truth.empty() && batch.plain_truth.empty()) return 1;
  const Loss loss = CopyingLoss(EpisodeTensors(batch, torch::kCPU));
  return std::max(kMinScale, loss.Total(training.squared_error_weight).item<double>());
}

// Tasks by number, created on first use. Task k is used in the steps (k - tasks + 1) * task_steps up to (k + 1) *
// task_steps, so that a resumed run uses the same ones.
class TaskPool {
 public:
  TaskPool(const ImputerTraining& training, const std::vector<TrainingPanel>& panels)
      : training_(training),
        panels_(panels),
        slots_(training.tasks),
        scale_(training.tasks),
        number_(training.tasks, -1) {}

  void Prepare(int64_t step) {
    for (int64_t slot = 0; slot < training_.tasks; ++slot) {
      const int64_t newest = step / training_.task_steps + training_.tasks - 1;
      const int64_t number = newest - ((newest - slot) % training_.tasks + training_.tasks) % training_.tasks;
      if (number_[slot] == number) continue;
      slots_[slot].emplace(panels_, training_.episodes,
                           RandomStream(training_.seed, {kTasks, static_cast<uint64_t>(number)}));
      scale_[slot] = TaskScale(*slots_[slot], training_, static_cast<uint64_t>(number));
      number_[slot] = number;
    }
  }
  const TrainingTask& task(size_t slot) const { return *slots_[slot]; }
  double scale(size_t slot) const { return scale_[slot]; }
  size_t size() const { return slots_.size(); }

 private:
  const ImputerTraining& training_;
  const std::vector<TrainingPanel>& panels_;
  std::vector<std::optional<TrainingTask>> slots_;
  std::vector<double> scale_;
  std::vector<int64_t> number_;
};

// Draws the samples of a step that belong to this process.
EpisodeBatch DrawBatch(const ImputerTraining& training, const TaskPool& pool, int64_t step) {
  std::vector<EpisodeBatch> parts(training.samples_per_step);
  tbb::parallel_for(size_t{0}, parts.size(), [&](size_t k) {
    if (static_cast<int>(k) % training.place.world_size != training.place.rank) return;
    RandomStream random(training.seed, {kEpisodes, static_cast<uint64_t>(step), k});
    const size_t slot = random.UniformInt(pool.size());
    pool.task(slot).AddEpisodes(training.stretches, random, parts[k]);
    parts[k].SetWeight(static_cast<float>(1 / pool.scale(slot)));
  });
  EpisodeBatch batch;
  for (const EpisodeBatch& part : parts) batch.Append(part);
  return batch;
}

class ImputerObjective : public TrainingObjective {
 public:
  ImputerObjective(const ImputerTraining& training, const std::vector<TrainingPanel>& panels, torch::Device device)
      : training_(training),
        panels_(panels),
        device_(device),
        network_(training.copy_hidden, training.allele_hidden),
        pool_(training, panels),
        batches_([this](int64_t step) {
          pool_.Prepare(step);
          return DrawBatch(training_, pool_, step);
        }) {
    if (!training.start.empty()) Start();
    network_->to(device);
  }

  torch::nn::Module& network() override { return *network_; }
  const ImputerNetwork& imputer_network() const { return network_; }

  nlohmann::json Configuration() const override {
    nlohmann::json panels = nlohmann::json::array();
    for (const TrainingPanel& panel : panels_) {
      panels.push_back(fmt::format("{}, {} haplotypes, {} markers, {} arrays", panel.panel.contig(),
                                   panel.panel.num_haplotypes(), panel.panel.num_markers(), panel.arrays.size()));
    }
    return {{"panels", panels},
            {"samples_per_step", training_.samples_per_step},
            {"stretches", training_.stretches},
            {"stretch", training_.episodes.stretch},
            {"tasks", training_.tasks},
            {"task_steps", training_.task_steps},
            {"copy_hidden", training_.copy_hidden},
            {"allele_hidden", training_.allele_hidden},
            {"squared_error_weight", training_.squared_error_weight},
            {"relative_loss", training_.relative_loss},
            {"clean_share", training_.episodes.clean_share},
            {"start", training_.start}};
  }

  StepLosses AddGradients(const TrainingStep& step) override {
    const EpisodeTensors episodes(batches_.Get(step.number), device_);
    const torch::Tensor truth = torch::cat({episodes.truth, episodes.plain_truth});
    StepLosses losses{.weight = static_cast<double>(truth.numel()), .parts = {0, 0, 0, 0}};
    if (truth.numel() == 0) return losses;
    const torch::Tensor p = torch::cat({network_->Forward(episodes), network_->Plain(episodes)});
    if (!torch::isfinite(p).all().item<bool>()) {  // cross-entropy does not take it
      losses.total = std::numeric_limits<double>::quiet_NaN();
      return losses;
    }
    const torch::Tensor total = ComputeLoss(p, truth, torch::cat({episodes.weight, episodes.plain_weight}))
                                    .Total(training_.squared_error_weight);
    total.backward();
    const torch::NoGradGuard no_grad;
    const Loss loss = ComputeLoss(p, truth);
    const Loss copying = CopyingLoss(episodes);
    losses.total = total.item<double>();
    losses.parts = {loss.cross_entropy.item<double>(), loss.squared_error.item<double>(),
                    copying.cross_entropy.item<double>(), copying.squared_error.item<double>()};
    return losses;
  }

  std::string LossText(const std::vector<double>& means) const override {
    return fmt::format("cross-entropy {:.5f} ({:.3f} relative to Li-Stephens), squared error {:.3e} ({:.3f})", means[0],
                       means[0] / means[2], means[1], means[1] / means[3]);
  }

 private:
  // Throws InputError if the file's hidden layers are not the network's.
  void Start() {
    const ImputerWeights weights = LoadImputerWeights(training_.start);
    const auto copy = static_cast<int64_t>(weights.copy.hidden), allele = static_cast<int64_t>(weights.allele.hidden);
    if (copy != training_.copy_hidden || allele != training_.allele_hidden) {
      throw InputError(
          fmt::format("{}: its hidden layers have {} and {} units; add --copy-hidden {} --allele-hidden {}",
                      training_.start, copy, allele, copy, allele));
    }
    LoadModuleState(*network_, FileTensors(ToSafetensors(weights)), training_.start);
  }

  const ImputerTraining& training_;
  const std::vector<TrainingPanel>& panels_;
  const torch::Device device_;
  ImputerNetwork network_;
  TaskPool pool_;
  Prefetch<EpisodeBatch> batches_;  // uses pool_
};

}  // namespace

bool TrainImputer(const ImputerTraining& training, const std::vector<TrainingPanel>& panels) {
  CheckTrainingOptions(training);
  // The network is small: more threads help little, and with some versions of LibTorch they change sums. Episodes use
  // all threads.
  SetTorchThreads(1);
  const torch::Device device = ParseDevice(training.device, training.place.local_rank);
  SeedGenerators(training.seed);
  ImputerObjective objective(training, panels, device);
  DataParallel processes(training.place, device);
  const TrainingRecipe recipe{
      .schedule = OneCycleSchedule(training.steps),
      .clipping = {ClippingKind::kNorm, training.relative_loss ? kMaxRelativeGradient : kMaxGradient}};
  const TrainingResult result = RunTraining(training, recipe, objective, processes);
  if (!result.is_finished || processes.rank() > 0) return false;
  std::map<std::string, std::string> results = {{"steps", std::to_string(result.steps)}};
  if (!result.losses.empty()) results["figures"] = objective.LossText(result.losses);
  WriteSafetensors(training.out, ToSafetensors(ToWeights(objective.imputer_network()), training.provenance, results));
  return true;
}

}  // namespace haplospin
