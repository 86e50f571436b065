// Tasks cut from trajectories of a flow (Ashman et al., 2024, section 4.3 and appendix F.3).
#pragma once

#include "processes/task_source.h"

namespace haplospin {

struct KolmogorovTaskOptions {
  int64_t region = 16;  // points along each side of a task, in time too
  IntegerRange context = {1, 500};
  int64_t max_targets = 0;          // of a task; 0: all other points
  RealRange trajectories = {0, 1};  // the share of the trajectories that is used: {0, 0.8} of 10 are the first 8
};

// Inputs (time, y, x) of a task each run from -3 to 3; outputs are the two velocities, over their root mean square.
class KolmogorovTasks : public TaskSource {
 public:
  // velocities [trajectories, snapshots, 2, n, n]. Throws InputError where regions or contexts do not fit.
  KolmogorovTasks(torch::Tensor velocities, const KolmogorovTaskOptions& options);
  int64_t dx() const override { return 3; }
  int64_t dy() const override { return 2; }
  std::vector<ProcessTasks> Draw(int64_t count, RandomStream& random) const override;

 private:
  torch::Tensor velocities_;
  torch::Tensor grid_;  // [region^3, 3]
  KolmogorovTaskOptions options_;
};

// Trajectories in a safetensors file, one tensor "velocity". Reading throws InputError where it holds anything else.
void WriteTrajectories(const std::string& path, const torch::Tensor& velocities);
torch::Tensor ReadTrajectories(const std::string& path);

}  // namespace haplospin
