// AdamW and LAMB: both use Adam's moments; LAMB also scales the step of each layer by the norm of its weights.
#pragma once

#include <vector>

#include "nn/optimization/optimizer.h"

namespace haplospin {

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.0;  // decoupled from the moments
  bool bias_correction = true;
};

// The running moments of the gradients, and Adam's direction from them.
class AdamMoments {
 public:
  AdamMoments(const std::vector<NamedParameter>& parameters, const AdamOptions& options);

  // Updates the moments of parameter `index` with its gradient; returns the direction m / (sqrt(v) + epsilon),
  // bias-corrected where the options say so. Each parameter counts its own steps.
  torch::Tensor Direction(size_t index, const torch::Tensor& gradient);
  NamedTensors State() const { return state_; }

 private:
  struct Moments {
    torch::Tensor first, second, steps;
  };
  AdamOptions options_;
  std::vector<Moments> moments_;
  NamedTensors state_;
};

// AdamW (Loshchilov and Hutter, 2019); Adam where weight_decay is 0.
class AdamW : public Optimizer {
 public:
  explicit AdamW(std::vector<NamedParameter> parameters, const AdamOptions& options = {});
  void Step(double learning_rate) override;
  NamedTensors State() override { return moments_.State(); }

 private:
  AdamOptions options_;
  AdamMoments moments_;
};

// LAMB (You et al., 2020, algorithm 2, with phi(z) = z): the step along r + weight_decay * w, where r is Adam's
// direction, is scaled to |w| / |r + weight_decay * w| for each parameter tensor; 1 where either norm is 0.
class Lamb : public Optimizer {
 public:
  static AdamOptions DefaultOptions() { return {.epsilon = 1e-6}; }  // NPT, appendix C.1.1

  explicit Lamb(std::vector<NamedParameter> parameters, const AdamOptions& options = DefaultOptions());
  void Step(double learning_rate) override;
  NamedTensors State() override { return moments_.State(); }

 private:
  AdamOptions options_;
  AdamMoments moments_;
};

}  // namespace haplospin
