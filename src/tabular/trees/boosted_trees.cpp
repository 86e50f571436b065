#include "tabular/trees/boosted_trees.h"

#include <algorithm>
#include <limits>

#include "core/random.h"
#include "haplospin/errors.h"
#include "models/table_model.h"

namespace haplospin {
namespace {

using torch::Tensor;

constexpr int64_t kMaxTrees = 1000;
constexpr int64_t kTreePatience = 40;  // trees without a better validation loss
constexpr float kTreeRate = 0.05F;
constexpr int64_t kRowsAtOnce = 1024;
constexpr uint64_t kTreeStream = 12;  // key of the random draws

double ValidationLoss(const Tensor& predicted, const Tensor& truth, bool classify) {
  if (!classify) return (predicted - truth).square().mean().item<double>();
  return -(predicted.log_softmax(1) * truth).sum(1).mean().item<double>();
}

// The derivatives of the loss. The truth of classes is given as indicators; of their second derivatives only the
// diagonal is used, scaled as in XGBoost.
LossDerivatives Derivatives(const Tensor& predicted, const Tensor& truth, bool classify) {
  Tensor first = predicted - truth, second = torch::ones_like(predicted);
  if (classify) {
    const Tensor probabilities = predicted.softmax(1);
    first = probabilities - truth;
    second = (2 * probabilities * (1 - probabilities)).clamp_min(1e-6);
  }
  const auto values = [](const Tensor& tensor) {
    const Tensor flat = tensor.contiguous();
    return std::vector<float>(flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel());
  };
  return {predicted.size(1), values(first), values(second)};
}

// The values that a tree adds in the given leaves. [n, c]
Tensor LeafValues(const ObliviousTree& tree, const Tensor& leaves, int64_t outputs) {
  return torch::tensor(tree.values).view({-1, outputs}).index_select(0, leaves);
}

Tensor LeavesOf(const ObliviousTree& tree, const Tensor& features) {
  Tensor leaves = torch::zeros({features.size(0)}, torch::kInt64);
  for (size_t level = 0; level < tree.features.size(); ++level) {
    const Tensor is_above = features.select(1, tree.features[level]) > tree.thresholds[level];
    leaves += is_above.to(torch::kInt64) * (int64_t{1} << level);
  }
  return leaves;
}

// The rows of a target, with the predictions of the trees so far.
struct BoostedRows {
  Tensor features;   // [n, p]
  Tensor truth;      // [n, c]
  Tensor predicted;  // [n, c]
};

std::vector<ObliviousTree> Boost(BoostedRows training, BoostedRows validation, bool classify, RandomStream random) {
  const BinnedFeatures binned(training.features);
  const int64_t outputs = training.truth.size(1);
  std::vector<ObliviousTree> trees;
  double best_loss = ValidationLoss(validation.predicted, validation.truth, classify);
  size_t best = 0;
  std::vector<uint32_t> leaves;
  while (std::ssize(trees) < kMaxTrees && trees.size() < best + kTreePatience) {
    ObliviousTree tree = GrowTree(binned, Derivatives(training.predicted, training.truth, classify), random, leaves);
    for (float& value : tree.values) value *= kTreeRate;
    const Tensor at = torch::tensor(std::vector<int64_t>(leaves.begin(), leaves.end()));
    training.predicted += LeafValues(tree, at, outputs);
    validation.predicted += LeafValues(tree, LeavesOf(tree, validation.features), outputs);
    trees.push_back(std::move(tree));
    const double loss = ValidationLoss(validation.predicted, validation.truth, classify);
    if (loss >= best_loss) continue;
    best_loss = loss;
    best = trees.size();
  }
  trees.resize(best);
  return trees;
}

}  // namespace

BoostedTrees::BoostedTrees(const Attributes& attributes, const Tensor& is_target)
    : attributes_(attributes),
      targets_(TargetsOf(is_target)),
      outputs_(OutputsOf(attributes)),
      features_(register_module("features", std::make_shared<TableFeatures>(attributes, is_target, 0))) {
  start_ = register_buffer("start", torch::zeros({std::ssize(attributes), outputs_}));
  target_ = register_buffer("target", torch::zeros({0}, torch::kInt64));
  compared_ = register_buffer("compared", torch::zeros({0, kTreeDepth}, torch::kInt64));
  thresholds_ = register_buffer("thresholds", torch::zeros({0, kTreeDepth}));
  values_ = register_buffer("values", torch::zeros({0, kTreeLeaves, outputs_}));
}

void BoostedTrees::Fit(const EncodedTable& training, const EncodedTable& validation, uint64_t seed) {
  const torch::NoGradGuard no_grad;
  Resize(0);
  StartFromMeans(training);
  features_->Fit(training);
  const auto rows_of = [&](const EncodedTable& rows, int64_t target) {
    const int64_t classes = attributes_[static_cast<size_t>(target)].classes, outputs = std::max<int64_t>(1, classes);
    const Tensor truth = rows.values.select(1, target).cpu();
    return BoostedRows{.features = features_->forward(rows.values, rows.missing).cpu(),
                       .truth = classes == 0 ? truth.unsqueeze(1)
                                             : torch::one_hot(truth.to(torch::kInt64), classes).to(torch::kFloat32),
                       .predicted = start_[target].narrow(0, 0, outputs).cpu().expand({rows.rows(), -1}).clone()};
  };
  for (const int64_t target : targets_) {
    const int64_t classes = attributes_[static_cast<size_t>(target)].classes;
    const std::vector<ObliviousTree> trees = Boost(rows_of(training, target), rows_of(validation, target), classes > 0,
                                                   RandomStream(seed, {kTreeStream, static_cast<uint64_t>(target)}));
    Append(trees, target, std::max<int64_t>(1, classes));
  }
}

// Starts from the mean or the class frequencies; classes that a target does not have are as improbable as in a linear
// fit.
void BoostedTrees::StartFromMeans(const EncodedTable& training) {
  for (const int64_t target : targets_) {
    const int64_t classes = attributes_[static_cast<size_t>(target)].classes;
    const Tensor truth = training.values.select(1, target);
    if (classes == 0) {
      start_[target][0] = truth.mean();
      continue;
    }
    const Tensor counts = torch::one_hot(truth.to(torch::kInt64), classes).sum(0).to(torch::kFloat32);
    start_[target].fill_(kAbsentLogit);
    start_[target].narrow(0, 0, classes).copy_(((counts + 0.5) / static_cast<double>(truth.size(0))).log());
  }
}

void BoostedTrees::Append(const std::vector<ObliviousTree>& trees, int64_t target, int64_t classes) {
  const int64_t first = target_.size(0);
  Resize(first + std::ssize(trees));
  for (int64_t i = 0; i < std::ssize(trees); ++i) {
    const ObliviousTree& tree = trees[static_cast<size_t>(i)];
    const int64_t depth = std::ssize(tree.features);
    target_[first + i] = target;
    compared_[first + i].narrow(0, 0, depth).copy_(torch::tensor(tree.features));
    thresholds_[first + i].narrow(0, 0, depth).copy_(torch::tensor(tree.thresholds));
    values_[first + i]
        .narrow(0, 0, int64_t{1} << depth)
        .narrow(1, 0, classes)
        .copy_(torch::tensor(tree.values).view({-1, classes}));
  }
}

Tensor BoostedTrees::forward(const MaskedTable& rows) const {
  const torch::NoGradGuard no_grad;
  const Tensor features = features_->forward(rows.values, rows.masked);
  Tensor predicted = start_.expand({features.size(0), -1, -1}).clone();
  const Tensor bits = torch::pow(2, torch::arange(kTreeDepth)).to(features.device());
  for (const int64_t target : targets_) {
    const Tensor trees = (target_ == target).nonzero().squeeze(1);
    if (trees.size(0) == 0) continue;
    const Tensor compared = compared_.index_select(0, trees), thresholds = thresholds_.index_select(0, trees);
    const Tensor values = values_.index_select(0, trees).flatten(0, 1);
    const Tensor first_leaves = torch::arange(trees.size(0), compared.options()) * kTreeLeaves;
    for (int64_t first = 0; first < features.size(0); first += kRowsAtOnce) {
      const int64_t size = std::min(kRowsAtOnce, features.size(0) - first);
      const Tensor is_above =
          features.narrow(0, first, size).index_select(1, compared.flatten()).view({size, -1, kTreeDepth}) > thresholds;
      const Tensor leaves = (is_above.to(torch::kInt64) * bits).sum(2) + first_leaves;
      predicted.select(1, target)
          .narrow(0, first, size)
          .add_(values.index_select(0, leaves.flatten()).view({size, trees.size(0), outputs_}).sum(1));
    }
  }
  return predicted;
}

void BoostedTrees::Resize(int64_t trees) {
  const auto resized = [&](Tensor& tensor, double fill) {
    std::vector<int64_t> sizes = tensor.sizes().vec();
    sizes[0] = trees;
    Tensor larger = torch::full(sizes, fill, tensor.options());
    const int64_t kept = std::min(trees, tensor.size(0));
    larger.narrow(0, 0, kept).copy_(tensor.narrow(0, 0, kept));
    tensor.set_data(larger);
  };
  resized(target_, 0);
  resized(compared_, 0);
  resized(thresholds_, std::numeric_limits<float>::max());
  resized(values_, 0);
}

void BoostedTrees::Check(const std::string& source) const {
  const bool fits = ((compared_ >= 0) & (compared_ < std::max<int64_t>(1, features_->width()))).all().item<bool>();
  if (!fits)
    throw InputError(source + ": its trees compare features that its table does not have; train the model again");
}

}  // namespace haplospin
