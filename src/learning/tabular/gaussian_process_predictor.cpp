#include "learning/tabular/gaussian_process_predictor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int64_t kDigits = 10;
constexpr int64_t kMaxStackedRows = 4096;  // the parts of a prediction are compared on so many
constexpr uint64_t kCodeStream = 61;       // key of the random draws
constexpr double kMinCodeProbability = 1e-6;

EncodedTable TakeFeatures(const EncodedTable& rows, const torch::Tensor& features) {
  return {rows.values.index_select(1, features), rows.missing.index_select(1, features)};
}

// A digit for each class. Up to ten classes have different ones; of more, about equally many have each digit.
std::vector<int64_t> DrawDigits(int64_t classes, RandomStream& random) {
  auto digits = RandomOrder<int64_t>(classes, random);
  for (int64_t& digit : digits) digit %= kDigits;
  return digits;
}

// The number of codes that tell all classes apart well (error-correcting codes; Dietterich and Bakiri, 1995).
int64_t CodesFor(int64_t classes) {
  if (classes <= kDigits) return 1;
  const double digits = std::log(static_cast<double>(classes)) / std::log(static_cast<double>(kDigits));
  return 3 * static_cast<int64_t>(std::ceil(digits)) + 2;
}

}  // namespace

GaussianProcessPredictor::GaussianProcessPredictor(const EncodedTable& known, const Attributes& attributes,
                                                   const torch::Tensor& is_target, uint64_t seed, bool with_trees,
                                                   std::vector<double> quantiles, const Advance& advance)
    : attributes_(attributes),
      features_((~is_target).nonzero().squeeze(1)),
      quantiles_(std::move(quantiles)),
      outputs_(CountOutputs(attributes)) {
  const torch::NoGradGuard no_grad;
  for (const int64_t target : FindTargets(is_target))
    targets_.push_back(FitTarget(known, target, seed, with_trees, advance));
}

GaussianProcessPredictor::Target GaussianProcessPredictor::FitTarget(const EncodedTable& known, int64_t attribute,
                                                                     uint64_t seed, bool with_trees,
                                                                     const Advance& advance) const {
  const torch::Tensor all = (~known.missing.select(1, attribute)).nonzero().squeeze(1);
  HS_ASSERT(all.size(0) > 0);
  const torch::Tensor used = all.slice(0, 0, all.size(0), (all.size(0) + kMaxKnownRows - 1) / kMaxKnownRows);
  const EncodedTable features = TakeFeatures(known.Rows(used), features_);
  Attributes columns;
  for (int64_t i = 0; i < features_.size(0); ++i) {
    columns.push_back(attributes_[static_cast<size_t>(features_[i].item<int64_t>())]);
  }
  const torch::Tensor labels = known.values.select(1, attribute).index_select(0, used);
  const torch::Tensor compared =
      torch::arange(0, labels.size(0), (labels.size(0) + kMaxStackedRows - 1) / kMaxStackedRows);
  const auto fit = [&](const torch::Tensor& coded_labels, std::vector<int64_t> digits, int64_t classes,
                       bool trees_too) {
    const torch::Tensor targets = LabelTargets(coded_labels, classes);
    KernelFits fits(features, columns, targets, advance);
    torch::Tensor means = fits.PredictKnown(features, compared);
    std::optional<CrossfitTrees> trees;
    if (trees_too) {
      trees.emplace(features, columns, coded_labels, classes, compared, means, seed, advance);
      means = trees->compared_predictions();
    }
    return Code{std::move(digits), std::move(fits), std::move(trees),
                LabelDistribution(means, targets.index_select(0, compared), classes)};
  };
  Target target{.attribute = attribute, .classes = attributes_[static_cast<size_t>(attribute)].classes};
  if (target.classes == 0) {
    target.mean = labels.mean().item<double>();
    target.deviation = std::max(1e-6, labels.std(false).item<double>());
    target.codes.push_back(fit((labels - target.mean) / target.deviation, {}, 0, with_trees));
    return target;
  }
  const int64_t codes = CodesFor(target.classes);
  for (int64_t k = 0; k < codes; ++k) {
    RandomStream random(seed, {kCodeStream, static_cast<uint64_t>(attribute), static_cast<uint64_t>(k)});
    std::vector<int64_t> digits = DrawDigits(target.classes, random);
    const torch::Tensor coded = torch::tensor(digits, torch::kInt64).index_select(0, labels.to(torch::kInt64));
    target.codes.push_back(fit(coded, std::move(digits), std::min(target.classes, kDigits), with_trees && codes == 1));
  }
  return target;
}

// The product of what the codes say of each class.
torch::Tensor GaussianProcessPredictor::ClassProbabilities(const Target& target, const EncodedTable& features) {
  torch::Tensor sum = torch::zeros({features.rows(), target.classes});
  for (const Code& code : target.codes) {
    const torch::Tensor by_digit = code.distribution.Probabilities(code.Means(features));
    const torch::Tensor by_class = by_digit.index_select(1, torch::tensor(code.digits, torch::kInt64));
    if (target.codes.size() == 1) return by_class;
    sum += by_class.clamp_min(kMinCodeProbability).log();
  }
  return sum.softmax(1);
}

TablePredictions GaussianProcessPredictor::Predict(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  const int64_t n = rows.rows(), d = std::ssize(attributes_);
  TablePredictions all{torch::zeros({n, d, outputs_}), torch::zeros({n, d}), {}};
  if (!quantiles_.empty()) all.quantiles = torch::zeros({n, d, std::ssize(quantiles_)});
  const EncodedTable features = TakeFeatures(rows, features_);
  for (const Target& target : targets_) {
    const auto set = [&](const torch::Tensor& all_targets, const torch::Tensor& predicted) {
      all_targets.select(1, target.attribute).copy_(predicted);
    };
    if (target.classes > 0) {
      set(all.values.narrow(2, 0, target.classes), ClassProbabilities(target, features));
      continue;
    }
    const Code& number = target.codes.front();
    const torch::Tensor means = number.Means(features).squeeze(1);
    const auto in_units = [&](const torch::Tensor& numbers) { return numbers * target.deviation + target.mean; };
    set(all.values.select(2, 0), in_units(means));
    all.deviations.select(1, target.attribute).fill_(number.distribution.deviation() * target.deviation);
    for (size_t q = 0; q < quantiles_.size(); ++q) {
      set(all.quantiles.select(2, static_cast<int64_t>(q)),
          in_units(means + number.distribution.Quantile(quantiles_[q])));
    }
  }
  return all;
}

}  // namespace haplospin
