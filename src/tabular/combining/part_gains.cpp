#include "tabular/combining/part_gains.h"

#include <limits>

namespace haplospin {
namespace {

using torch::Tensor;

constexpr int64_t kGainSteps = 5;   // of the search
constexpr double kMinGain = 0.002;  // of the loss: a smaller one is not worth another part
constexpr double kMinCombinedProbability = 0.002;

// Without negative probabilities, which the neighbors may make.
Tensor Probabilities(const Tensor& sum, int64_t classes) {
  Tensor part = sum.narrow(1, 0, classes).clamp_min(kMinCombinedProbability);
  part = part / part.sum(1, /*keepdim=*/true);
  return classes == sum.size(1)
             ? part
             : torch::cat({part, torch::zeros_like(sum.narrow(1, classes, sum.size(1) - classes))}, 1);
}

// The parts of one attribute, [n, c].
struct AttributeParts {
  Tensor linear, trees, linear_trees, smoothed, gaussian_processes, network;
  int64_t classes = 0;

  AttributeParts(const PartPredictions& parts, int64_t j, const Attributes& attributes)
      : linear(parts.linear.select(1, j)),
        trees(parts.trees.select(1, j)),
        linear_trees(parts.linear_trees.select(1, j)),
        smoothed(parts.smoothed.select(1, j)),
        gaussian_processes(parts.gaussian_processes.defined() ? parts.gaussian_processes.select(1, j) : Tensor()),
        network(parts.network.defined() ? parts.network.select(1, j) : Tensor()),
        classes(attributes[static_cast<size_t>(j)].classes) {}

  Tensor Fit(double of_trees, double of_linear_trees, double of_smoothed) const {
    const Tensor sum =
        linear + of_trees * (trees - linear) + of_linear_trees * (linear_trees - linear) + of_smoothed * smoothed;
    return classes == 0 || of_smoothed == 0 ? sum : Probabilities(sum, classes);
  }

  Tensor Fit(const PartGains& gains, int64_t j) const {
    return Fit(gains.trees[j].item<double>(), gains.linear_trees[j].item<double>(), gains.smoothed[j].item<double>());
  }

  Tensor WithGaussianProcesses(const PartGains& gains, int64_t j) const;
};

// `gain` of another part in the place of `fit`.
Tensor Mixed(const Tensor& fit, const Tensor& other, double gain) {
  return gain == 0 ? fit : fit + gain * (other - fit);
}

Tensor AttributeParts::WithGaussianProcesses(const PartGains& gains, int64_t j) const {
  return Mixed(Fit(gains, j), gaussian_processes, gains.gaussian_processes[j].item<double>());
}

double AttributeLoss(const Tensor& predicted, const Tensor& truth, int64_t classes) {
  if (classes == 0) return (predicted.select(1, 0) - truth).square().mean().item<double>();
  const Tensor right = predicted.gather(1, truth.to(torch::kInt64).unsqueeze(1));
  return -right.clamp_min(1e-12).log().mean().item<double>();
}

double GainAt(int64_t step) { return static_cast<double>(step) / kGainSteps; }

// That of another part in the place of `fit` with the least error.
double BestGain(const Tensor& fit, const Tensor& other, const Tensor& truth, int64_t classes) {
  double best = 0, best_loss = std::numeric_limits<double>::infinity();
  for (int64_t s = 0; s <= kGainSteps; ++s) {
    const double loss = AttributeLoss(Mixed(fit, other, GainAt(s)), truth, classes);
    if (loss >= (1 - kMinGain) * best_loss) continue;
    best_loss = loss;
    best = GainAt(s);
  }
  return best;
}

}  // namespace

PartPredictions Join(const std::vector<PartPredictions>& parts) {
  const auto join = [&](Tensor PartPredictions::*field) {
    std::vector<Tensor> tensors;
    for (const PartPredictions& part : parts) {
      if ((part.*field).defined()) tensors.push_back(part.*field);
    }
    return tensors.size() < parts.size() ? Tensor() : torch::cat(tensors);
  };
  return {join(&PartPredictions::linear),
          join(&PartPredictions::trees),
          join(&PartPredictions::linear_trees),
          join(&PartPredictions::smoothed),
          join(&PartPredictions::gaussian_processes),
          join(&PartPredictions::network)};
}

PartGains::PartGains(int64_t attributes)
    : trees(torch::zeros({attributes})),
      linear_trees(torch::zeros({attributes})),
      smoothed(torch::zeros({attributes})),
      gaussian_processes(torch::zeros({attributes})),
      network(torch::zeros({attributes})) {}

std::vector<std::pair<std::string, double>> PartGains::Of(int64_t attribute) const {
  const auto at = [&](const Tensor& gains) { return gains[attribute].item<double>(); };
  return {{"trees", at(trees)},
          {"trees on the linear fit", at(linear_trees)},
          {"nearest rows", at(smoothed)},
          {"Gaussian processes", at(gaussian_processes)},
          {"networks", at(network)}};
}

void PartGains::SetFrom(const Tensor& stacked) {
  trees = stacked[0];
  linear_trees = stacked[1];
  smoothed = stacked[2];
  gaussian_processes = stacked[3];
  network = stacked[4];
}

// A search on a grid, from the linear fit alone to everything; more is taken only for a gain that is worth it.
void ChooseFitGains(PartGains& gains, const PartPredictions& parts, const EncodedTable& rows,
                    const Attributes& attributes, const Tensor& is_target) {
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    if (!is_target[j].item<bool>()) continue;
    const AttributeParts own(parts, j, attributes);
    double best_loss = std::numeric_limits<double>::infinity();
    for (int64_t a = 0; a <= kGainSteps; ++a) {
      for (int64_t b = 0; a + b <= kGainSteps; ++b) {
        for (int64_t c = 0; c <= kGainSteps; ++c) {
          const Tensor predicted = own.Fit(GainAt(a), GainAt(b), GainAt(c));
          const double loss = AttributeLoss(predicted, rows.values.select(1, j), own.classes);
          if (loss >= (1 - kMinGain) * best_loss) continue;
          best_loss = loss;
          gains.trees[j] = GainAt(a);
          gains.linear_trees[j] = GainAt(b);
          gains.smoothed[j] = GainAt(c);
        }
      }
    }
  }
}

void ChooseGaussianProcessesGains(PartGains& gains, const Tensor& fit, const Tensor& gaussian_processes,
                                  const EncodedTable& rows, const Attributes& attributes, const Tensor& is_target) {
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    if (!is_target[j].item<bool>()) continue;
    gains.gaussian_processes[j] = BestGain(fit.select(1, j), gaussian_processes.select(1, j), rows.values.select(1, j),
                                           attributes[static_cast<size_t>(j)].classes);
  }
}

void ChooseNetworkGains(PartGains& gains, const PartPredictions& parts, const EncodedTable& rows,
                        const Attributes& attributes, const Tensor& is_target) {
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    if (!is_target[j].item<bool>()) continue;
    const AttributeParts own(parts, j, attributes);
    gains.network[j] =
        BestGain(own.WithGaussianProcesses(gains, j), own.network, rows.values.select(1, j), own.classes);
  }
}

Tensor Combine(const PartPredictions& parts, const PartGains& gains, const Attributes& attributes) {
  std::vector<Tensor> columns;
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    const AttributeParts own(parts, j, attributes);
    columns.push_back(Mixed(own.WithGaussianProcesses(gains, j), own.network, gains.network[j].item<double>()));
  }
  return torch::stack(columns, 1);
}

double CombinedLoss(const Tensor& predictions, const EncodedTable& rows, const Attributes& attributes,
                    const Tensor& is_target) {
  double loss = 0.0;
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    if (!is_target[j].item<bool>()) continue;
    loss +=
        AttributeLoss(predictions.select(1, j), rows.values.select(1, j), attributes[static_cast<size_t>(j)].classes);
  }
  return loss;
}

}  // namespace haplospin
