#include "processes/task_source.h"

#include "haplospin/errors.h"

namespace haplospin {

Prediction TaskSource::DrawOracle(int64_t, RandomStream&) const {
  throw InputError("only tasks of Gaussian processes (--task gp) have an oracle; choose another --model");
}

RandomStream BatchStream(uint64_t seed, TaskStream stream, int64_t batch) {
  return RandomStream(seed, {static_cast<uint64_t>(stream), static_cast<uint64_t>(batch)});
}

}  // namespace haplospin
