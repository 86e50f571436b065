// The source of tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "models/neural_process/neural_process.h"

namespace haplospin {

// Tasks are drawn from a RandomStream of the caller's, so the same stream gives the same tasks.
class TaskSource {
 public:
  virtual ~TaskSource() = default;

  // Numbers of inputs and outputs.
  virtual int64_t dx() const = 0;
  virtual int64_t dy() const = 0;

  // `count` tasks, those of equal sizes together. Tensors are float, on the CPU.
  virtual std::vector<ProcessTasks> Draw(int64_t count, RandomStream& random) const = 0;

  // The true predictive distribution of the tasks that Draw() gives for the same stream. Throws InputError if it is
  // unknown.
  virtual Prediction DrawOracle(int64_t count, RandomStream& random) const;
};

// The purposes of the random streams of one seed.
enum class TaskStream : uint64_t { kTraining = 1, kTest = 2 };

// The stream of one batch.
RandomStream BatchStream(uint64_t seed, TaskStream stream, int64_t batch);

// An inclusive range.
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

}  // namespace haplospin
