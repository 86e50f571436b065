#include "learning/nn/training/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "core/log.h"
#include "core/progress.h"
#include "core/random.h"
#include "haplospin/errors.h"
#include "learning/nn/random_state.h"
#include "learning/nn/training/checkpoint.h"

namespace haplospin {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestSilence{30};  // longest time between two lines of the log
constexpr uint64_t kGenerators = 77;                 // key of a random stream

bool IsDue(int64_t step, int64_t every) { return every > 0 && step % every == 0; }

bool AllFinite(const std::vector<NamedParameter>& parameters) {
  return std::ranges::all_of(
      parameters, [](const NamedParameter& parameter) { return parameter.tensor.isfinite().all().item<bool>(); });
}

// Returns the number of steps that the time limit is expected to allow.
double StepsInTime(const TrainingOptions& options, const TrainingResult& so_far) {
  const auto steps = static_cast<double>(options.steps), done = static_cast<double>(so_far.steps);
  if (options.time_limit == 0 || so_far.seconds == 0) return steps;
  return std::clamp(std::round(done * options.time_limit / so_far.seconds), done, steps);
}

class TrainingRun {
 public:
  TrainingRun(const TrainingOptions& options, const TrainingRecipe& recipe, TrainingObjective& objective,
              DataParallel& processes)
      : options_(options),
        recipe_(recipe),
        objective_(objective),
        processes_(processes),
        network_(objective.network()),
        optimizer_(MakeOptimizer(network_, recipe.optimizer, options.weight_decay)),
        configuration_(RunConfiguration(options, objective.Configuration())) {
    if (options_.resume) Load();
  }

  int64_t steps() const { return state_.result.steps; }

  TrainingResult Run(const TrainingObserver& observer) {
    objective_.SkipSteps(result().steps);
    processes_.ShareState(network_);
    network_.train();
    const int64_t first_step = result().steps;
    seconds_before_ = result().seconds;
    while (!IsFinished()) {
      Step();
      if (observer) observer(result());
      if (options_.stop_after == 0 || result().steps - first_step < options_.stop_after || IsFinished()) continue;
      CheckWeights();
      Save(Snapshot());
      return result();
    }
    Finish();
    return result();
  }

 private:
  TrainingResult& result() { return state_.result; }
  bool Validates() const { return options_.validation_steps > 0; }

  void Load() {
    const Safetensors file = ReadSafetensors(options_.checkpoint);
    CheckConfiguration(file.metadata, configuration_, options_.checkpoint, options_.allow_changes);
    TrainingProgress progress = RestoreCheckpoint(file, network_, *optimizer_);
    state_.FromMetadata(progress.metadata, options_.checkpoint);
    result().steps = progress.step;
    best_weights_ = std::move(progress.best_weights);
  }

  bool IsTimeUp() { return options_.time_limit > 0 && result().steps > 0 && result().seconds >= options_.time_limit; }

  bool IsFinished() {
    const bool has_lost_patience = options_.patience > 0 && state_.without_better >= options_.patience;
    return result().steps >= options_.steps || IsTimeUp() || has_lost_patience || result().has_diverged;
  }

  // The schedule follows the share of the steps or, with a time limit, of the time that is used up, whichever is more.
  TrainingStep NextStep() {
    TrainingStep step{result().steps, result().steps};
    if (options_.time_limit == 0) return step;
    const double share = result().seconds / options_.time_limit;
    step.schedule_step = std::max(step.number, static_cast<int64_t>(share * static_cast<double>(options_.steps)));
    return step;
  }

  void Step() {
    // The weights are known to be good when the loss that they give is; then their checkpoint is written.
    std::optional<TrainingProgress> snapshot;
    if (!options_.checkpoint.empty() && IsDue(result().steps, options_.checkpoint_steps)) snapshot = Snapshot();
    const TrainingStep step = NextStep();
    SeedOtherRanks(step);
    optimizer_->ZeroGrad();
    const StepLosses own = objective_.AddGradients(step);
    const StepLosses losses = MeanOverProcesses(own);
    if (!std::isfinite(losses.total)) return Diverge();
    if (snapshot) Save(*snapshot);
    if (losses.weight > 0) Update(step, own, losses);
    ++result().steps;
    UpdateTime();
    if (IsDue(result().steps, options_.validation_steps) ||
        (Validates() && (result().steps == options_.steps || IsTimeUp()))) {
      Validate();
    }
    Log();
  }

  // Seeds other ranks than 0 with their rank and the step: a checkpoint holds rank 0's generators only.
  void SeedOtherRanks(const TrainingStep& step) {
    if (processes_.rank() == 0) return;
    const auto rank = static_cast<uint64_t>(processes_.rank());
    SeedGenerators(RandomStream(options_.seed, {kGenerators, rank, static_cast<uint64_t>(step.number)})());
  }

  StepLosses MeanOverProcesses(const StepLosses& own) {
    if (processes_.world_size() == 1) return own;
    std::vector<double> sums{own.weight, own.weight * own.total};
    for (const double part : own.parts) sums.push_back(own.weight * part);
    sums = processes_.Sum(sums);
    StepLosses mean{.weight = sums[0]};
    if (mean.weight == 0) return mean;
    mean.total = sums[1] / mean.weight;
    for (size_t i = 2; i < sums.size(); ++i) mean.parts.push_back(sums[i] / mean.weight);
    return mean;
  }

  void Update(const TrainingStep& step, const StepLosses& own, const StepLosses& losses) {
    processes_.AverageGradients(optimizer_->parameters(), own.weight / losses.weight);
    ClipGradients(optimizer_->parameters(), recipe_.clipping);
    optimizer_->Step(options_.learning_rate * (recipe_.warm_up(step.number) * recipe_.schedule(step.schedule_step)));
    state_.since_log.Add(losses.parts);
    result().latest = losses.parts;
    if (Validates()) state_.since_validation.Add(losses.parts);
  }

  void UpdateTime() {
    const std::chrono::duration<double> used = Clock::now() - start_;
    result().seconds = seconds_before_ + used.count();
    if (options_.time_limit > 0) result().seconds = processes_.FromRankZero(result().seconds);
  }

  void Validate() {
    const double score = processes_.FromRankZero(processes_.rank() == 0 ? Score() : 0);
    if (!std::isfinite(score)) return Diverge();
    const std::vector<double> means = state_.since_validation.Take();
    const ValidationPoint point{result().steps, means.empty() ? 0 : means[0], score};
    result().curve.push_back(point);
    const bool is_best = result().best.step == 0 || score > result().best.score;
    if (is_best) Keep(point);
    state_.without_better = is_best ? 0 : state_.without_better + 1;
    if (options_.log_steps > 0) {
      LogInfo("step {}: validation {} (best {} at step {})", point.step, objective_.ScoreText(score),
              objective_.ScoreText(result().best.score), result().best.step);
    }
  }

  double Score() {
    const torch::NoGradGuard no_grad;
    const SlowWeights slow(*optimizer_);
    network_.eval();
    const double score = objective_.Validate();
    network_.train();
    return score;
  }

  void Keep(const ValidationPoint& point) {
    result().best = point;
    const SlowWeights slow(*optimizer_);
    best_weights_.clear();
    for (const auto& [name, tensor] : ModuleState(network_)) {
      best_weights_.emplace(name, tensor.detach().to(torch::kCPU, tensor.scalar_type(), false, /*copy=*/true));
    }
  }

  void Log() {
    const bool is_finished = IsFinished();
    const bool is_late = options_.log_steps > 0 && Clock::now() - logged_ > kLongestSilence;
    if (!is_finished && !is_late && !IsDue(result().steps, options_.log_steps)) return;
    logged_ = Clock::now();
    std::vector<double> means = state_.since_log.Take();
    if (means.empty()) return;
    result().losses = std::move(means);
    if (options_.log_steps > 0) LogInfo("step {}: {}", result().steps, objective_.LossText(result().losses));
    if (options_.log_steps > 0 && IsTimeUp() && result().steps < options_.steps) {
      LogInfo("the time limit of {} seconds is reached at step {} of {}", options_.time_limit, result().steps,
              options_.steps);
    }
  }

  // The loss, a prediction or a weight is not finite.
  void Diverge() {
    if (recipe_.keeps_best_when_diverged && result().best.step > 0) {
      result().has_diverged = true;
      return;
    }
    throw InputError(fmt::format(
        "{}: the loss is not finite at step {}; {}", options_.command, result().steps + 1,
        saved_step_ < 0 ? "there is no checkpoint; lower --learning-rate"
                        : fmt::format("{} has the last finite state, of step {}: continue from it with --resume "
                                      "--allow-changes and a lower --learning-rate",
                                      options_.checkpoint, saved_step_)));
  }

  void CheckWeights() {
    if (!AllFinite(optimizer_->parameters())) Diverge();
  }

  TrainingProgress Snapshot() const {
    return {.step = state_.result.steps, .metadata = state_.ToMetadata(configuration_), .best_weights = best_weights_};
  }

  void Save(const TrainingProgress& progress) {
    saved_step_ = progress.step;
    if (processes_.rank() == 0) SaveCheckpoint(options_.checkpoint, network_, *optimizer_, progress);
  }

  void Finish() {
    if (!result().has_diverged) CheckWeights();
    if (result().has_diverged) LoadModuleState(network_, best_weights_, "the best weights");
    if (!options_.checkpoint.empty()) Save(Snapshot());
    if (Validates()) LoadModuleState(network_, best_weights_, "the best weights");
    network_.eval();
    result().is_finished = true;
  }

  const TrainingOptions& options_;
  const TrainingRecipe& recipe_;
  TrainingObjective& objective_;
  DataParallel& processes_;
  torch::nn::Module& network_;
  std::unique_ptr<Optimizer> optimizer_;
  const nlohmann::json configuration_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point logged_ = start_;  // the last line of the log
  double seconds_before_ = 0;
  TrainingState state_;
  NamedTensors best_weights_;
  int64_t saved_step_ = -1;
};

}  // namespace

double TrainingObjective::Validate() {
  HS_ASSERT(!"an objective that is validated says how");
  return 0;
}

std::string TrainingObjective::ScoreText(double score) const { return fmt::format("{:.4g}", score); }

TrainingResult RunTraining(const TrainingOptions& options, const TrainingRecipe& recipe, TrainingObjective& objective,
                           DataParallel& processes, const TrainingObserver& observer) {
  CheckTrainingOptions(options);
  TrainingRun run(options, recipe, objective, processes);
  if (observer) return run.Run(observer);
  Progress progress("training", "steps", static_cast<double>(options.steps));
  progress.StartAt(static_cast<double>(run.steps()));
  const TrainingResult result = run.Run([&](const TrainingResult& so_far) {
    progress.SetTotal(StepsInTime(options, so_far));
    progress.Set(static_cast<double>(so_far.steps));
    if (!so_far.latest.empty()) progress.SetNote(objective.LossText(so_far.latest));
  });
  if (result.is_finished) progress.Finish();
  return result;
}

}  // namespace haplospin
