// Tasks drawn from Gaussian processes of random kernels (Ashman et al., 2024, section 4.1 and appendices F.1 and F.5;
// Rastogi et al., 2023, section 4.2).
#pragma once

#include <span>
#include <vector>

#include "learning/processes/gaussian_process.h"
#include "learning/processes/task_source.h"

namespace haplospin {

struct GpTaskOptions {
  int64_t inputs = 1;  // dx
  std::vector<GpKernel> kernels = {GpKernel::kSquaredExponential, GpKernel::kPeriodic, GpKernel::kMatern52};
  RealRange lengthscale = {0.25, 4};  // drawn for each input
  bool log_uniform_lengthscale = true;
  RealRange scale = {1, 1};      // sd of the function
  RealRange noise = {0.2, 0.2};  // sd of the observations about the function, log-uniform
  IntegerRange context = {1, 64};
  IntegerRange targets = {128, 128};
  RealRange context_x = {-2, 2};
  RealRange target_x = {-3, 3};
  bool bimodal = false;  // inputs from U(-4, -1) or U(1, 4), each with probability 1/2 (eq. 44)
  double shift = 0;      // Delta: shift added to all inputs
  // Scale tasks as np predict scales data: context inputs span all of context_x, context outputs have mean 0 and sd 1.
  // A function with a value beyond 10 is drawn again: a few points may lie close to each other by chance. Draw() throws
  // InputError if that happens all the time. Not with bimodal or shift.
  bool standardize = false;

  // The options of Rastogi et al.: one kernel, 64 to 128 context and 4 to 64 target points.
  static GpTaskOptions Ipnp();
};

class GpTasks : public TaskSource {
 public:
  explicit GpTasks(GpTaskOptions options);
  int64_t dx() const override { return options_.inputs; }
  int64_t dy() const override { return 1; }
  using TaskSource::Draw;
  std::vector<ProcessTasks> Draw(int64_t count, RandomStream& random, torch::Device device) const override;

  // Returns the posterior under each task's own kernel and noise.
  Prediction DrawOracle(int64_t count, RandomStream& random) const override;

 private:
  struct Function {
    GpParameters parameters;
    torch::Tensor y;                   // [m + n, 1], in double
    double center = 0, deviation = 1;  // y is (drawn - center) / deviation in the task
  };
  struct Drawn {
    int64_t context = 0;
    torch::Tensor x;  // [count, m + n, dx], in double; the first m points are the context
    std::vector<Function> functions;
  };
  Drawn DrawBatch(int64_t count, RandomStream& random, torch::Device device) const;
  GpParameters DrawParameters(RandomStream& random) const;
  // Cholesky factors of the functions' covariances with their noise, at x [b, n, dx]; [b, n, n].
  static torch::Tensor Factors(const torch::Tensor& x, std::span<const Function> functions);
  // Sets the outputs of tasks [first, last).
  void DrawOutputs(int64_t first, int64_t last, RandomStream& random, torch::Device device, Drawn& drawn) const;
  // Scales a task; returns whether its function must be drawn again.
  std::vector<int64_t> SetOutputs(const torch::Tensor& y, int64_t context, std::span<const int64_t> left,
                                  std::span<Function> functions) const;
  torch::Tensor DrawInputs(int64_t count, int64_t points, const RealRange& range, RandomStream& random) const;

  GpTaskOptions options_;
};

}  // namespace haplospin
