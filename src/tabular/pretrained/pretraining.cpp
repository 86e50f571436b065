#include "tabular/pretrained/pretraining.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "core/log.h"
#include "nn/device.h"
#include "nn/named_tensors.h"
#include "nn/random_state.h"
#include "tabular/pretrained/task_scores.h"

namespace haplospin {
namespace {

// Keys of random streams, the last three of one step.
constexpr uint64_t kTraining = 41, kValidation = 42, kWeights = 43, kSizes = 1, kTable = 2, kCells = 3;

class PretrainingObjective : public TrainingObjective {
 public:
  PretrainingObjective(const PretrainingOptions& options, torch::Device device) : options_(options), device_(device) {
    SeedGenerators(RandomStream(options.seed, {kWeights})());
    network_ = InContextNetwork(options.network);
    network_->to(device);
    for (int64_t i = 0; i < options.validation_tables; ++i) {
      RandomStream random(options.seed, {kValidation, static_cast<uint64_t>(i)});
      const TaskSizes sizes = DrawTaskSizes(options.prior, random);
      validation_.push_back(DrawSyntheticTask(options.prior, sizes, random));
    }
  }

  torch::nn::Module& network() override { return *network_; }
  const InContextNetwork& in_context_network() const { return network_; }
  const std::vector<TableTask>& validation() const { return validation_; }

  nlohmann::json Configuration() const override {
    return {{"network", options_.network},
            {"prior", options_.prior},
            {"tables", options_.tables},
            {"validation_tables", options_.validation_tables},
            {"flat_share", options_.flat_share},
            {"warm_up", options_.warm_up},
            {"average_rate", options_.average_rate}};
  }

  StepLosses AddGradients(const TrainingStep& step) override {
    const std::vector<TableTask> tables = TablesOf(step.number);
    StepLosses losses{.weight = static_cast<double>(tables.size()), .total = 0, .parts = {0.0}};
    if (tables.empty()) return losses;
    const uint64_t seed = RandomStream(options_.seed, {kTraining, static_cast<uint64_t>(step.number), kCells})();
    std::vector<NetworkTask> tasks;
    for (const TableTask& table : tables) tasks.push_back(MakeNetworkTask(table, seed + tasks.size()));
    torch::Tensor sum = torch::zeros({}, device_);
    for (const TaskPredictions& predictions : PredictTasks(*network_, tasks, device_)) {
      sum = sum + predictions.Loss();
    }
    const torch::Tensor loss = sum / losses.weight;
    loss.backward();
    losses.total = losses.parts[0] = loss.item<double>();
    return losses;
  }

  std::string LossText(const std::vector<double>& means) const override { return fmt::format("loss {:.4f}", means[0]); }

  double Validate() override {
    double loss = 0;
    TaskScores scores;
    for (size_t i = 0; i < validation_.size(); ++i) {
      const TaskPredictions predictions =
          PredictTasks(*network_, {MakeNetworkTask(validation_[i], i)}, device_).front();
      loss += predictions.Loss().item<double>();
      scores.Add(predictions);
    }
    LogInfo("validation tables: {}", scores.Text());
    return -loss / static_cast<double>(validation_.size());
  }

  std::string ScoreText(double score) const override { return fmt::format("loss {:.4f}", -score); }

 private:
  // This process's share of the tables of a step, which all have the same sizes, because one large product is faster
  // than many small ones.
  std::vector<TableTask> TablesOf(int64_t step) const {
    const auto key = static_cast<uint64_t>(step);
    RandomStream of_sizes(options_.seed, {kTraining, key, kSizes});
    const TaskSizes sizes = DrawTaskSizes(options_.prior, of_sizes);
    std::vector<TableTask> tables;
    for (int64_t i = options_.place.rank; i < options_.tables; i += options_.place.world_size) {
      RandomStream random(options_.seed, {kTraining, key, kTable, static_cast<uint64_t>(i)});
      tables.push_back(DrawSyntheticTask(options_.prior, sizes, random));
    }
    return tables;
  }

  const PretrainingOptions& options_;
  const torch::Device device_;
  InContextNetwork network_{nullptr};
  std::vector<TableTask> validation_;
};

TrainingRecipe RecipeOf(const PretrainingOptions& options) {
  TrainingRecipe recipe;
  recipe.optimizer = {
      .kind = OptimizerKind::kAdamW,
      .lookahead = LookaheadOptions{.period = 1, .slow_rate = options.average_rate, .synchronize = false}};
  recipe.schedule = FlatThenAnneal(options.steps, options.flat_share);
  recipe.warm_up = WithWarmUp(options.warm_up, ConstantSchedule());
  recipe.clipping = {.kind = ClippingKind::kNorm, .limit = 1.0};
  return recipe;
}

void LogBaselines(const std::vector<TableTask>& tasks) {
  const BaselineScores baselines = ScoreBaselines(tasks);
  LogInfo("{} validation tables: linear fit: {}; nearest neighbors: {}; no features: {}", tasks.size(),
          baselines.linear.Text(), baselines.neighbors.Text(), baselines.constant.Text());
}

}  // namespace

PretrainingResult Pretrain(const PretrainingOptions& options) {
  const torch::Device device = ParseDevice(options.device, options.place.local_rank);
  DataParallel processes(options.place, device);
  PretrainingObjective objective(options, device);
  LogInfo("{} weights", ParameterCount(*objective.in_context_network()));
  if (options.place.rank == 0) LogBaselines(objective.validation());
  const TrainingResult training = RunTraining(options, RecipeOf(options), objective, processes);
  return {objective.in_context_network(), training};
}

}  // namespace haplospin
