#include "learning/tabular/kernel_fits.h"

#include <ATen/ops/cholesky_inverse.h>
#include <ATen/ops/linalg_cholesky_ex.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

using torch::Tensor;

// Factors of the two forms that give both a similar spread.
constexpr float kAsinhFactor = 0.9f, kRankFactor = 1.2f;
constexpr float kMaxAsinh = 4;

// -1 below all, 1 above all; equal numbers have the rank of their middle.
float Rank(const std::vector<float>& sorted, float x) {
  if (sorted.empty()) return 0;
  const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), x);
  const auto below = static_cast<float>((low - sorted.begin()) + (high - sorted.begin()));
  return below / static_cast<float>(sorted.size()) - 1;
}

constexpr float kMaxTailRatio = 10;

// How far from the middle a number of a new row may be that follows the known ones: as far as the farthest of n * n
// rows would be if the tail were that of a power law, which the n known rows show at 1 / sqrt(n) and at 1 / n. A number
// beyond, such as a -999 that stands for a missing value, is none that a linear relation holds for.
float TailEnd(float near, float far) {
  const float ratio = near * kMaxTailRatio > far ? far / near : kMaxTailRatio;
  return far * ratio * ratio;
}

constexpr int kSteps = 15;
constexpr double kStep = 0.3;                             // largest change of a logarithm in a step
constexpr double kMomentum = 0.8, kSquareMomentum = 0.9;  // Adam (Kingma and Ba, 2015)
constexpr double kPrior = 1.5;                            // inverse variance of the logarithm of a scale
constexpr double kStartNoise = 0.1, kMinNoise = 0.003, kMaxNoise = 2;

// Returns the inverse of kernel [n, n] + noise I, with more noise if rounding makes the kernel not positive definite.
Tensor RegularizedInverse(const Tensor& kernel, double noise) {
  for (;; noise *= 4) {
    const auto [factor, info] =
        torch::linalg_cholesky_ex(kernel + noise * torch::eye(kernel.size(0), kernel.options()));
    if (info.item<int>() == 0) return torch::cholesky_inverse(factor);
    HS_ASSERT(noise < 1e6);  // larger: the kernel is not finite
  }
}

class MarginalLikelihood {
 public:
  MarginalLikelihood(const Tensor& distances, const Tensor& targets)
      : targets_(targets), distances_(distances.flatten(1)) {}

  // The gradient with respect to the logarithms of the scales and, last, of the noise; [d + 1]. The kernel's variance
  // is the most likely one.
  Tensor Gradient(const Tensor& scales, double noise) const {
    const int64_t n = targets_.size(0);
    const Tensor kernel = scales.matmul(distances_).neg().exp();
    const Tensor inverse = RegularizedInverse(kernel.view({n, n}), noise);
    const Tensor weights = inverse.matmul(targets_);
    const Tensor variance = (targets_ * weights).mean().clamp_min(1e-9);
    const auto outputs = static_cast<double>(targets_.size(1));
    const Tensor change = weights.matmul(weights.t()) / (variance * outputs) - inverse;
    const Tensor scale_gradient = -0.5 * scales * distances_.matmul(change.flatten() * kernel);
    return torch::cat({scale_gradient, 0.5 * noise * change.trace().view({1})});
  }

 private:
  Tensor targets_, distances_;  // [n, outputs], [d, n n]
};

// Learns from the labels how much each column counts: fits the kernel exp(-sum_j scales_j |x_j - x'_j|) by some steps
// up the gradient of the marginal likelihood (Rasmussen and Williams, 2006, eq. 5.9). The steps begin at the scales
// `start`, and a prior holds columns of which the labels say little near them. distances [d, n, n] between the rows
// along each column; targets [n, outputs] of mean 0.
ColumnScales FitColumnScales(const Tensor& distances, const Tensor& targets, const Tensor& start) {
  const int64_t d = distances.size(0);
  const MarginalLikelihood likelihood(distances, targets);
  const Tensor first = torch::cat({start.log(), torch::full({1}, std::log(kStartNoise))});
  const Tensor held = torch::cat({torch::full({d}, kPrior), torch::zeros({1})});
  const Tensor low = torch::cat({start.log() - 5, torch::full({1}, std::log(kMinNoise))});
  const Tensor high = torch::cat({start.log() + 4, torch::full({1}, std::log(kMaxNoise))});
  Tensor at = first, mean = torch::zeros_like(first), square = torch::zeros_like(first);
  for (int step = 1; step <= kSteps; ++step) {
    const Tensor gradient =
        likelihood.Gradient(at.narrow(0, 0, d).exp(), std::exp(at[d].item<double>())) - held * (at - first);
    mean = kMomentum * mean + (1 - kMomentum) * gradient;
    square = kSquareMomentum * square + (1 - kSquareMomentum) * gradient.square();
    const Tensor direction =
        (mean / (1 - std::pow(kMomentum, step))) / ((square / (1 - std::pow(kSquareMomentum, step))).sqrt() + 1e-3);
    at = torch::minimum(torch::maximum(at + kStep * direction, low), high);
  }
  return {at.narrow(0, 0, d).exp(), std::exp(at[d].item<double>())};
}

enum Kernel { kLinear, kSmooth, kRough, kAdditive, kLearned, kRidge, kTrend, kKernels };
struct Regression {
  Kernel kernel;
  double noise;  // variance relative to the kernel's; for kLearned, relative to the learned noise
};
constexpr std::array<Regression, 16> kAllFits = {{{kLinear, 0.02},
                                                  {kLinear, 0.5},
                                                  {kSmooth, 0.002},
                                                  {kSmooth, 0.02},
                                                  {kSmooth, 0.3},
                                                  {kRough, 0.02},
                                                  {kRough, 0.2},
                                                  {kAdditive, 0.01},
                                                  {kAdditive, 0.1},
                                                  {kLearned, 0.5},
                                                  {kLearned, 1},
                                                  {kLearned, 2},
                                                  {kRidge, 1e-4},
                                                  {kRidge, 0.01},
                                                  {kTrend, 0.002},
                                                  {kTrend, 0.05}}};

// Relative to the mean distance along a column, which is about 1.4.
constexpr double kSmoothLength = 1.0, kRoughLength = 0.5, kAdditiveLength = 0.7;
constexpr double kTrendVariance = 10;  // variance of the linear part of kTrend; its smooth part has 1
constexpr double kSharpness = 16;      // exponent of the shares: a 5 % larger error halves them
constexpr double kMinRelevance = 0.05;
constexpr double kMinShare = 0.01;  // a regression with a smaller share is not fitted to more rows
constexpr int64_t kMaxComparedRows = 1024, kMaxFitRows = 2048;
constexpr int64_t kPredictedAtOnce = 1024;                          // rows
constexpr int64_t kMaxScaleRows = 400, kMaxDistances = 20'000'000;  // limits of the rows that scales are learned from

bool HasMissing(const Tensor& codes) { return (codes < 0).any().item<bool>(); }

// The share of the targets' variance that the better of a number's two forms explains.
double NumberShare(const Tensor& forms, const Tensor& targets) {
  const Tensor x = forms - forms.mean(0);
  const Tensor products = x.t().matmul(targets).square();
  const Tensor scale = x.square().sum(0).unsqueeze(1) * targets.square().sum(0);
  return (products / scale.clamp_min(1e-12)).max().item<double>();
}

// The share of the targets' variance that the means of the categories explain.
double CategoryShare(const Tensor& codes, const Tensor& targets) {
  const Tensor index = codes.to(torch::kInt64) + 1;
  const int64_t categories = index.max().item<int64_t>() + 1;
  const Tensor sums = torch::zeros({categories, targets.size(1)}).index_add_(0, index, targets);
  const Tensor counts = index.bincount({}, categories).clamp_min(1).unsqueeze(1);
  return ((sums.square() / counts).sum(0) / targets.square().sum(0).clamp_min(1e-12)).max().item<double>();
}

// The share of the targets' variance that each column explains by itself, beyond chance; scaled to a mean of 1. [d]
Tensor Relevance(const KernelRows& rows, const Attributes& columns, const Tensor& targets) {
  const auto n = static_cast<double>(targets.size(0));
  Tensor relevance = torch::empty({rows.codes.size(1)});
  for (int64_t j = 0; j < relevance.size(0); ++j) {
    const int64_t classes = columns[static_cast<size_t>(j)].classes;
    const double share =
        classes > 0 ? CategoryShare(rows.codes.select(1, j), targets) : NumberShare(rows.forms.select(1, j), targets);
    const double chance = (classes > 0 ? std::min(static_cast<double>(classes), n) : 2.0) / n;
    relevance[j] = kMinRelevance + std::sqrt(std::max(0.0, share - chance));
  }
  return relevance / relevance.mean();
}

}  // namespace

KernelColumns::KernelColumns(const EncodedTable& known, const Attributes& columns)
    : columns_(columns), scales_(columns.size()) {
  HS_ASSERT(std::ssize(columns) == known.values.size(1));
  const auto values = known.values.accessor<float, 2>();
  const auto missing = known.missing.accessor<bool, 2>();
  for (size_t j = 0; j < columns.size(); ++j) {
    if (!columns[j].IsContinuous()) continue;
    Scale& scale = scales_[j];
    const auto column = static_cast<int64_t>(j);
    for (int64_t row = 0; row < known.rows(); ++row) {
      if (!missing[row][column]) scale.sorted.push_back(values[row][column]);
    }
    if (scale.sorted.empty()) continue;
    std::ranges::sort(scale.sorted);
    const auto n = static_cast<double>(scale.sorted.size());
    const size_t last = scale.sorted.size() - 1,
                 near = last - static_cast<size_t>(std::sqrt(static_cast<double>(last)));
    const float middle = scale.sorted[last / 2];
    scale.low = middle - TailEnd(middle - scale.sorted[last - near], middle - scale.sorted[0]);
    scale.high = middle + TailEnd(scale.sorted[near] - middle, scale.sorted[last] - middle);
    const double mean = std::accumulate(scale.sorted.begin(), scale.sorted.end(), 0.0) / n;
    double squares = 0;
    for (const float x : scale.sorted) squares += (x - mean) * (x - mean);
    scale.mean = static_cast<float>(mean);
    const auto deviation = static_cast<float>(std::sqrt(squares / n));
    if (deviation > 1e-6f * std::abs(scale.mean)) scale.deviation = deviation;
  }
}

KernelRows KernelColumns::Transform(const EncodedTable& given) const {
  const int64_t n = given.rows(), d = std::ssize(columns_);
  HS_ASSERT(given.values.size(1) == d);
  KernelRows rows{torch::zeros({n, d}), torch::zeros({n, d, 2}), torch::zeros({n, d})};
  const auto values = given.values.accessor<float, 2>();
  const auto missing = given.missing.accessor<bool, 2>();
  auto standardized = rows.standardized.accessor<float, 2>();
  auto forms = rows.forms.accessor<float, 3>();
  auto codes = rows.codes.accessor<float, 2>();
  for (int64_t row = 0; row < n; ++row) {
    for (int64_t j = 0; j < d; ++j) {
      const float value = values[row][j];
      if (missing[row][j]) {
        codes[row][j] = -1;
      } else if (columns_[static_cast<size_t>(j)].IsContinuous()) {
        const Scale& scale = scales_[static_cast<size_t>(j)];
        const float number = (value - scale.mean) / scale.deviation;
        standardized[row][j] = (std::clamp(value, scale.low, scale.high) - scale.mean) / scale.deviation;
        forms[row][j][0] = std::clamp(std::asinh(number), -kMaxAsinh, kMaxAsinh) * kAsinhFactor;
        forms[row][j][1] = Rank(scale.sorted, value) * kRankFactor;
      } else {
        codes[row][j] = value;
      }
    }
  }
  return rows;
}

KernelFits::KernelFits(const EncodedTable& known, const Attributes& columns, const Tensor& targets,
                       const Advance& advance)
    : attributes_(columns), columns_(known, columns), fits_(kAllFits.size()) {
  HS_ASSERT(known.rows() == targets.size(0) && known.rows() > 0);
  std::iota(fits_.begin(), fits_.end(), size_t{0});
  const KernelRows rows = columns_.Transform(known);
  Fit(rows, targets, kMaxComparedRows, advance);
  if (known.rows() <= kMaxComparedRows) return;
  KeepBestFits();
  Fit(rows, targets, kMaxFitRows, advance);
}

void KernelFits::Fit(const KernelRows& known, const Tensor& targets, int64_t max_rows, const Advance& advance) {
  const int64_t n = targets.size(0);
  index_ = torch::arange(0, n, (n + max_rows - 1) / max_rows);
  fitted_ = known.At(index_);
  const Tensor fitted_targets = targets.index_select(0, index_);
  mean_ = fitted_targets.mean(0);
  const Tensor centered = fitted_targets - mean_;
  relevance_ = Relevance(fitted_, attributes_, centered);
  FitScales(centered);
  const std::vector<Tensor> kernels = Kernels(fitted_);
  weights_.clear();
  std::vector<Tensor> left_out, errors;
  for (const size_t f : fits_) {
    const Regression& fit = kAllFits[f];
    const double noise = fit.kernel == kLearned ? fit.noise * scales_.noise : fit.noise;
    const Tensor inverse = RegularizedInverse(kernels[fit.kernel], noise);
    weights_.push_back(inverse.matmul(centered.to(inverse.scalar_type())));
    const Tensor error = (weights_.back() / inverse.diagonal().unsqueeze(1)).to(torch::kFloat32);
    left_out.push_back(fitted_targets - error);
    errors.push_back(error.square().mean());
    if (advance) advance();
  }
  const Tensor error = torch::stack(errors).clamp_min(1e-6);
  shares_ = (error.min() / error).pow(kSharpness);
  shares_ = (shares_ / shares_.sum()).unsqueeze(1);
  left_out_ = (torch::stack(left_out, 1) * shares_).sum(1);
}

void KernelFits::KeepBestFits() {
  std::vector<size_t> best;
  for (size_t i = 0; i < fits_.size(); ++i) {
    if (shares_[static_cast<int64_t>(i)].item<double>() >= kMinShare) best.push_back(fits_[i]);
  }
  fits_ = best;
}

// Squared distances along a column, whose mean is about 2 for numbers and for categories.
Tensor KernelFits::SquaredDistances(const KernelRows& rows, const KernelRows& others, int64_t column) const {
  const Tensor codes = rows.codes.select(1, column).unsqueeze(1), other_codes = others.codes.select(1, column);
  if (attributes_[static_cast<size_t>(column)].classes > 0) return (codes != other_codes).to(torch::kFloat32) * 2;
  const Tensor left = rows.forms.select(1, column), right = others.forms.select(1, column);
  const Tensor squares = left.square().sum(1, true) + right.square().sum(1);
  const Tensor distances = squares.addmm(left, right.t(), 1, -2).clamp_min_(0.0);
  return HasMissing(codes) || HasMissing(other_codes) ? distances + (codes != other_codes) : distances;
}

// Inner products of the vectors whose distances SquaredDistances() returns.
Tensor KernelFits::Products(const KernelRows& rows, int64_t column) const {
  const Tensor same = SameCodes(rows, column);
  if (attributes_[static_cast<size_t>(column)].classes > 0) return same.to(torch::kFloat32);
  const Tensor products = rows.forms.select(1, column).matmul(fitted_.forms.select(1, column).t());
  return same.defined() ? products + same : products;
}

// Returns whether two rows have the same category, [n, rows]. For a column of numbers: whether both are missing, or an
// undefined tensor if none is.
Tensor KernelFits::SameCodes(const KernelRows& rows, int64_t column) const {
  const Tensor codes = rows.codes.select(1, column).unsqueeze(1), others = fitted_.codes.select(1, column);
  if (attributes_[static_cast<size_t>(column)].classes > 0) return codes == others;
  return HasMissing(codes) && HasMissing(others) ? (codes == others).logical_and(codes < 0) : Tensor();
}

void KernelFits::FitScales(const Tensor& targets) {
  const int64_t n = targets.size(0), d = std::ssize(attributes_);
  const auto affordable = static_cast<int64_t>(std::sqrt(static_cast<double>(kMaxDistances) / static_cast<double>(d)));
  const int64_t max_rows = std::clamp<int64_t>(affordable, 1, kMaxScaleRows);
  const Tensor index = torch::arange(0, n, (n + max_rows - 1) / max_rows);
  const KernelRows some = fitted_.At(index);
  std::vector<Tensor> distances;
  for (int64_t j = 0; j < d; ++j) distances.push_back(SquaredDistances(some, some, j).sqrt());
  scales_ = FitColumnScales(torch::stack(distances), targets.index_select(0, index),
                            relevance_ / (kRoughLength * static_cast<double>(d)));
}

// Returns the kernels of the regressions that count, each [n, rows]; the others are undefined. Two equal rows have a
// kernel of 1, or of about 1 on average for kLinear, kRidge and kTrend's smooth part. The last two are double.
std::vector<Tensor> KernelFits::Kernels(const KernelRows& rows) const {
  std::array<bool, kKernels> needs{};
  for (const size_t f : fits_) needs[kAllFits[f].kernel] = true;
  needs[kSmooth] |= needs[kTrend];
  const auto columns = static_cast<double>(attributes_.size());
  std::vector<Tensor> kernels(kKernels);
  for (const Kernel kernel : {kLinear, kSmooth, kRough, kAdditive, kLearned}) {
    if (needs[kernel]) kernels[kernel] = torch::zeros({rows.codes.size(0), fitted_.codes.size(0)});
  }
  for (int64_t j = 0; j < std::ssize(attributes_); ++j) {
    const auto relevance = relevance_[j].item<float>();
    const Tensor square = SquaredDistances(rows, fitted_, j), distance = square.sqrt();
    if (needs[kLinear]) kernels[kLinear].add_(Products(rows, j), relevance);
    if (needs[kSmooth]) kernels[kSmooth].add_(square, relevance);
    if (needs[kRough]) kernels[kRough].add_(distance, relevance);
    if (needs[kLearned]) kernels[kLearned].add_(distance, scales_.scales[j].item<float>());
    if (needs[kAdditive]) kernels[kAdditive].add_((distance * (-1 / kAdditiveLength)).exp_(), relevance);
  }
  if (needs[kLinear]) kernels[kLinear].div_(columns);
  if (needs[kSmooth]) kernels[kSmooth].div_(-2 * kSmoothLength * kSmoothLength * columns).exp_();
  if (needs[kRough]) kernels[kRough].div_(-kRoughLength * columns).exp_();
  if (needs[kLearned]) kernels[kLearned].neg_().exp_();
  if (needs[kAdditive]) kernels[kAdditive].div_(columns);
  if (needs[kRidge] || needs[kTrend]) kernels[kRidge] = RidgeKernel(rows);
  if (needs[kTrend]) kernels[kTrend] = kTrendVariance * kernels[kRidge] + kernels[kSmooth];
  return kernels;
}

// The kernel of a ridge regression on standardized numbers and indicators of categories and of missing values. It needs
// double precision, because its noise is small in comparison with its largest eigenvalues.
Tensor KernelFits::RidgeKernel(const KernelRows& rows) const {
  Tensor kernel = rows.standardized.to(torch::kFloat64).matmul(fitted_.standardized.to(torch::kFloat64).t());
  for (int64_t j = 0; j < std::ssize(attributes_); ++j) {
    const Tensor same = SameCodes(rows, j);
    if (same.defined()) kernel += same;
  }
  return kernel / static_cast<double>(std::ssize(attributes_));
}

Tensor KernelFits::Predict(const EncodedTable& rows) const {
  std::vector<Tensor> blocks;
  for (int64_t first = 0; first < rows.rows(); first += kPredictedAtOnce) {
    const std::vector<Tensor> kernels = Kernels(columns_.Transform(rows.Part(first, kPredictedAtOnce)));
    std::vector<Tensor> predicted;
    for (size_t i = 0; i < fits_.size(); ++i) {
      predicted.push_back(kernels[kAllFits[fits_[i]].kernel].matmul(weights_[i]).to(torch::kFloat32) + mean_);
    }
    blocks.push_back((torch::stack(predicted, 1) * shares_).sum(1));
  }
  return torch::cat(blocks);
}

Tensor KernelFits::PredictKnown(const EncodedTable& known, const Tensor& rows) const {
  Tensor place = torch::full({known.rows()}, -1, torch::kInt64);  // place among the fitted rows, or -1
  place.index_copy_(0, index_, torch::arange(index_.size(0)));
  place = place.index_select(0, rows);
  const Tensor fitted = (place >= 0).nonzero().squeeze(1), others = (place < 0).nonzero().squeeze(1);
  Tensor predicted = torch::empty({rows.size(0), mean_.size(0)});
  predicted.index_copy_(0, fitted, left_out_.index_select(0, place.index_select(0, fitted)));
  if (others.size(0) > 0) predicted.index_copy_(0, others, Predict(known.Rows(rows.index_select(0, others))));
  return predicted;
}

}  // namespace haplospin
