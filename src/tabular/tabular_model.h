// A trained model: an ensemble of networks, the encoders of the columns, and the rows for prediction; and its file
// format.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/provenance.h"
#include "nn/model_file.h"
#include "tabular/combining/error_model.h"
#include "tabular/combining/part_gains.h"
#include "tabular/combining/table_fit.h"
#include "tabular/gaussian_process/gaussian_process_predictor.h"
#include "tabular/linear/kernel_smoother.h"
#include "tabular/table_encoder.h"
#include "tabular/tabular_trainer.h"
#include "tabular/target_metrics.h"

namespace haplospin {

// The choice of --model that predicts by Gaussian processes alone.
inline const std::string kGaussianProcesses = "gp";

class TabularModel {
 public:
  // Trains on all rows of the table that have a target. Of several candidates, each an architecture with its settings
  // and the same number of members, one network each is trained, and the one with the lowest validation loss is taken.
  // `validation`: rows to validate on; empty: each member has its
  // own validation rows. `report` is called with the fraction of the work that is done and a status line. Each member
  // has a checkpoint of its own: options.checkpoint for the first, with ".2", ".3", ... behind it for the others. Where
  // it ended at options.stop_after, is_trained() is false and nothing else may be asked of the model. Throws InputError
  // if a target has no values or is constant, or too few rows are left.
  static TabularModel Train(const Table& table, const std::vector<std::string>& targets,
                            const std::vector<size_t>& validation,
                            const std::vector<TabularTrainingOptions>& candidates, torch::Device device,
                            const std::function<void(double, const std::string&)>& report = {});

  // Throws InputError if the file is damaged or not such a model.
  static TabularModel Load(const std::string& path, torch::Device device);

  // The weights of each member, and the rows. `encoded`: the inducing points of the rows in the place of the rows, for
  // an architecture that encodes, trained without TabularTrainingOptions::smooths.
  void Save(const std::string& path, bool encoded, const Provenance& provenance) const;

  // For each row and attribute the probability of each class, or the mean in standardized units at index 0; [b, d, c].
  // The targets of the rows are not used.
  torch::Tensor Predict(const EncodedTable& rows) const;

  // The standard deviations of the errors to expect, in standardized units, [b, d]; of numeric targets.
  torch::Tensor Deviations(const EncodedTable& rows) const;

  // The mean of the members' linear fits, as Predict().
  torch::Tensor PredictLinear(const EncodedTable& rows) const;

  // Predict() from other rows than those of the model.
  torch::Tensor PredictFrom(const EncodedTable& context, const EncodedTable& rows) const;

  // The attention of each row to each row of the context, mean over the members, [b, n].
  torch::Tensor ContextWeights(const EncodedTable& rows) const;

  bool is_trained() const { return is_trained_; }
  const TableEncoder& encoder() const { return encoder_; }
  const TabularTrainingOptions& options() const { return options_; }
  const EncodedTable& context() const { return context_; }  // empty where the file holds inducing points
  // The row of the training table that each row of the context was; after Train() only.
  const std::vector<size_t>& context_rows() const { return context_rows_; }
  // For each target, on the validation rows of the members; after Train() only.
  const std::vector<MetricsComparison>& validation() const { return validation_; }
  const PartGains& gains() const { return gains_; }
  // Whether networks count for any target, and whether any part that uses the rows of the context does.
  bool uses_networks() const { return gains_.network.any().item<bool>(); }
  bool uses_rows() const { return uses_networks() || uses_gaussian_processes() || gains_.smoothed.any().item<bool>(); }
  bool uses_gaussian_processes() const { return gains_.gaussian_processes.any().item<bool>(); }
  // What the predictions are made by: an architecture, or "gp".
  const std::string& name() const {
    return options_.only_gaussian_processes ? kGaussianProcesses : options_.network.architecture;
  }
  const std::vector<TrainedNetwork>& training() const { return training_; }  // after Train() only

 private:
  TabularModel(TableEncoder encoder, TabularTrainingOptions options, torch::Device device)
      : encoder_(std::move(encoder)), options_(std::move(options)), device_(device) {}

  class Trainer;

  // What predictions are made from: rows as each network sees them, and as the smoother does, if it is used.
  struct EncodedRows {
    std::vector<EncodedContext> contexts;
    std::optional<KernelSmoother::Fit> neighbors;
    std::shared_ptr<const GaussianProcessPredictor> gaussian_processes;
  };

  nlohmann::json Configuration(bool encoded) const;
  void LoadRows(const ModelFile& file);
  void LoadFit(const ModelFile& file, const std::string& prefix);
  void LoadMember(const ModelFile& file, size_t member, bool encoded);
  EncodedRows Encoded(const EncodedTable& context) const;
  void MakeParts();
  torch::Tensor MemberProbabilities(ContextNetwork& network, const EncodedContext& context,
                                    const EncodedTable& rows) const;
  PartPredictions PredictFit(TableFit& fit, const EncodedTable& rows, bool with_trees) const;
  PartPredictions MeanFit(const EncodedTable& rows, bool with_trees) const;
  KernelSmoother::Fit NeighborsIn(const EncodedTable& context) const;
  std::shared_ptr<const GaussianProcessPredictor> GaussianProcessesOf(const EncodedTable& context) const;
  torch::Tensor PredictWith(const EncodedRows& known, const EncodedTable& rows) const;
  torch::Tensor ToProbabilities(const torch::Tensor& predictions) const;

  TableEncoder encoder_;
  TabularTrainingOptions options_;
  torch::Device device_;
  bool is_trained_ = true;
  std::vector<std::shared_ptr<TableFit>> fits_;            // one for each split into training and validation rows
  std::vector<std::shared_ptr<ResidualNetwork>> members_;  // on fits_[0], fits_[1], ...
  EncodedTable context_;
  std::vector<size_t> context_rows_;
  EncodedRows known_;  // of the context
  std::shared_ptr<KernelSmoother> smoother_;
  PartGains gains_;
  std::shared_ptr<ErrorModel> errors_;
  std::vector<MetricsComparison> validation_;
  std::vector<TrainedNetwork> training_;
};

}  // namespace haplospin
