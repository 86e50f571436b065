// The optimizers that networks are trained with. The learning rate is an argument of each step (see schedule.h), so
// that the state of an optimizer is only what it accumulates, which can be saved and restored exactly.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learning/nn/named_tensors.h"
#include "learning/nn/training_options.h"

namespace haplospin {

struct NamedParameter {
  std::string name;
  torch::Tensor tensor;
};

// The parameters of a module that require a gradient.
std::vector<NamedParameter> TrainableParameters(const torch::nn::Module& module);

class Optimizer {
 public:
  explicit Optimizer(std::vector<NamedParameter> parameters) : parameters_(std::move(parameters)) {}
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Updates the parameters from their gradients. Parameters without a gradient are unchanged.
  virtual void Step(double learning_rate) = 0;

  // The state of the optimizer. The tensors are not copies: writing to them restores a state.
  virtual NamedTensors State() = 0;

  void ZeroGrad();
  const std::vector<NamedParameter>& parameters() const { return parameters_; }

 private:
  std::vector<NamedParameter> parameters_;
};

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.0;  // decoupled from the moments
};

// The moments of the gradients that AdamW and LAMB have in common. Each parameter counts its own steps.
class MomentOptimizer : public Optimizer {
 public:
  MomentOptimizer(std::vector<NamedParameter> parameters, const AdamOptions& options);
  void Step(double learning_rate) override;
  NamedTensors State() override { return state_; }

 protected:
  const AdamOptions& options() const { return options_; }

 private:
  struct Moments {
    torch::Tensor first, second, steps;
  };
  torch::Tensor Direction(Moments& moments, const torch::Tensor& gradient) const;

  // Moves the weights of one parameter; direction: m / (sqrt(v) + epsilon), bias-corrected.
  virtual void Move(torch::Tensor& weights, torch::Tensor direction, double learning_rate) const = 0;

  AdamOptions options_;
  std::vector<Moments> moments_;
  NamedTensors state_;
};

// AdamW (Loshchilov and Hutter, 2019); Adam where weight_decay is 0.
class AdamW : public MomentOptimizer {
 public:
  explicit AdamW(std::vector<NamedParameter> parameters, const AdamOptions& options = {})
      : MomentOptimizer(std::move(parameters), options) {}

 private:
  void Move(torch::Tensor& weights, torch::Tensor direction, double learning_rate) const override;
};

// LAMB (You et al., 2020, algorithm 2, with phi(z) = z): the step along r + weight_decay * w, where r is Adam's
// direction, is scaled to |w| / |r + weight_decay * w| for each parameter tensor; 1 where either norm is 0.
class Lamb : public MomentOptimizer {
 public:
  static AdamOptions DefaultOptions() { return {.epsilon = 1e-6}; }  // NPT, appendix C.1.1

  explicit Lamb(std::vector<NamedParameter> parameters, const AdamOptions& options = DefaultOptions())
      : MomentOptimizer(std::move(parameters), options) {}

 private:
  void Move(torch::Tensor& weights, torch::Tensor direction, double learning_rate) const override;
};

// Slow weights that follow the weights of an inner optimizer. Synchronized: Zhang et al. (2019); the defaults are
// NPT's. Not synchronized: the slow weights are an exponential moving average of the fast ones and leave training
// alone; Hopular uses it with period 1 and slow_rate 0.005, and validates and tests with the slow weights (SlowWeights
// below).
class Lookahead : public Optimizer {
 public:
  Lookahead(std::unique_ptr<Optimizer> inner, const LookaheadOptions& options);
  void Step(double learning_rate) override;
  NamedTensors State() override;

 private:
  friend class SlowWeights;
  void UpdateSlowWeights();

  std::unique_ptr<Optimizer> inner_;
  LookaheadOptions options_;
  std::vector<torch::Tensor> slow_;
  torch::Tensor steps_;
};

// Puts the slow weights of a Lookahead in the model's place for as long as it lives; does nothing with another
// optimizer.
class SlowWeights {
 public:
  explicit SlowWeights(Optimizer& optimizer);
  ~SlowWeights();
  SlowWeights(const SlowWeights&) = delete;
  SlowWeights& operator=(const SlowWeights&) = delete;

 private:
  Lookahead* lookahead_;
  std::vector<torch::Tensor> fast_;
};

enum class OptimizerKind { kAdamW, kLamb };

struct OptimizerChoice {
  OptimizerKind kind = OptimizerKind::kAdamW;
  std::optional<LookaheadOptions> lookahead;
};

// An optimizer of the parameters that require a gradient.
std::unique_ptr<Optimizer> MakeOptimizer(const torch::nn::Module& network, const OptimizerChoice& choice,
                                         double weight_decay);

enum class ClippingKind {
  kNone,
  kValue,  // clamps each value to [-limit, limit]; NPT's "gradient clipping at 1"
  kNorm,   // scales all gradients by one factor, so that their joint Euclidean norm is at most `limit`
};

struct GradientClipping {
  ClippingKind kind = ClippingKind::kNone;
  double limit = 1.0;
};

// Changes the gradients in place. Parameters without a gradient are ignored.
void ClipGradients(const std::vector<NamedParameter>& parameters, const GradientClipping& clipping);

}  // namespace haplospin
