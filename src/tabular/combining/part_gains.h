// How much each part of a model counts, chosen on rows whose targets the parts have not seen.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tabular/table_encoder.h"

namespace haplospin {

// What each part predicts for the same rows, [n, d, c] as TabularModel::Predict().
struct PartPredictions {
  torch::Tensor linear;              // the linear fit
  torch::Tensor trees;               // trees alone
  torch::Tensor linear_trees;        // the linear fit with trees
  torch::Tensor smoothed;            // what the nearest rows add to the linear fit
  torch::Tensor gaussian_processes;  // the prediction without training
  torch::Tensor network;             // the linear fit with the networks
};

// The same of several groups of rows, one after the other.
PartPredictions Join(const std::vector<PartPredictions>& parts);

// From 0 to 1 for each attribute: how much of both kinds of trees is taken in the place of the linear fit, how much of
// what the nearest rows add to it, how much of the prediction without training in the place of all these, and how much
// of the networks in the place of that mixture.
struct PartGains {
  torch::Tensor trees, linear_trees, smoothed, gaussian_processes, network;  // [d]

  // The gains of an attribute by name.
  std::vector<std::pair<std::string, double>> Of(int64_t attribute) const;

  explicit PartGains(int64_t attributes = 0);

  // [5, d], for a file.
  torch::Tensor Stacked() const { return torch::stack({trees, linear_trees, smoothed, gaussian_processes, network}); }
  void SetFrom(const torch::Tensor& stacked);
};

// Those with the least error, of trees and nearest rows; a part that gains next to nothing is left out. Those of
// features stay 0.
void ChooseFitGains(PartGains& gains, const PartPredictions& parts, const EncodedTable& rows,
                    const Attributes& attributes, const torch::Tensor& is_target);

// That of the prediction without training, beside what the fits predict together, [n, d, c], with gains that were not
// chosen on these rows.
void ChooseGaussianProcessesGains(PartGains& gains, const torch::Tensor& fit, const torch::Tensor& gaussian_processes,
                                  const EncodedTable& rows, const Attributes& attributes,
                                  const torch::Tensor& is_target);

// After these, that of the networks.
void ChooseNetworkGains(PartGains& gains, const PartPredictions& parts, const EncodedTable& rows,
                        const Attributes& attributes, const torch::Tensor& is_target);

// All parts together; probabilities stay probabilities. `gaussian_processes` and `network` are not needed where their
// gains are 0.
torch::Tensor Combine(const PartPredictions& parts, const PartGains& gains, const Attributes& attributes);

// Of the targets: mean squared error or negative log-likelihood, summed over them.
double CombinedLoss(const torch::Tensor& predictions, const EncodedTable& rows, const Attributes& attributes,
                    const torch::Tensor& is_target);

}  // namespace haplospin
