#include "genotypes/imputation/models/network/network_fixtures.h"

#include <cmath>

#include "core/random.h"
#include "genotypes/imputation/models/copying/match_features.h"
#include "genotypes/imputation/models/network/allele_features.h"

namespace haplospin {
namespace {

MlpWeights Zeros(size_t inputs, size_t hidden) {
  return {.inputs = inputs,
          .hidden = hidden,
          .weight1 = std::vector<float>(hidden * inputs),
          .bias1 = std::vector<float>(hidden),
          .weight2 = std::vector<float>(hidden * hidden),
          .bias2 = std::vector<float>(hidden),
          .weight3 = std::vector<float>(hidden)};
}

MlpWeights Random(size_t inputs, size_t hidden, RandomStream& random) {
  MlpWeights mlp = Zeros(inputs, hidden);
  const auto fill = [&](std::vector<float>& values, double deviation) {
    for (float& value : values) value = static_cast<float>(deviation * random.Normal());
  };
  fill(mlp.weight1, 1 / std::sqrt(static_cast<double>(inputs)));
  fill(mlp.bias1, 0.3);
  fill(mlp.weight2, 1 / std::sqrt(static_cast<double>(hidden)));
  fill(mlp.bias2, 0.3);
  fill(mlp.weight3, 0.3 / std::sqrt(static_cast<double>(hidden)));
  mlp.bias3 = static_cast<float>(0.1 * random.Normal());
  return mlp;
}

}  // namespace

ImputerWeights LiStephensWeights(float panel_share) {
  return {.copy = Zeros(kNumCopyFeatures + kNumPanelFeatures, 4),
          .allele = Zeros(kNumAlleleFeatures + kNumPanelFeatures, 4),
          .panel_share = panel_share};
}

ImputerWeights RandomWeights(uint64_t seed, size_t copy_hidden, size_t allele_hidden) {
  RandomStream random(seed);
  ImputerWeights weights;
  weights.forward = 0.9f;
  weights.backward = 1.1f;
  weights.copy = Random(kNumCopyFeatures + kNumPanelFeatures, copy_hidden, random);
  weights.allele = Random(kNumAlleleFeatures + kNumPanelFeatures, allele_hidden, random);
  weights.panel_share = -5;
  return weights;
}

}  // namespace haplospin
