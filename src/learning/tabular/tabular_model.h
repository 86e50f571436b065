// A model that predicts columns of a table: its parts, and its file format.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/provenance.h"
#include "learning/nn/model_file.h"
#include "learning/tabular/boosted_trees.h"
#include "learning/tabular/gaussian_process_predictor.h"
#include "learning/tabular/linear_model.h"
#include "learning/tabular/part_gains.h"
#include "learning/tabular/table_encoder.h"
#include "learning/tabular/tabular_network.h"

namespace haplospin {

inline constexpr ModelKind kTabularModel = {"tabular", 6, "a tabular model", "haplospin tabular train"};

// Fits to one split of the table into training and validation rows.
struct TableFit {
  std::shared_ptr<LinearModel> linear;
  std::shared_ptr<BoostedTrees> trees;  // empty unless trees are a part of the model

  TableFit(const Attributes& attributes, const torch::Tensor& is_target)
      : linear(std::make_shared<LinearModel>(attributes, is_target)),
        trees(std::make_shared<BoostedTrees>(attributes, is_target)) {}

  // The predictions of the linear part and, if wanted, of the trees.
  PartPredictions Predict(const EncodedTable& rows, const Attributes& attributes, const torch::Tensor& is_target,
                          bool with_trees) const;
};

// The parts of a model, on one device.
struct TabularParts {
  std::string name;  // "auto", "gp" or the architecture of the networks
  TableEncoder encoder;
  uint64_t seed = 1;
  std::vector<TableFit> fits{};
  ContextNetworkOptions network{};
  std::vector<std::shared_ptr<ResidualNetwork>> networks{};  // network i adds to fit i modulo the number of fits
  EncodedTable context{};                                    // the rows to predict from; undefined if they were encoded
  std::vector<torch::Tensor> inducing_points{};              // points of each network, in the place of the rows
  PartGains gains{};
  std::shared_ptr<PredictionErrorModel> errors{};
};

class TabularModel {
 public:
  TabularModel(TabularParts parts, torch::Device device);

  // Throws InputError if the file is damaged or not such a model.
  static TabularModel Load(const std::string& path, torch::Device device);

  // Writes the parts. `encoded`: inducing points in the place of the rows, for networks of an architecture that encodes
  // and a model without Gaussian processes.
  void Save(const std::string& path, bool encoded, const Provenance& provenance) const;

  // Returns the probability of each class, or the mean in standardized units at index 0, for each row and attribute;
  // [b, d, c]. The targets of the rows are not used.
  torch::Tensor Predict(const EncodedTable& rows) const;

  // The standard deviations of the errors to expect of numeric targets, in standardized units, [b, d].
  torch::Tensor Deviations(const EncodedTable& rows) const;

  // How far quantiles of numeric targets are above their prediction, in standardized units, [b, d, k].
  torch::Tensor QuantileDistances(const EncodedTable& rows, const std::vector<double>& probabilities) const;

  // The mean prediction of the linear fits, as Predict().
  torch::Tensor PredictLinear(const EncodedTable& rows) const;

  // Predict() from other rows than those of the model.
  torch::Tensor PredictFrom(const EncodedTable& context, const EncodedTable& rows) const;

  // The attention of each row to each row of the context, mean over the networks, [b, n].
  torch::Tensor ContextWeights(const EncodedTable& rows) const;

  const std::string& name() const { return parts_.name; }
  const TableEncoder& encoder() const { return parts_.encoder; }
  const EncodedTable& context() const { return parts_.context; }
  const PartGains& gains() const { return parts_.gains; }

  // Returns whether a part counts for any target, or any part that uses the rows of the context.
  bool Uses(ModelPart part) const { return parts_.gains[part].any().item<bool>(); }
  bool UsesContext() const { return Uses(kNetworks) || Uses(kGaussianProcesses); }

 private:
  // The context as the networks and the Gaussian processes predict from it.
  struct Known {
    std::vector<EncodedContext> network_contexts;
    std::optional<GaussianProcessPredictor> gaussian_processes;
  };

  Known Encode(const EncodedTable& context) const;
  torch::Tensor PredictWith(const Known& known, const EncodedTable& rows) const;
  PartPredictions MeanFit(const EncodedTable& rows, bool with_trees) const;

  TabularParts parts_;
  torch::Device device_;
  Attributes attributes_;
  torch::Tensor is_target_;  // [d] bool, on the device
  Known known_;              // the model's own context
};

}  // namespace haplospin
