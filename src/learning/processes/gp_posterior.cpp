#include "learning/processes/gp_posterior.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using torch::Tensor;

constexpr int64_t kCandidates = 4000;       // points among which inducing points are chosen
constexpr double kUnexplainedShare = 1e-3;  // a variance below this share of the noise needs no inducing point
constexpr uint64_t kCandidateRows = 72;     // key of the random draws
constexpr int64_t kBlock = 1024;            // points at a time

Tensor SolveLower(const Tensor& factor, const Tensor& right) {
  return torch::linalg_solve_triangular(factor, right, /*upper=*/false);
}

// The points that tell most of all others: each is the one of which those before it leave most variance unexplained (a
// pivoted Cholesky factorization).
Tensor ChooseInducingPoints(const GpParameters& p, const Tensor& all) {
  Tensor x = all;
  if (x.size(0) > kCandidates) {
    RandomStream random(0, {kCandidateRows});
    x = x.index_select(0, torch::tensor(RandomOrder<int64_t>(x.size(0), random)).narrow(0, 0, kCandidates));
  }
  Tensor unexplained = PriorVariance(p, x).clone();
  Tensor factor = torch::empty({kMaxInducingPoints, x.size(0)}, torch::kFloat64);
  std::vector<int64_t> chosen;
  for (int64_t k = 0; k < kMaxInducingPoints; ++k) {
    const auto next = unexplained.argmax().item<int64_t>();
    const auto variance = unexplained[next].item<double>();
    if (variance <= kUnexplainedShare * p.noise * p.noise) break;
    chosen.push_back(next);
    const Tensor before = factor.narrow(0, 0, k);
    const Tensor row = GpCovariance(p, x.narrow(0, next, 1), x).squeeze(0) - before.select(1, next).matmul(before);
    factor[k].copy_(row / std::sqrt(variance));
    unexplained -= factor[k].square();
  }
  return x.index_select(0, torch::tensor(chosen, torch::kInt64));
}

}  // namespace

GaussianPosterior::GaussianPosterior(GpParameters parameters, const Tensor& context_x, const Tensor& context_y,
                                     int64_t max_exact_points)
    : parameters_(std::move(parameters)) {
  const torch::NoGradGuard no_grad;
  const Tensor x = context_x.to(torch::kFloat64);
  Tensor y = context_y.to(torch::kFloat64);
  const int64_t dy = y.size(1);
  outputs_ = torch::eye(dy, torch::kFloat64);
  if (!parameters_.outputs.empty()) {
    HS_ASSERT(std::ssize(parameters_.outputs) == dy * dy);
    outputs_ = torch::tensor(parameters_.outputs, torch::kFloat64).view({dy, dy});
  }
  if (x.size(0) == 0) return;
  std::vector<double> scales = {1};
  if (!parameters_.outputs.empty()) {
    const auto [values, vectors] = torch::linalg_eigh(outputs_);
    rotation_ = vectors;
    y = y.matmul(rotation_);
    scales.clear();
    for (int64_t i = 0; i < dy; ++i) scales.push_back(std::max(0.0, values[i].item<double>()));
  }
  const bool is_exact = x.size(0) <= max_exact_points;
  points_ = is_exact ? x : ChooseInducingPoints(parameters_, x);
  for (size_t i = 0; i < scales.size(); ++i) {
    const auto first = static_cast<int64_t>(i);
    const Tensor part = rotation_.defined() ? y.narrow(1, first, 1) : y;
    parts_.push_back(is_exact ? FitExactly(part, scales[i], first) : FitInducingPoints(x, part, scales[i], first));
  }
}

GaussianPosterior::Part GaussianPosterior::FitExactly(const Tensor& y, double scale, int64_t first) const {
  Tensor covariance = GpCovariance(parameters_, points_, points_).mul_(scale);
  covariance.diagonal().add_(parameters_.noise * parameters_.noise);
  const Tensor factor = StableCholesky(covariance);
  return {.scale = scale, .first = first, .factor = factor, .explained = {}, .weights = SolveLower(factor, y)};
}

// With V the whitened covariance of inducing points and context, and a noise for each point that has what the inducing
// points leave unexplained: the sums of V' V and V' y over the points, each divided by its noise.
GaussianPosterior::Part GaussianPosterior::FitInducingPoints(const Tensor& x, const Tensor& y, double scale,
                                                             int64_t first) const {
  const Tensor factor = StableCholesky(GpCovariance(parameters_, points_, points_).mul_(scale));
  Tensor squares = torch::eye(points_.size(0), torch::kFloat64);
  Tensor products = torch::zeros({points_.size(0), y.size(1)}, torch::kFloat64);
  for (int64_t i = 0; i < x.size(0); i += kBlock) {
    const int64_t count = std::min(kBlock, x.size(0) - i);
    const Tensor part = x.narrow(0, i, count);
    const Tensor whitened = SolveLower(factor, GpCovariance(parameters_, points_, part).mul_(scale));
    const Tensor unexplained = scale * PriorVariance(parameters_, part) - whitened.square().sum(0);
    const Tensor weighted = whitened / (unexplained.clamp_min(0) + parameters_.noise * parameters_.noise);
    squares.addmm_(weighted, whitened.t());
    products.addmm_(weighted, y.narrow(0, i, count));
  }
  const Tensor explained = StableCholesky(squares);
  return {.scale = scale,
          .first = first,
          .factor = factor,
          .explained = explained,
          .weights = SolveLower(explained, products)};
}

Prediction GaussianPosterior::Predict(const Tensor& target_x) const {
  const torch::NoGradGuard no_grad;
  const Tensor x = target_x.to(torch::kFloat64);
  const int64_t n = x.size(0), dy = outputs_.size(0);
  const double noise = parameters_.noise * parameters_.noise;
  Tensor mean = torch::zeros({n, dy}, torch::kFloat64);
  Tensor variance = PriorVariance(parameters_, x).unsqueeze(1) * outputs_.diagonal();
  for (int64_t i = 0; i < n && !parts_.empty(); i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    const Tensor covariance = GpCovariance(parameters_, points_, x.narrow(0, i, count));
    for (const Part& part : parts_) {
      Tensor whitened = SolveLower(part.factor, covariance * part.scale);
      Tensor known = whitened.square().sum(0);  // variance that the context explains
      if (part.explained.defined()) {
        whitened = SolveLower(part.explained, whitened);
        known -= whitened.square().sum(0);
      }
      mean.narrow(0, i, count).narrow(1, part.first, part.weights.size(1)).copy_(whitened.t().matmul(part.weights));
      const Tensor shares = rotation_.defined() ? rotation_.select(1, part.first).square() : outputs_.diagonal();
      variance.narrow(0, i, count).sub_(known.unsqueeze(1) * shares);
    }
  }
  if (rotation_.defined()) mean = mean.matmul(rotation_.t());
  return {mean.view({1, 1, n, dy}), (variance.clamp_min(0) + noise).sqrt().view({1, 1, n, dy})};
}

}  // namespace haplospin
