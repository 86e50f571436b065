#include "learning/tabular/part_gains.h"

#include <limits>

namespace haplospin {
namespace {

using torch::Tensor;

constexpr int64_t kGainSteps = 5;   // steps of the search from 0 to 1
constexpr double kMinGain = 0.002;  // relative decrease of the loss that a larger share is worth
constexpr std::array<const char*, kModelParts> kPartNames = {"trees", "Gaussian processes", "networks"};

Tensor Mixed(const Tensor& before, const Tensor& part, double gain) { return before + gain * (part - before); }

// Mean squared error, or negative log-likelihood of classes.
double AttributeLoss(const Tensor& predicted, const Tensor& truth, int64_t classes) {
  if (classes == 0) return (predicted.select(1, 0) - truth).square().mean().item<double>();
  const Tensor right = predicted.gather(1, truth.to(torch::kInt64).unsqueeze(1));
  return -right.clamp_min(1e-12).log().mean().item<double>();
}

double BestGain(const Tensor& before, const Tensor& part, const Tensor& truth, int64_t classes) {
  double best = 0, best_loss = std::numeric_limits<double>::infinity();
  for (int64_t step = 0; step <= kGainSteps; ++step) {
    const double gain = static_cast<double>(step) / kGainSteps;
    const double loss = AttributeLoss(Mixed(before, part, gain), truth, classes);
    if (!(loss < (1 - kMinGain) * best_loss)) continue;
    best_loss = loss;
    best = gain;
  }
  return best;
}

}  // namespace

PartPredictions Join(const std::vector<PartPredictions>& groups) {
  const auto join = [&](const auto& member) {
    std::vector<Tensor> tensors;
    for (const PartPredictions& group : groups) {
      if (member(group).defined()) tensors.push_back(member(group));
    }
    return tensors.size() < groups.size() ? Tensor() : torch::cat(tensors);
  };
  PartPredictions joined{.linear = join([](const PartPredictions& group) { return group.linear; }), .parts = {}};
  for (size_t part = 0; part < kModelParts; ++part) {
    joined.parts[part] = join([&](const PartPredictions& group) { return group.parts[part]; });
  }
  return joined;
}

void ChooseGains(ModelPart part, const PartPredictions& predictions, const EncodedTable& rows,
                 const Attributes& attributes, const Tensor& is_target, PartGains& gains) {
  gains[part].zero_();
  const Tensor before = Combine(predictions, gains);
  for (const int64_t j : FindTargets(is_target)) {
    gains[part][j] = BestGain(before.select(1, j), predictions.parts[part].select(1, j), rows.values.select(1, j),
                              attributes[static_cast<size_t>(j)].classes);
  }
}

Tensor Combine(const PartPredictions& predictions, const PartGains& gains) {
  std::vector<Tensor> columns;
  for (int64_t j = 0; j < predictions.linear.size(1); ++j) {
    Tensor mixture = predictions.linear.select(1, j);
    for (int64_t part = 0; part < kModelParts; ++part) {
      const auto gain = gains[part][j].item<double>();
      const Tensor& part_predictions = predictions.parts[static_cast<size_t>(part)];
      if (gain > 0 && part_predictions.defined()) mixture = Mixed(mixture, part_predictions.select(1, j), gain);
    }
    columns.push_back(mixture);
  }
  return torch::stack(columns, 1);
}

std::vector<std::pair<std::string, double>> NamedGains(const PartGains& gains, int64_t attribute) {
  std::vector<std::pair<std::string, double>> named;
  for (int64_t part = 0; part < kModelParts; ++part) {
    named.emplace_back(kPartNames[static_cast<size_t>(part)], gains[part][attribute].item<double>());
  }
  return named;
}

}  // namespace haplospin
