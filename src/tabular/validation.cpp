#include "tabular/validation.h"

#include <algorithm>
#include <limits>

namespace haplospin {
namespace {

using torch::Tensor;

constexpr int64_t kGainSteps = 5;     // of the search
constexpr double kLeastGain = 0.002;  // of the loss: a smaller one is not worth another part
constexpr double kLeastProbability = 0.002;
constexpr int64_t kMinErrors = 20;    // with fewer, the same deviation is expected in all rows
constexpr double kLeastError = 1e-3;  // of the typical error: where an error happens to be 0

// Without negative probabilities, which the neighbors may make.
Tensor Probabilities(const Tensor& sum, int64_t classes) {
  Tensor part = sum.narrow(1, 0, classes).clamp_min(kLeastProbability);
  part = part / part.sum(1, /*keepdim=*/true);
  return classes == sum.size(1)
             ? part
             : torch::cat({part, torch::zeros_like(sum.narrow(1, classes, sum.size(1) - classes))}, 1);
}

Tensor CombineOne(const Tensor& linear, const Tensor& network, const Tensor& smoothed, double of_network,
                  double of_neighbors, int64_t classes) {
  const Tensor sum = linear + of_network * (network - linear) + of_neighbors * smoothed;
  return classes == 0 || of_neighbors == 0 ? sum : Probabilities(sum, classes);
}

double CombinedLoss(const Tensor& predicted, const Tensor& truth, int64_t classes) {
  if (classes == 0) return (predicted.select(1, 0) - truth).square().mean().item<double>();
  const Tensor right = predicted.gather(1, truth.to(torch::kInt64).unsqueeze(1));
  return -right.clamp_min(1e-12).log().mean().item<double>();
}

}  // namespace

ValidationPredictions Join(const std::vector<ValidationPredictions>& parts) {
  const auto join = [&](auto field) {
    std::vector<Tensor> tensors;
    for (const ValidationPredictions& part : parts) tensors.push_back(field(part));
    return torch::cat(tensors);
  };
  using Part = const ValidationPredictions&;
  return {{join([](Part part) { return part.rows.values; }), join([](Part part) { return part.rows.missing; })},
          join([](Part part) { return part.network; }),
          join([](Part part) { return part.linear; }),
          join([](Part part) { return part.neighbors; }),
          join([](Part part) { return part.constant; }),
          join([](Part part) { return part.smoothed; })};
}

// A search on a grid, from the linear fit alone to everything; more is taken only for a gain that is worth it.
Tensor BestGains(const ValidationPredictions& validation, const Attributes& attributes, const Tensor& is_target) {
  Tensor gains = torch::zeros({std::ssize(attributes), 2});
  gains.select(1, 0).fill_(1);
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    if (!is_target[j].item<bool>()) continue;
    const int64_t classes = attributes[static_cast<size_t>(j)].classes;
    const auto part = [&](const Tensor& all) { return all.select(1, j); };
    double least = std::numeric_limits<double>::infinity();
    for (int64_t a = 0; a <= kGainSteps; ++a) {
      for (int64_t b = 0; b <= kGainSteps; ++b) {
        const double of_network = static_cast<double>(a) / kGainSteps,
                     of_neighbors = static_cast<double>(b) / kGainSteps;
        const double loss = CombinedLoss(CombineOne(part(validation.linear), part(validation.network),
                                                    part(validation.smoothed), of_network, of_neighbors, classes),
                                         validation.rows.values.select(1, j), classes);
        if (loss >= (1 - kLeastGain) * least) continue;
        least = loss;
        gains[j][0] = of_network;
        gains[j][1] = of_neighbors;
      }
    }
  }
  return gains;
}

Tensor Combine(const Tensor& linear, const Tensor& network, const Tensor& smoothed, const Tensor& gains,
               const Attributes& attributes) {
  std::vector<Tensor> columns;
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    columns.push_back(CombineOne(linear.select(1, j), network.select(1, j), smoothed.select(1, j),
                                 gains[j][0].item<double>(), gains[j][1].item<double>(),
                                 attributes[static_cast<size_t>(j)].classes));
  }
  return torch::stack(columns, 1);
}

ErrorModel::ErrorModel(const Attributes& attributes, const Tensor& is_target)
    : is_number_(NumericTargets(attributes, is_target)),
      logarithm_(register_module("logarithm", std::make_shared<LinearModel>(attributes, is_target))) {
  factor_ = register_buffer("factor", torch::ones({std::ssize(attributes)}));
  least_ = register_buffer("least", torch::zeros({std::ssize(attributes)}));
  most_ = register_buffer("most", torch::zeros({std::ssize(attributes)}));
}

void ErrorModel::Fit(const EncodedTable& rows, const Tensor& predictions) {
  const torch::NoGradGuard no_grad;
  if (!is_number_.any().item<bool>()) return;
  const Tensor errors = (predictions.select(2, 0) - rows.values).abs();
  const Tensor typical = errors.square().mean(0).sqrt();
  const Tensor logarithms = torch::maximum(errors, typical * kLeastError + 1e-12).log();
  const Tensor is_number = is_number_.to(errors.device());
  if (rows.rows() >= kMinErrors) logarithm_->Fit({torch::where(is_number, logarithms, rows.values), rows.missing});
  const Tensor fitted = logarithm_->forward(rows.Masked()).select(2, 0);
  least_.copy_(std::get<0>(fitted.min(0)));
  most_.copy_(std::get<0>(fitted.max(0)));
  factor_.copy_(torch::where(is_number, (errors / fitted.exp()).square().mean(0).sqrt().clamp_min(1e-6),
                             torch::ones_like(typical)));
}

Tensor ErrorModel::Deviations(const MaskedTable& rows) {
  const Tensor fitted = logarithm_->forward(rows).select(2, 0);
  const Tensor deviation = torch::minimum(torch::maximum(fitted, least_), most_).exp() * factor_;
  return torch::where(is_number_.to(deviation.device()), deviation, torch::ones_like(deviation));
}

}  // namespace haplospin
