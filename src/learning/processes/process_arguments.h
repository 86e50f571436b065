// The options of training and predicting, without LibTorch: the program declares them as options of its commands.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learning/nn/training_options.h"

namespace haplospin {

struct ProcessTraining : TrainingOptions {
  ProcessTraining() {
    command = "np train";
    steps = 10000;
    learning_rate = 5e-4;
    weight_decay = 0.01;
    log_steps = 500;
  }

  int64_t batch = 16;            // tasks in a step
  bool cosine = true;            // down to 0 at the last step; else constant
  double clip = 0.5;             // largest gradient value (Ashman et al., 2024, appendix F.1)
  nlohmann::json model_options;  // ProcessOptions: a resumed run must have the same
};

enum class GpKernel { kSquaredExponential, kPeriodic, kMatern52, kLinear };

struct PredictorOptions {
  std::string model = "auto";  // a name of ProcessModels(), "auto" (the weights' model, else "gp"), "gp" or "oracle"
  std::string weights;         // file; empty: the default weights of te-tnp
  int64_t test_samples = 0;    // samples of a latent variable; 0: as many as the model's options say
  GpKernel gp_kernel = GpKernel::kSquaredExponential;  // "gp" only
};

// The columns of a table of points.
struct PointColumns {
  std::vector<std::string> x, y;  // names; y may be empty for targets
  std::string group;              // empty: all rows are one task
};

}  // namespace haplospin
