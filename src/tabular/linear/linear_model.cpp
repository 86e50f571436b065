#include "tabular/linear/linear_model.h"

#include <algorithm>

#include "tabular/linear/linear_fit.h"

namespace haplospin {
namespace {

constexpr int64_t kQuantiles = 5;
constexpr int64_t kMaxFittedRows = 20000;
constexpr double kPiecewiseGain = 0.01;  // smaller gains in cross-validation are not worth the risk

torch::Tensor WithConstant(const torch::Tensor& features) {
  return torch::cat({features, torch::ones({features.size(0), 1}, features.options())}, 1);
}

}  // namespace

LinearModel::LinearModel(const Attributes& attributes, const torch::Tensor& is_target)
    : attributes_(attributes),
      features_(register_module("features", std::make_shared<TableFeatures>(attributes, is_target, kQuantiles))) {
  const torch::Tensor targets = is_target.cpu();
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    outputs_ = std::max(outputs_, attributes[static_cast<size_t>(j)].classes);
    if (targets[j].item<bool>()) targets_.push_back(j);
  }
  std::vector<torch::Tensor> absent;
  for (const int64_t j : targets_) {
    const int64_t classes = attributes[static_cast<size_t>(j)].classes;
    absent.push_back((torch::arange(outputs_) >= (classes == 0 ? outputs_ : classes)).to(torch::kFloat32) *
                     kAbsentLogit);
  }
  absent_ = torch::stack(absent);
  weights_ = register_buffer("weights", torch::zeros({std::ssize(targets_), features_->width() + 1, outputs_}));
}

void LinearModel::Fit(const EncodedTable& all) {
  const torch::NoGradGuard no_grad;
  const int64_t stride = (all.rows() + kMaxFittedRows - 1) / kMaxFittedRows;
  const EncodedTable rows = all.Rows(torch::arange(0, all.rows(), stride, torch::TensorOptions(weights_.device())));
  features_->Fit(rows);
  const torch::Tensor piecewise_features =
      WithConstant(features_->forward(rows.values, rows.missing)).to(torch::kCPU, torch::kFloat64);
  torch::Tensor linear_features = piecewise_features.clone();
  linear_features.narrow(1, features_->first_distance(), features_->distances()).zero_();
  for (size_t t = 0; t < targets_.size(); ++t) {
    const int64_t classes = attributes_[static_cast<size_t>(targets_[t])].classes;
    const torch::Tensor truth = rows.values.select(1, targets_[t]).to(torch::kCPU, torch::kFloat64);
    LinearFit fit = FitLinear(linear_features, truth, classes);
    if (features_->distances() > 0) {
      const LinearFit piecewise = FitLinear(piecewise_features, truth, classes);
      if (piecewise.loss < (1 - kPiecewiseGain) * fit.loss) fit = piecewise;
    }
    weights_[static_cast<int64_t>(t)].narrow(1, 0, fit.weights.size(1)).copy_(fit.weights);
  }
}

torch::Tensor LinearModel::forward(const MaskedTable& rows) {
  const torch::Tensor features = WithConstant(features_->forward(rows.values, rows.masked));
  std::vector<torch::Tensor> columns(attributes_.size(),
                                     torch::zeros({rows.values.size(0), outputs_}, rows.values.options()));
  for (size_t t = 0; t < targets_.size(); ++t) {
    const auto at = static_cast<int64_t>(t);
    columns[static_cast<size_t>(targets_[t])] =
        torch::matmul(features, weights_[at]) + absent_[at].to(features.device());
  }
  return torch::stack(columns, 1);
}

}  // namespace haplospin
