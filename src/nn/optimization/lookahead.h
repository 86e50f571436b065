// Lookahead: slow weights that follow the weights of an inner optimizer.
#pragma once

#include <memory>
#include <vector>

#include "nn/optimization/lookahead_options.h"
#include "nn/optimization/optimizer.h"

namespace haplospin {

// Synchronized: Zhang et al. (2019); the defaults are NPT's. Not synchronized: the slow weights are an exponential
// moving average of the fast ones and leave training alone; Hopular uses it with period 1 and slow_rate 0.005, and
// validates and tests with the slow weights (SlowWeights below).
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

}  // namespace haplospin
