#include "nn/optimization/optimizer_factory.h"

namespace haplospin {
namespace {

std::unique_ptr<Optimizer> MakeInner(const torch::nn::Module& network, OptimizerKind kind, double weight_decay) {
  if (kind == OptimizerKind::kAdamW) {
    return std::make_unique<AdamW>(TrainableParameters(network), AdamOptions{.weight_decay = weight_decay});
  }
  AdamOptions lamb = Lamb::DefaultOptions();
  lamb.weight_decay = weight_decay;
  return std::make_unique<Lamb>(TrainableParameters(network), lamb);
}

}  // namespace

std::unique_ptr<Optimizer> MakeOptimizer(const torch::nn::Module& network, const OptimizerChoice& choice,
                                         double weight_decay) {
  std::unique_ptr<Optimizer> inner = MakeInner(network, choice.kind, weight_decay);
  if (!choice.lookahead) return inner;
  return std::make_unique<Lookahead>(std::move(inner), *choice.lookahead);
}

}  // namespace haplospin
