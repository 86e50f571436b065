#include "tabular/ensemble_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/log.h"

namespace haplospin {
namespace {

constexpr int64_t kEstimatedAfter = 3;  // steps
constexpr double kFewSteps = 100;

std::string TimeText(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  return seconds < 6000 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

EnsembleTraining::EnsembleTraining(const std::vector<TabularTrainingOptions>& candidates, size_t members,
                                   torch::Device device, const std::function<void(double, const std::string&)>& report)
    : chooses_(candidates.size() > 1),
      networks_(candidates.size() + members - 1),
      report_(report),
      processes_(candidates.front().place, device) {
  const TabularTrainingOptions& options = candidates.front();
  if (options.checkpoint.empty() || options.resume || options.place.rank > 0) return;
  // What an earlier run left must not be resumed by this one.
  for (const TabularTrainingOptions& candidate : candidates) {
    for (size_t member = 0; member < members; ++member) std::filesystem::remove(Checkpoint(candidate, member));
  }
}

std::string EnsembleTraining::Checkpoint(const TabularTrainingOptions& candidate, size_t member) const {
  std::string path = candidate.checkpoint;
  if (path.empty()) return path;
  if (chooses_) path += "." + candidate.network.architecture;
  return member == 0 ? path : fmt::format("{}.{}", path, member + 1);
}

TabularTrainingOptions EnsembleTraining::OptionsOf(const TabularTrainingOptions& candidate, size_t member) const {
  TabularTrainingOptions options = candidate;
  options.checkpoint = Checkpoint(candidate, member);
  options.resume = candidate.resume && std::filesystem::exists(options.checkpoint);
  options.allow_changes = candidate.allow_changes && options.resume;
  options.out.clear();  // the model of all members
  if (candidate.stop_after > 0) options.stop_after = candidate.stop_after - steps_;
  if (candidate.time_limit > 0) {
    options.time_limit = std::max(0.01, (candidate.time_limit - seconds_) / static_cast<double>(networks_ - trained_));
  }
  return options;
}

TrainedNetwork EnsembleTraining::Train(const TabularTrainingOptions& candidate, const TrainingTable& data,
                                       const TrainingRows& rows, size_t member) {
  if (candidate.stop_after > 0 && steps_ >= candidate.stop_after) return {.is_finished = false};
  const TabularTrainingOptions options = OptionsOf(candidate, member);
  const auto tell = [&](const TrainingStatus& status) {
    ++steps_;
    EstimateTime(candidate, status);
    if (!report_) return;
    report_((static_cast<double>(trained_) + ShareDone(options, status)) / static_cast<double>(networks_),
            fmt::format("{} {} of {}, {}", options.network.architecture, trained_ + 1, networks_, StepText(status)));
  };
  TrainedNetwork trained = TrainTabularNetwork(options, data, rows, member, processes_, tell);
  seconds_ += trained.seconds;
  ++trained_;
  return trained;
}

// Says once, after a few steps, how long the training may take.
void EnsembleTraining::EstimateTime(const TabularTrainingOptions& options, const TrainingStatus& status) {
  if (has_estimated_ || status.step < kEstimatedAfter || options.models == 0 || options.place.rank > 0) return;
  has_estimated_ = true;
  const double networks = static_cast<double>(options.models) * static_cast<double>(networks_);
  const double step = status.seconds / static_cast<double>(status.step);
  const double all = step * static_cast<double>(options.steps) * networks;
  LogInfo("training takes {} at most: up to {} steps of {:.2g} s for {} networks", TimeText(all), options.steps, step,
          networks);
  if (options.time_limit == 0 || options.time_limit * static_cast<double>(options.models) >= all) return;
  const double steps = options.time_limit / (step * static_cast<double>(networks_));
  LogInfo("the time limit allows about {:.0f} steps of each", steps);
  if (steps >= kFewSteps) return;
  LogWarning(
      "these are too few for the networks to add much to the fit and the trees: give more time, fewer columns "
      "(--ignore), or one --model with --ensemble 1 and a smaller --batch-rows, --context-rows or --width");
}

}  // namespace haplospin
