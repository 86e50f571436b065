// Sources of tasks, and the scaling of data to the units in which a model is trained.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "learning/models/neural_process/neural_process.h"

namespace haplospin {

// Tasks are drawn from a RandomStream of the caller's, so the same stream gives the same tasks.
class TaskSource {
 public:
  virtual ~TaskSource() = default;

  // Numbers of inputs and outputs.
  virtual int64_t dx() const = 0;
  virtual int64_t dy() const = 0;

  // `count` tasks, those of equal sizes together. Tensors are float, on the CPU; what is computed may be computed on
  // the device.
  virtual std::vector<ProcessTasks> Draw(int64_t count, RandomStream& random, torch::Device device) const = 0;
  std::vector<ProcessTasks> Draw(int64_t count, RandomStream& random) const { return Draw(count, random, torch::kCPU); }

  // The true predictive distribution of the tasks that Draw() gives for the same stream. Throws InputError if it is
  // unknown.
  virtual Prediction DrawOracle(int64_t count, RandomStream& random) const;
};

// The purposes of the random streams of one seed.
enum class TaskStream : uint64_t { kTraining = 1, kTest = 2 };

// Returns the random stream of one batch.
RandomStream BatchStream(uint64_t seed, TaskStream stream, int64_t batch);

// A range with both ends included.
struct IntegerRange {
  int64_t low = 1, high = 1;
  int64_t Draw(RandomStream& random) const {
    return low + static_cast<int64_t>(random.UniformInt(static_cast<uint64_t>(high - low + 1)));
  }
};

struct RealRange {
  double low = 0, high = 1;
  double Draw(RandomStream& random) const { return low + (high - low) * random.Uniform(); }
};

// The scaled value of a column is (value - center) / scale.
struct DataScaling {
  std::vector<double> x_center, x_scale, y_center, y_scale;

  torch::Tensor ScaleX(const torch::Tensor& x) const;  // double [n, dx] -> float
  torch::Tensor ScaleY(const torch::Tensor& y) const;
  // Returns the scaled points as a task without target_y.
  ProcessTasks ScaledTask(const torch::Tensor& context_x, const torch::Tensor& context_y,
                          const torch::Tensor& target_x) const;
  torch::Tensor UnscaleY(const torch::Tensor& y) const;  // float -> double
  Prediction Unscale(const Prediction& prediction) const;
};

// Returns whether values vary by more than rounding errors.
bool Varies(double spread, double size);

// Scales context inputs to [-2, 2] and context outputs to mean 0 and sd 1, as in the simulated tasks of training. An
// input that does not vary in the context is scaled by the targets' range. Where y does not vary or there are fewer
// than two points, its scale is 1. A context of one or two points, which tell little of the scale, has that of the data
// of all tasks, `all_scaling`, unless null.
DataScaling ScaleContext(const torch::Tensor& context_x, const torch::Tensor& context_y, const torch::Tensor& target_x,
                         const DataScaling* all_scaling = nullptr);

}  // namespace haplospin
