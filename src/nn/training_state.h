// The state of a training run besides its weights, and its text form in a checkpoint.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "nn/training_run.h"

namespace haplospin {

// Means of the losses of some steps.
class LossMeans {
 public:
  void Add(const std::vector<double>& parts);
  std::vector<double> Take();  // starts again after it; empty: no step was added

  nlohmann::json ToJson() const { return {{"sums", sums_}, {"steps", steps_}}; }
  void FromJson(const nlohmann::json& json);

 private:
  std::vector<double> sums_;
  int64_t steps_ = 0;
};

struct TrainingState {
  TrainingResult result;
  int64_t without_better = 0;  // validations since the best
  LossMeans since_log, since_validation;

  // The metadata of a checkpoint, with the run's configuration. Reading throws InputError, naming `path`, where it is
  // damaged.
  std::map<std::string, std::string> ToMetadata(const nlohmann::json& configuration) const;
  void FromMetadata(const std::map<std::string, std::string>& metadata, const std::string& path);
};

// The options and the objective's configuration: what makes two runs the same.
nlohmann::json RunConfiguration(const TrainingOptions& options, const nlohmann::json& objective);

// Throws InputError, naming both values of what differs, where a checkpoint is of another configuration; with
// `allow_changes` it is a warning.
void CheckConfiguration(const std::map<std::string, std::string>& metadata, const nlohmann::json& configuration,
                        const std::string& path, bool allow_changes);

}  // namespace haplospin
