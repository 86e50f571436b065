#include "tabular/linear/kernel_smoother.h"

#include <array>
#include <cmath>
#include <limits>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

using torch::Tensor;

constexpr int64_t kChoiceRows = 800, kMaxSmoothedRows = 2000;
constexpr std::array kLengthscales = {0.25, 0.5, 1.0, 2.0, 4.0};  // times the root of the number of features
constexpr std::array kKernelPenalties = {0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0};
constexpr int64_t kSmoothedRowsAtOnce = 1024;

// A normal kernel for smooth residuals, or a Laplace kernel for rough ones. [n, m]
Tensor Kernel(const Tensor& a, const Tensor& b, bool is_laplace, double lengthscale) {
  const Tensor distance = torch::cdist(a, b) / lengthscale;
  return is_laplace ? (-distance).exp() : (-0.5 * distance.square()).exp();
}

EncodedTable Thinned(const EncodedTable& rows, int64_t max_rows, Tensor& residuals) {
  const int64_t stride = (rows.rows() + max_rows - 1) / max_rows;
  const Tensor kept = torch::arange(0, rows.rows(), stride, torch::TensorOptions(rows.values.device()));
  residuals = residuals.index_select(0, kept);
  return rows.Rows(kept);
}

}  // namespace

KernelSmoother::KernelSmoother(const Attributes& attributes, const Tensor& is_target)
    : attributes_(std::ssize(attributes)),
      features_(register_module("features", std::make_shared<TableFeatures>(attributes, is_target, 0))) {
  for (int64_t j = 0; j < attributes_; ++j) {
    if (is_target[j].item<bool>()) targets_.push_back(j);
  }
  center_ = register_buffer("center", torch::zeros({features_->width()}));
  factor_ = register_buffer("factor", torch::ones({features_->width()}));
  choice_ = register_buffer("choice", torch::ones({std::ssize(targets_), 3}));
}

Tensor KernelSmoother::Standardized(const EncodedTable& rows) const {
  return (features_->forward(rows.values, rows.missing) - center_) * factor_;
}

void KernelSmoother::Choose(const EncodedTable& all, const Tensor& all_residuals) {
  const torch::NoGradGuard no_grad;
  Tensor residuals = all_residuals;
  const EncodedTable rows = Thinned(all, kChoiceRows, residuals);
  features_->Fit(rows);
  const Tensor raw = features_->forward(rows.values, rows.missing);
  const Tensor spread = (raw - raw.mean(0)).square().mean(0).sqrt();
  center_.copy_(raw.mean(0));
  factor_.copy_(torch::where(spread > 1e-6, 1 / spread.clamp_min(1e-6), torch::zeros_like(spread)));
  const Tensor x = Standardized(rows).to(torch::kFloat64);
  const double unit = std::sqrt(std::max(1.0, (factor_ > 0).sum().item<double>()));
  std::vector<double> best_error(targets_.size(), std::numeric_limits<double>::infinity());
  for (const bool is_laplace : {false, true}) {
    for (const double share : kLengthscales) {
      const Tensor kernel = Kernel(x, x, is_laplace, share * unit);
      const auto [lengths, axes] = torch::linalg_eigh(kernel);
      for (size_t t = 0; t < targets_.size(); ++t) {
        const Tensor truth = residuals.select(1, targets_[t]).to(torch::kFloat64);
        const Tensor projected = torch::matmul(axes.t(), truth);
        for (const double penalty : kKernelPenalties) {
          // The error of each row when it is left out: its weight over the diagonal of the inverse.
          const Tensor inverse = 1 / (lengths.clamp_min(0) + penalty);
          const Tensor weights = torch::matmul(axes, projected * inverse.unsqueeze(1));
          const Tensor diagonal = torch::matmul(axes.square(), inverse);
          const double error = (weights / diagonal.unsqueeze(1)).square().mean().item<double>();
          if (error >= best_error[t]) continue;
          best_error[t] = error;
          choice_[static_cast<int64_t>(t)] = torch::tensor({is_laplace ? 1.0 : 0.0, share * unit, penalty});
        }
      }
    }
  }
}

KernelSmoother::Fit KernelSmoother::FitTo(const EncodedTable& all, const Tensor& all_residuals) const {
  const torch::NoGradGuard no_grad;
  Tensor residuals = all_residuals;
  const EncodedTable rows = Thinned(all, kMaxSmoothedRows, residuals);
  Fit fit{.features = Standardized(rows), .weights = {}};
  const Tensor x = fit.features.to(torch::kFloat64);
  for (size_t t = 0; t < targets_.size(); ++t) {
    const Tensor choice = choice_[static_cast<int64_t>(t)];
    Tensor kernel = Kernel(x, x, choice[0].item<double>() > 0.5, choice[1].item<double>());
    kernel.diagonal().add_(choice[2].item<double>());
    const Tensor factor = torch::linalg_cholesky(kernel);
    fit.weights.push_back(
        torch::cholesky_solve(residuals.select(1, targets_[t]).to(torch::kFloat64), factor).to(torch::kFloat32));
  }
  return fit;
}

Tensor KernelSmoother::Predict(const Fit& fit, const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  HS_ASSERT(fit.weights.size() == targets_.size());
  const Tensor x = Standardized(rows);
  Tensor predicted = torch::zeros({rows.rows(), attributes_, fit.weights[0].size(1)}, x.options());
  for (int64_t first = 0; first < rows.rows(); first += kSmoothedRowsAtOnce) {
    const int64_t size = std::min(kSmoothedRowsAtOnce, rows.rows() - first);
    for (size_t t = 0; t < targets_.size(); ++t) {
      const Tensor choice = choice_[static_cast<int64_t>(t)];
      const Tensor kernel =
          Kernel(x.narrow(0, first, size), fit.features, choice[0].item<double>() > 0.5, choice[1].item<double>());
      predicted.select(1, targets_[t]).narrow(0, first, size).copy_(torch::matmul(kernel, fit.weights[t]));
    }
  }
  return predicted;
}

}  // namespace haplospin
