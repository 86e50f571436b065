// Gains: how much each part of a model counts, chosen on rows whose targets the parts have not seen.
#pragma once

#include <torch/types.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "learning/tabular/table_encoder.h"

namespace haplospin {

// The parts beside the linear fit, in the order in which they are added to it.
enum ModelPart { kTrees, kGaussianProcesses, kNetworks, kModelParts };

// Predictions of each part for the same rows, [n, d, c] as TabularModel::Predict(). Undefined parts do not count.
struct PartPredictions {
  torch::Tensor linear;
  std::array<torch::Tensor, kModelParts> parts;
};

// The predictions for several groups of rows, one after the other.
PartPredictions Join(const std::vector<PartPredictions>& groups);

// The share, from 0 to 1, that a part has in the place of the mixture of those before it, for each attribute: [parts,
// d].
using PartGains = torch::Tensor;

// Chooses the gain of a part for each target, after the gains of the parts before it: the one with the least error. A
// part that gains next to nothing is left out. All rows have all targets.
void ChooseGains(ModelPart part, const PartPredictions& predictions, const EncodedTable& rows,
                 const Attributes& attributes, const torch::Tensor& is_target, PartGains& gains);

// The mixture of all parts, [n, d, c].
torch::Tensor Combine(const PartPredictions& predictions, const PartGains& gains);

// The gains of an attribute, with the names of the parts.
std::vector<std::pair<std::string, double>> NamedGains(const PartGains& gains, int64_t attribute);

}  // namespace haplospin
