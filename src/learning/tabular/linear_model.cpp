#include "learning/tabular/linear_model.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "haplospin/errors.h"
#include "learning/models/table_model.h"
#include "learning/tabular/error_quantiles.h"

namespace haplospin {
namespace {

using torch::Tensor;

constexpr int64_t kErrorLevels = 199;  // quantiles of the errors that are kept
constexpr int64_t kQuantiles = 5;
constexpr int64_t kMaxFittedRows = 20000;
constexpr double kPiecewiseGain = 0.01;  // smaller gains in cross-validation are not worth the risk
// Penalties per row. The first few are for numbers with hardly any noise; they are not tried for classes.
constexpr std::array kRidgePenalties = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 10.0};
constexpr size_t kFirstClassPenalty = 4;
constexpr int64_t kFitFolds = 5;
constexpr int64_t kGrownLosses = 2;
constexpr int64_t kLogisticSteps = 30;
constexpr double kLogisticPrecision = 1e-3;  // largest change of a weight in the last step

// X^T X = V diag(lengths) V^T of standardized features, from which the fits for all penalties follow.
class Decomposition {
 public:
  explicit Decomposition(const Tensor& features) : features_(features), n_(static_cast<double>(features.size(0))) {
    std::tie(lengths_, axes_) = torch::linalg_eigh(torch::matmul(features.t(), features));
    lengths_ = lengths_.clamp_min(0.0);
  }

  Tensor Solve(const Tensor& right, double penalty) const {
    return torch::matmul(axes_, torch::matmul(axes_.t(), right) / (lengths_ + penalty * n_).unsqueeze(1));
  }

  Tensor Ridge(const Tensor& truth, double penalty) const {
    return Solve(torch::matmul(features_.t(), truth), penalty);
  }

  // Steps that increase a lower bound of the likelihood (Boehning, 1992), accelerated (Nesterov, 1983), from `start`.
  Tensor Logistic(const Tensor& indicators, const Tensor& offsets, double penalty, const Tensor& start) const {
    Tensor weights = start, before = start;
    const int64_t steps = start.numel() == 0 ? 0 : kLogisticSteps;
    for (int64_t step = 0; step < steps; ++step) {
      const double momentum = static_cast<double>(step) / (static_cast<double>(step) + 3.0);
      const Tensor at = weights + momentum * (weights - before);
      const Tensor probabilities = (torch::matmul(features_, at) + offsets).softmax(1);
      const Tensor gradient = torch::matmul(features_.t(), indicators - probabilities) - penalty * n_ * at;
      before = weights;
      weights = at + Solve(gradient, 2.0 * penalty) * 2.0;
      if ((weights - before).abs().max().item<double>() < kLogisticPrecision) break;
    }
    return weights;
  }

 private:
  Tensor features_, lengths_, axes_;
  double n_;
};

// The problem with standardized features and without the constant one.
struct Problem {
  Tensor features;  // [n, p]
  Tensor truth;     // [n, 1] centered numbers, or indicators [n, c]
  Tensor offsets;   // [c]: the mean, or logarithms of the classes' frequencies
  bool classify = false;
};

size_t FirstPenalty(const Problem& problem) { return problem.classify ? kFirstClassPenalty : 0; }

Tensor FitOne(const Problem& problem, const Decomposition& decomposition, double penalty, const Tensor& start) {
  return problem.classify ? decomposition.Logistic(problem.truth, problem.offsets, penalty, start)
                          : decomposition.Ridge(problem.truth, penalty);
}

double FitLoss(const Problem& test, const Tensor& weights) {
  const Tensor predicted = torch::matmul(test.features, weights);
  if (!test.classify) return (predicted - test.truth).square().mean().item<double>();
  return -((predicted + test.offsets).log_softmax(1) * test.truth).sum(1).mean().item<double>();
}

Problem TakeProblem(const Problem& problem, const Tensor& rows) {
  return {problem.features.index_select(0, rows), problem.truth.index_select(0, rows), problem.offsets,
          problem.classify};
}

struct Fold {
  Problem training, test;
  Decomposition decomposition;
  Tensor weights;
};

// The mean loss of each penalty over the folds, from strong to weak, each fit from the one before. Of classes, whose
// fits take time, no weaker penalties are tried once the loss has grown twice in a row.
std::array<double, kRidgePenalties.size()> CrossValidateFit(const Problem& problem) {
  std::array<double, kRidgePenalties.size()> losses{};
  losses.fill(std::numeric_limits<double>::infinity());
  const Tensor row_folds = torch::arange(problem.features.size(0)) % kFitFolds;
  std::vector<Fold> folds;
  for (int64_t fold = 0; fold < kFitFolds; ++fold) {
    const Problem training = TakeProblem(problem, (row_folds != fold).nonzero().squeeze(1));
    folds.push_back({training, TakeProblem(problem, (row_folds == fold).nonzero().squeeze(1)),
                     Decomposition(training.features),
                     torch::zeros({problem.features.size(1), problem.truth.size(1)}, torch::kFloat64)});
  }
  double smallest = std::numeric_limits<double>::infinity();
  int64_t grown = 0;
  for (size_t i = kRidgePenalties.size(); i-- > FirstPenalty(problem) && (grown < kGrownLosses || !problem.classify);) {
    losses[i] = 0.0;
    for (Fold& fold : folds) {
      fold.weights = FitOne(fold.training, fold.decomposition, kRidgePenalties[i], fold.weights);
      losses[i] += FitLoss(fold.test, fold.weights) / kFitFolds;
    }
    grown = losses[i] > smallest ? grown + 1 : 0;
    smallest = std::min(smallest, losses[i]);
  }
  return losses;
}

Tensor WithConstant(const Tensor& features) {
  return torch::cat({features, torch::ones({features.size(0), 1}, features.options())}, 1);
}

constexpr int64_t kMinErrorRows = 20;    // fewer rows give the same deviation for all rows
constexpr double kMinErrorShare = 1e-3;  // smallest error, as a share of the typical one

}  // namespace

LinearFit FitLinear(const Tensor& features, const Tensor& truth, int64_t classes) {
  const int64_t p = features.size(1) - 1;
  HS_ASSERT(features.size(0) >= kFitFolds && features.size(0) == truth.size(0));
  const Tensor raw = features.narrow(1, 0, p);
  const Tensor center = raw.mean(0), spread = (raw - center).square().mean(0).sqrt();
  const Tensor used = (spread > 1e-9).nonzero().squeeze(1);
  const Tensor factor = 1.0 / spread.index_select(0, used);
  Problem problem{
      .features = (raw - center).index_select(1, used) * factor, .truth = {}, .offsets = {}, .classify = classes > 0};
  if (problem.classify) {
    problem.truth = torch::one_hot(truth.to(torch::kInt64), classes).to(torch::kFloat64);
    problem.offsets = ((problem.truth.sum(0) + 0.5) / static_cast<double>(truth.size(0))).log();
  } else {
    problem.offsets = truth.mean().view({1});
    problem.truth = (truth - problem.offsets).unsqueeze(1);
  }
  const auto losses = CrossValidateFit(problem);
  const auto best = static_cast<size_t>(std::ranges::min_element(losses) - losses.begin());
  const Decomposition decomposition(problem.features);
  Tensor standardized = torch::zeros({used.size(0), problem.truth.size(1)}, torch::kFloat64);
  for (size_t i = kRidgePenalties.size(); i-- > best;)
    standardized = FitOne(problem, decomposition, kRidgePenalties[i], standardized);
  Tensor weights = torch::zeros({p, problem.truth.size(1)}, torch::kFloat64);
  weights.index_copy_(0, used, standardized * factor.unsqueeze(1));
  const Tensor constant = problem.offsets - torch::matmul(center, weights);
  return {torch::cat({weights, constant.unsqueeze(0)}), losses[best]};
}

LinearModel::LinearModel(const Attributes& attributes, const Tensor& is_target)
    : attributes_(attributes),
      targets_(FindTargets(is_target)),
      outputs_(CountOutputs(attributes)),
      features_(register_module("features", std::make_shared<TableFeatures>(attributes, is_target, kQuantiles))) {
  std::vector<Tensor> absent;
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
  const Tensor piecewise_features =
      WithConstant(features_->forward(rows.values, rows.missing)).to(torch::kCPU, torch::kFloat64);
  Tensor linear_features = piecewise_features.clone();
  linear_features.narrow(1, features_->first_distance(), features_->distances()).zero_();
  for (size_t t = 0; t < targets_.size(); ++t) {
    const int64_t classes = attributes_[static_cast<size_t>(targets_[t])].classes;
    const Tensor truth = rows.values.select(1, targets_[t]).to(torch::kCPU, torch::kFloat64);
    LinearFit fit = FitLinear(linear_features, truth, classes);
    if (features_->distances() > 0) {
      const LinearFit piecewise = FitLinear(piecewise_features, truth, classes);
      if (piecewise.loss < (1 - kPiecewiseGain) * fit.loss) fit = piecewise;
    }
    weights_[static_cast<int64_t>(t)].narrow(1, 0, fit.weights.size(1)).copy_(fit.weights);
  }
}

Tensor LinearModel::forward(const MaskedTable& rows) {
  const Tensor features = WithConstant(features_->forward(rows.values, rows.masked));
  std::vector<Tensor> columns(attributes_.size(), torch::zeros({rows.values.size(0), outputs_}, rows.values.options()));
  for (size_t t = 0; t < targets_.size(); ++t) {
    const auto at = static_cast<int64_t>(t);
    columns[static_cast<size_t>(targets_[t])] =
        torch::matmul(features, weights_[at]) + absent_[at].to(features.device());
  }
  return torch::stack(columns, 1);
}

PredictionErrorModel::PredictionErrorModel(const Attributes& attributes, const Tensor& is_target)
    : is_number_(NumericTargets(attributes, is_target)),
      logarithm_(register_module("logarithm", std::make_shared<LinearModel>(attributes, is_target))) {
  factor_ = register_buffer("factor", torch::ones({std::ssize(attributes)}));
  least_ = register_buffer("least", torch::zeros({std::ssize(attributes)}));
  most_ = register_buffer("most", torch::zeros({std::ssize(attributes)}));
  errors_ = register_buffer("errors", torch::zeros({std::ssize(attributes), kErrorLevels}));
}

void PredictionErrorModel::Fit(const EncodedTable& rows, const Tensor& predictions) {
  const torch::NoGradGuard no_grad;
  if (!is_number_.any().item<bool>()) return;
  const Tensor errors = (predictions.select(2, 0) - rows.values).abs();
  const Tensor typical = errors.square().mean(0).sqrt();
  const Tensor logarithms = torch::maximum(errors, typical * kMinErrorShare + 1e-12).log();
  const Tensor is_number = is_number_.to(errors.device());
  if (rows.rows() >= kMinErrorRows) logarithm_->Fit({torch::where(is_number, logarithms, rows.values), rows.missing});
  const Tensor fitted = logarithm_->forward(rows.Masked()).select(2, 0);
  least_.copy_(std::get<0>(fitted.min(0)));
  most_.copy_(std::get<0>(fitted.max(0)));
  factor_.copy_(torch::where(is_number, (errors / fitted.exp()).square().mean(0).sqrt().clamp_min(1e-6),
                             torch::ones_like(typical)));
  const Tensor deviations = Deviations(rows.Masked());
  for (int64_t j = 0; j < errors_.size(0); ++j) {
    if (!is_number_[j].item<bool>()) continue;
    const Tensor sorted =
        std::get<0>(((rows.values - predictions.select(2, 0)) / deviations).select(1, j).cpu().sort());
    const Tensor values = sorted.contiguous();
    const std::span<const float> all(values.data_ptr<float>(), static_cast<size_t>(values.numel()));
    for (int64_t i = 0; i < kErrorLevels && all.size() >= 2; ++i) {
      errors_[j][i] = ErrorQuantile(all, static_cast<double>(i + 1) / (kErrorLevels + 1));
    }
  }
}

Tensor PredictionErrorModel::Quantiles(const std::vector<double>& probabilities) const {
  const Tensor errors = errors_.cpu().contiguous();
  Tensor quantiles = torch::zeros({errors.size(0), std::ssize(probabilities)});
  for (int64_t j = 0; j < errors.size(0); ++j) {
    const std::span<const float> levels(errors.data_ptr<float>() + j * kErrorLevels, kErrorLevels);
    for (size_t q = 0; q < probabilities.size(); ++q) {
      quantiles[j][static_cast<int64_t>(q)] = ErrorQuantile(levels, probabilities[q]);
    }
  }
  return quantiles;
}

Tensor PredictionErrorModel::Deviations(const MaskedTable& rows) {
  const Tensor fitted = logarithm_->forward(rows).select(2, 0);
  const Tensor deviation = torch::minimum(torch::maximum(fitted, least_), most_).exp() * factor_;
  return torch::where(is_number_.to(deviation.device()), deviation, torch::ones_like(deviation));
}

}  // namespace haplospin
