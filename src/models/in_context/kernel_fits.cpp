#include "models/in_context/kernel_fits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "haplospin/errors.h"
#include "models/in_context/number_bins.h"

namespace haplospin {
namespace {

using torch::Tensor;

enum Kernel { kLinear, kSmooth, kRough, kAdditive, kLearned, kRidge, kTrend, kKernels };
struct Fit {
  Kernel kernel;
  double noise;  // variance, relative to the kernel's; of kLearned, to that which was learned with it
};
constexpr std::array<Fit, kFits> kAllFits = {{{kLinear, 0.02},
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

constexpr double kMaxStandardized = 4;                                            // of a standardized number
constexpr double kSmoothLength = 1.0, kRoughLength = 0.5, kAdditiveLength = 0.7;  // of a distance of 1.4 on average
constexpr double kTrendVariance = 10;   // of the trend of kTrend, relative to what is smooth in it
constexpr double kSharpness = 16;       // of the shares: errors that are 5 % larger halve them
constexpr double kMinDeviation = 0.05;  // about a bin's width
constexpr double kDegrees = 4;          // of freedom of Student's t, for labels far from what is predicted
constexpr double kMinRelevance = 0.05;
constexpr int64_t kMaxScaleRows = 400, kMaxDistances = 20'000'000;  // from which the scales are learned

// [n, outputs]: numbers, or 0 and 1 for each class.
Tensor AsTargets(const Tensor& labels, int64_t classes) {
  if (classes == 0) return labels.to(torch::kFloat32).unsqueeze(1);
  return torch::one_hot(labels.to(torch::kInt64), classes).to(torch::kFloat32);
}

FitRows RowsAt(const FitRows& rows, const Tensor& index) {
  return {rows.standardized.index_select(0, index), rows.numbers.index_select(0, index),
          rows.codes.index_select(0, index)};
}

bool HasMissing(const Tensor& codes) { return (codes < 0).any().item<bool>(); }

Tensor Probabilities(const Tensor& mean, double floor, double sharpness) {
  const Tensor raised = mean.clamp_min(floor).pow(sharpness);
  return raised / raised.sum(1, true);
}

// The share of the targets' variance that the forms of a number explain, the better of both.
double ShareOfNumber(const Tensor& forms, const Tensor& targets) {
  const Tensor x = forms - forms.mean(0);
  const Tensor products = x.t().matmul(targets).square();
  const Tensor scale = x.square().sum(0).unsqueeze(1) * targets.square().sum(0);
  return (products / scale.clamp_min(1e-12)).max().item<double>();
}

// The same of categories, by the means of each.
double ShareOfCategories(const Tensor& codes, const Tensor& targets) {
  const Tensor index = codes.to(torch::kInt64) + 1;
  const int64_t categories = index.max().item<int64_t>() + 1;
  const Tensor sums = torch::zeros({categories, targets.size(1)}).index_add_(0, index, targets);
  const Tensor counts = index.bincount({}, categories).clamp_min(1).unsqueeze(1);
  return ((sums.square() / counts).sum(0) / targets.square().sum(0).clamp_min(1e-12)).max().item<double>();
}

// How much each column says about the targets by itself, less what chance gives; 1 on average.
Tensor Relevance(const FitRows& rows, const Attributes& columns, const Tensor& targets) {
  const auto n = static_cast<double>(targets.size(0));
  Tensor relevance = torch::empty({rows.codes.size(1)});
  for (int64_t j = 0; j < relevance.size(0); ++j) {
    const int64_t classes = columns[static_cast<size_t>(j)].classes;
    const double share = classes > 0 ? ShareOfCategories(rows.codes.select(1, j), targets)
                                     : ShareOfNumber(rows.numbers.select(1, j), targets);
    const double chance = (classes > 0 ? std::min(static_cast<double>(classes), n) : 2.0) / n;
    relevance[j] = kMinRelevance + std::sqrt(std::max(0.0, share - chance));
  }
  return relevance / relevance.mean();
}

}  // namespace

FitRows MakeFitRows(const Tensor& cells, const Tensor& values, const Tensor& missing) {
  const Tensor is_category = cells.select(2, kIsCategoryInput) > 0;
  const Tensor forms =
      cells.narrow(2, kRankInput - 1, 2).clamp(-kMaxStandardized, kMaxStandardized) * torch::tensor({0.9f, 1.2f});
  return {cells.select(2, kStandardizedInput).clamp(-kMaxStandardized, kMaxStandardized).masked_fill(is_category, 0.0),
          forms.masked_fill(is_category.unsqueeze(2), 0.0),
          (values * is_category.to(torch::kFloat32)).masked_fill(missing, -1.0)};
}

KernelFits::KernelFits(const FitRows& context, const Attributes& columns, const Tensor& labels, int64_t classes)
    : classes_(classes), columns_(columns), context_(context) {
  const int64_t n = context.codes.size(0);
  HS_ASSERT(n == labels.size(0) && n > 0 && classes <= kMaxClasses && context.codes.size(1) == std::ssize(columns));
  used_ = torch::arange(0, n, (n + kMaxFitRows - 1) / kMaxFitRows);
  fitted_ = RowsAt(context, used_);
  const Tensor targets = AsTargets(labels.index_select(0, used_), classes);
  mean_ = targets.mean(0);
  relevance_ = Relevance(fitted_, columns, targets - mean_);
  FitScales(targets - mean_);
  const std::vector<Tensor> kernels = Kernels(fitted_);
  std::vector<Tensor> left_out, errors;
  for (const Fit& fit : kAllFits) {
    const double noise = fit.kernel == kLearned ? fit.noise * scales_.noise : fit.noise;
    const Tensor inverse = RegularizedInverse(kernels[fit.kernel], noise);
    weights_.push_back(inverse.matmul((targets - mean_).to(inverse.scalar_type())));
    left_out.push_back(targets - (weights_.back() / inverse.diagonal().unsqueeze(1)).to(torch::kFloat32));
    errors.push_back((left_out.back() - targets).square().mean());
  }
  left_out_ = torch::stack(left_out, 1);
  errors_ = torch::stack(errors).clamp_min(1e-6);
  shares_ = (errors_.min() / errors_).pow(kSharpness);
  shares_ = shares_ / shares_.sum();
  Calibrate((left_out_ * shares_.unsqueeze(1)).sum(1), targets);
}

// What makes the rows that were left out most likely.
void KernelFits::Calibrate(const Tensor& combined, const Tensor& targets) {
  if (classes_ == 0) {
    deviation_ = std::max(kMinDeviation, (combined - targets).square().mean().sqrt().item<double>());
    return;
  }
  double best = std::numeric_limits<double>::infinity();
  for (const double sharpness : {0.6, 0.8, 1.0, 1.25, 1.6, 2.0, 2.5}) {
    for (const double floor : {0.002, 0.005, 0.01, 0.03}) {
      const Tensor right = (Probabilities(combined, floor, sharpness) * targets).sum(1);
      const double loss = -right.log().mean().item<double>();
      if (loss >= best) continue;
      best = loss;
      floor_ = floor;
      sharpness_ = sharpness;
    }
  }
}

// Along a column: 2 on average, for numbers and for categories.
Tensor KernelFits::SquaredDistances(const FitRows& rows, const FitRows& others, int64_t column) const {
  const Tensor codes = rows.codes.select(1, column).unsqueeze(1), other_codes = others.codes.select(1, column);
  if (columns_[static_cast<size_t>(column)].classes > 0) return (codes != other_codes).to(torch::kFloat32) * 2;
  const Tensor left = rows.numbers.select(1, column), right = others.numbers.select(1, column);
  const Tensor squares = left.square().sum(1, true) + right.square().sum(1);
  const Tensor distances = squares.addmm(left, right.t(), 1, -2).clamp_min_(0.0);
  return HasMissing(codes) || HasMissing(other_codes) ? distances + (codes != other_codes) : distances;
}

// Of the vectors between which these are the distances.
Tensor KernelFits::Products(const FitRows& rows, int64_t column) const {
  const Tensor same = SameCodes(rows, column);
  if (columns_[static_cast<size_t>(column)].classes > 0) return same.to(torch::kFloat32);
  const Tensor products = rows.numbers.select(1, column).matmul(fitted_.numbers.select(1, column).t());
  return same.defined() ? products + same : products;
}

// [n, rows]: whether two rows have the same category, or, of a number, are both missing; undefined if no number is.
Tensor KernelFits::SameCodes(const FitRows& rows, int64_t column) const {
  const Tensor codes = rows.codes.select(1, column).unsqueeze(1), others = fitted_.codes.select(1, column);
  if (columns_[static_cast<size_t>(column)].classes > 0) return codes == others;
  return HasMissing(codes) && HasMissing(others) ? (codes == others).logical_and(codes < 0) : Tensor();
}

void KernelFits::FitScales(const Tensor& targets) {
  const int64_t n = targets.size(0), d = std::ssize(columns_);
  const auto affordable = static_cast<int64_t>(std::sqrt(static_cast<double>(kMaxDistances) / static_cast<double>(d)));
  const int64_t max_rows = std::clamp<int64_t>(affordable, 1, kMaxScaleRows);
  const Tensor index = torch::arange(0, n, (n + max_rows - 1) / max_rows);
  const FitRows some = RowsAt(fitted_, index);
  std::vector<Tensor> distances;
  for (int64_t j = 0; j < d; ++j) distances.push_back(SquaredDistances(some, some, j).sqrt());
  scales_ = FitColumnScales(torch::stack(distances), targets.index_select(0, index),
                            relevance_ / (kRoughLength * static_cast<double>(d)));
}

// Each [n, rows]: 1 for two equal rows; of kLinear and kRidge, about that on average. kRidge and kTrend are double.
std::vector<Tensor> KernelFits::Kernels(const FitRows& rows) const {
  const int64_t d = std::ssize(columns_);
  Tensor squares = torch::zeros({rows.codes.size(0), fitted_.codes.size(0)}), distance = torch::zeros_like(squares),
         additive = torch::zeros_like(squares), scaled = torch::zeros_like(squares),
         linear = torch::zeros_like(squares);
  for (int64_t j = 0; j < d; ++j) {
    const auto relevance = relevance_[j].item<float>();
    const Tensor square = SquaredDistances(rows, fitted_, j), own = square.sqrt();
    squares.add_(square, relevance);
    distance.add_(own, relevance);
    scaled.add_(own, scales_.scales[j].item<float>());
    linear.add_(Products(rows, j), relevance);
    additive.add_((own * (-1 / kAdditiveLength)).exp_(), relevance);
  }
  const auto columns = static_cast<double>(d);
  std::vector<Tensor> kernels(kKernels);
  kernels[kLinear] = linear / columns;
  kernels[kSmooth] = (squares / (-2 * kSmoothLength * kSmoothLength * columns)).exp();
  kernels[kRough] = (distance / (-kRoughLength * columns)).exp();
  kernels[kAdditive] = additive / columns;
  kernels[kLearned] = scaled.neg().exp();
  kernels[kRidge] = RidgeKernel(rows);
  kernels[kTrend] = kTrendVariance * kernels[kRidge] + kernels[kSmooth];
  return kernels;
}

// Of the standardized numbers and of indicators of the categories and of missing values, all columns alike: a ridge
// regression. With double precision, because its noise is small in comparison with its largest eigenvalues.
Tensor KernelFits::RidgeKernel(const FitRows& rows) const {
  const Tensor left = rows.standardized.to(torch::kFloat64), right = fitted_.standardized.to(torch::kFloat64);
  Tensor kernel = left.matmul(right.t());
  for (int64_t j = 0; j < std::ssize(columns_); ++j) {
    const Tensor same = SameCodes(rows, j);
    if (same.defined()) kernel += same;
  }
  return kernel / static_cast<double>(std::ssize(columns_));
}

// [n, kFits, outputs]; in blocks of rows, because the kernels are large.
Tensor KernelFits::PredictEach(const FitRows& rows) const {
  const int64_t n = rows.codes.size(0);
  std::vector<Tensor> blocks;
  for (int64_t first = 0; first < n; first += kMaxFitRows) {
    const std::vector<Tensor> kernels = Kernels(rows.Part(first, std::min(kMaxFitRows, n - first)));
    std::vector<Tensor> predicted;
    for (size_t f = 0; f < weights_.size(); ++f) {
      predicted.push_back(kernels[kAllFits[f].kernel].matmul(weights_[f]).to(torch::kFloat32) + mean_);
    }
    blocks.push_back(torch::stack(predicted, 1));
  }
  return torch::cat(blocks);
}

FitPredictions KernelFits::LeftOut() const {
  Tensor each =
      used_.size(0) == context_.codes.size(0) ? left_out_ : PredictEach(context_).index_copy(0, used_, left_out_);
  return Combine(each);
}

FitPredictions KernelFits::Predict(const FitRows& rows) const { return Combine(PredictEach(rows)); }

// each [n, kFits, outputs]
FitPredictions KernelFits::Combine(const Tensor& each) const {
  const int64_t n = each.size(0), outputs = each.size(2);
  FitPredictions result{torch::zeros({n, kFitInputs}), torch::zeros({n, kMaxClasses + kNumberBins})};
  result.inputs.narrow(1, 0, kFits * kMaxClasses)
      .view({n, kFits, kMaxClasses})
      .narrow(2, 0, outputs)
      .copy_(each.clamp(-6.0, 6.0));
  result.inputs.narrow(1, kFits * kMaxClasses, kFits).copy_(errors_.log() / 4);
  const Tensor mean = (each * shares_.unsqueeze(1)).sum(1);
  if (classes_ > 0) {
    result.logits.narrow(1, 0, classes_).copy_(Probabilities(mean, floor_, sharpness_).log());
    return result;
  }
  const Tensor far = ((BinCenters() - mean) / deviation_).square();
  result.logits.narrow(1, kMaxClasses, kNumberBins)
      .copy_(BinWidths().log() - (kDegrees + 1) / 2 * (1 + far / kDegrees).log());
  return result;
}

Tensor KnownLabels(const Tensor& labels, int64_t classes, const KernelFits& fits) {
  return torch::cat({LabelInputs(labels, classes), fits.LeftOut().inputs}, 1);
}

Tensor UnknownLabels(int64_t classes, const FitPredictions& predicted) {
  return torch::cat({UnknownLabelInputs(classes).expand({predicted.inputs.size(0), -1}), predicted.inputs}, 1);
}

}  // namespace haplospin
