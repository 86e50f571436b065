// Trains the networks of a model one after the other: their checkpoints, and their shares of the time.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tabular/tabular_trainer.h"

namespace haplospin {

class EnsembleTraining {
 public:
  // Will train one network of each candidate, and the other members of one of them. `report` as TabularModel::Train().
  EnsembleTraining(const std::vector<TabularTrainingOptions>& candidates, size_t members, torch::Device device,
                   const std::function<void(double, const std::string&)>& report);

  // The next network. Not finished where it ended at stop_after, or where others have taken all these steps.
  TrainedNetwork Train(const TabularTrainingOptions& candidate, const TrainingTable& data, const TrainingRows& rows,
                       size_t member);

 private:
  TabularTrainingOptions OptionsOf(const TabularTrainingOptions& candidate, size_t member) const;
  std::string Checkpoint(const TabularTrainingOptions& candidate, size_t member) const;
  void EstimateTime(const TabularTrainingOptions& options, const TrainingStatus& status);

  const bool chooses_;  // among several candidates
  const size_t networks_;
  const std::function<void(double, const std::string&)> report_;
  DataParallel processes_;
  size_t trained_ = 0;  // networks
  double seconds_ = 0;  // that they took
  int64_t steps_ = 0;   // of this process
  bool has_estimated_ = false;
};

}  // namespace haplospin
