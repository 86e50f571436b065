#include "learning/tabular/boosted_trees.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "core/random.h"
#include "haplospin/errors.h"
#include "learning/models/table_model.h"

namespace haplospin {
namespace {

using torch::Tensor;

constexpr size_t kMaxTrees = 1000;
constexpr size_t kTreePatience = 40;  // trees without a better validation loss
constexpr size_t kTreesAtOnce = 10;   // that each part grows before it waits for the others
constexpr float kTreeRate = 0.05F;
constexpr int64_t kRowsPerThread = 64;
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
  const Tensor both = torch::cat({first, second}, 1).contiguous();
  return {predicted.size(1), {both.data_ptr<float>(), both.data_ptr<float>() + both.numel()}};
}

BinnedFeatures Binned(const Tensor& features) {
  const Tensor columns = features.t().contiguous();
  return {columns.data_ptr<float>(), features.size(0), features.size(1)};
}

// The leaf of a row's features.
int64_t FindLeaf(const int64_t* compared, const float* thresholds, const float* row, int64_t depth) {
  int64_t node = 0;
  for (int64_t level = 0; level < depth; ++level) {
    const int64_t at = (int64_t{1} << level) - 1 + node;
    node = 2 * node + (row[compared[at]] > thresholds[at] ? 1 : 0);
  }
  return node;
}

// The rows of a target, with the predictions of the trees so far.
struct BoostedRows {
  Tensor features;   // [n, p]
  Tensor truth;      // [n, c]
  Tensor predicted;  // [n, c]
};

// The trees of a target that are grown on some rows and tested on others.
class Boosting {
 public:
  Boosting(BoostedRows training, BoostedRows validation, bool classify, int64_t depth, RandomStream random)
      : training_(std::move(training)),
        validation_(std::move(validation)),
        binned_(Binned(training_.features)),
        classify_(classify),
        depth_(depth),
        random_(random) {
    AddLoss();
  }

  void Grow(size_t trees) {
    for (size_t i = 0; i < trees; ++i) GrowOne();
  }

  // The sum over the validation rows, with the first trees.
  double Loss(size_t trees) const { return losses_[trees]; }

  std::vector<DecisionTree> First(size_t trees) && {
    trees_.resize(trees);
    return std::move(trees_);
  }

 private:
  void GrowOne() {
    trees_.push_back(GrowTree(binned_, Derivatives(training_.predicted, training_.truth, classify_), depth_,
                              kFeatureShare, random_, leaves_));
    for (float& value : trees_.back().values) value *= kTreeRate;
    Add(training_.predicted, leaves_);
    const float* features = validation_.features.data_ptr<float>();
    const DecisionTree& tree = trees_.back();
    std::vector<uint32_t> leaves(static_cast<size_t>(validation_.features.size(0)));
    for (uint32_t& leaf : leaves) {
      leaf = static_cast<uint32_t>(FindLeaf(tree.compared.data(), tree.thresholds.data(), features, depth_));
      features += validation_.features.size(1);
    }
    Add(validation_.predicted, leaves);
    AddLoss();
  }

  void AddLoss() {
    losses_.push_back(ValidationLoss(validation_.predicted, validation_.truth, classify_) *
                      static_cast<double>(validation_.truth.size(0)));
  }

  // Adds the values of the last tree.
  void Add(Tensor& predicted, const std::vector<uint32_t>& leaves) const {
    const int64_t outputs = predicted.size(1);
    const std::vector<float>& values = trees_.back().values;
    auto* row_values = predicted.data_ptr<float>();
    for (const uint32_t leaf : leaves) {
      for (int64_t c = 0; c < outputs; ++c) *row_values++ += values[static_cast<size_t>(leaf * outputs + c)];
    }
  }

  BoostedRows training_, validation_;
  BinnedFeatures binned_;
  bool classify_;
  int64_t depth_;
  RandomStream random_;
  std::vector<uint32_t> leaves_;
  std::vector<DecisionTree> trees_;
  std::vector<double> losses_;  // without a tree, with one, ...
};

// Grows trees until the loss of all together has not improved for a while. Returns how many of each are best.
size_t GrowTogether(std::vector<Boosting>& all, const Advance& advance) {
  const auto total_loss = [&](size_t trees) {
    double sum = 0;
    for (const Boosting& one : all) sum += one.Loss(trees);
    return sum;
  };
  double best_loss = total_loss(0);
  size_t best = 0;
  for (size_t grown = 0; grown < kMaxTrees && grown < best + kTreePatience; grown += kTreesAtOnce) {
    at::parallel_for(0, std::ssize(all), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) all[static_cast<size_t>(i)].Grow(kTreesAtOnce);
    });
    for (size_t trees = grown + 1; trees <= grown + kTreesAtOnce; ++trees) {
      if (advance) advance();
      const double loss = total_loss(trees);
      if (loss >= best_loss) continue;
      best_loss = loss;
      best = trees;
    }
  }
  return best;
}

}  // namespace

BoostedTrees::BoostedTrees(const Attributes& attributes, const Tensor& is_target)
    : attributes_(attributes),
      targets_(FindTargets(is_target)),
      outputs_(CountOutputs(attributes)),
      features_(register_module("features", std::make_shared<TableFeatures>(attributes, is_target, 0))) {
  start_ = register_buffer("start", torch::zeros({std::ssize(attributes), outputs_}));
  target_ = register_buffer("target", torch::zeros({0}, torch::kInt64));
  compared_ = register_buffer("compared", torch::zeros({0, 0}, torch::kInt64));
  thresholds_ = register_buffer("thresholds", torch::zeros({0, 0}));
  values_ = register_buffer("values", torch::zeros({0, 1, outputs_}));
}

void BoostedTrees::Fit(const EncodedTable& training, const EncodedTable& validation, uint64_t seed) {
  FitTogether({this}, {{training, validation}}, seed);
}

void BoostedTrees::FitTogether(const std::vector<BoostedTrees*>& all, const std::vector<TreeRows>& rows, uint64_t seed,
                               const Advance& advance) {
  HS_ASSERT(!all.empty() && all.size() == rows.size());
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < all.size(); ++i) {
    all[i]->depth_ = TreeDepth(rows[0].training.rows());
    all[i]->Resize(0, TreeLeaves(all[i]->depth_) - 1);
    all[i]->StartFromMeans(rows[i].training);
    all[i]->features_->Fit(rows[i].training);
  }
  if (all.front()->features_->width() == 0) return;  // the only columns have too many categories
  const Attributes& attributes = all.front()->attributes_;
  for (const int64_t target : all.front()->targets_) {
    const int64_t classes = attributes[static_cast<size_t>(target)].classes;
    const auto select_rows = [&](const BoostedTrees& trees, const EncodedTable& table) {
      const Tensor truth = table.values.select(1, target).cpu();
      const Tensor start = trees.start_[target].narrow(0, 0, std::max<int64_t>(1, classes)).cpu();
      return BoostedRows{.features = trees.features_->forward(table.values, table.missing).cpu(),
                         .truth = classes == 0 ? truth.unsqueeze(1)
                                               : torch::one_hot(truth.to(torch::kInt64), classes).to(torch::kFloat32),
                         .predicted = start.expand({table.rows(), -1}).clone()};
    };
    std::vector<Boosting> boosting;
    for (size_t i = 0; i < all.size(); ++i) {
      boosting.emplace_back(select_rows(*all[i], rows[i].training), select_rows(*all[i], rows[i].validation),
                            classes > 0, all[i]->depth_,
                            RandomStream(seed + i, {kTreeStream, static_cast<uint64_t>(target)}));
    }
    const size_t best = GrowTogether(boosting, advance);
    for (size_t i = 0; i < all.size(); ++i) {
      all[i]->Append(std::move(boosting[i]).First(best), target, std::max<int64_t>(1, classes));
    }
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

void BoostedTrees::Append(const std::vector<DecisionTree>& trees, int64_t target, int64_t classes) {
  const int64_t first = target_.size(0);
  Resize(first + std::ssize(trees), TreeLeaves(depth_) - 1);
  for (int64_t i = 0; i < std::ssize(trees); ++i) {
    const DecisionTree& tree = trees[static_cast<size_t>(i)];
    target_[first + i] = target;
    compared_[first + i].copy_(torch::tensor(tree.compared));
    thresholds_[first + i].copy_(torch::tensor(tree.thresholds));
    values_[first + i].narrow(1, 0, classes).copy_(torch::tensor(tree.values).view({-1, classes}));
  }
}

Tensor BoostedTrees::forward(const MaskedTable& rows) const {
  const torch::NoGradGuard no_grad;
  const Tensor features = features_->forward(rows.values, rows.masked).cpu().contiguous();
  const int64_t attributes = std::ssize(attributes_), width = features.size(1), trees = target_.size(0);
  const int64_t leaves = TreeLeaves(depth_);
  Tensor predicted = start_.cpu().expand({features.size(0), -1, -1}).contiguous();
  const Tensor target = target_.cpu(), compared = compared_.cpu(), thresholds = thresholds_.cpu(),
               values = values_.cpu();
  at::parallel_for(0, features.size(0), kRowsPerThread, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* row_values = features.data_ptr<float>() + row * width;
      float* outputs = predicted.data_ptr<float>() + row * attributes * outputs_;
      for (int64_t tree = 0; tree < trees; ++tree) {
        const int64_t first = tree * (leaves - 1);
        const int64_t leaf =
            FindLeaf(compared.data_ptr<int64_t>() + first, thresholds.data_ptr<float>() + first, row_values, depth_);
        const float* added = values.data_ptr<float>() + (tree * leaves + leaf) * outputs_;
        float* sums = outputs + target.data_ptr<int64_t>()[tree] * outputs_;
        for (int64_t c = 0; c < outputs_; ++c) sums[c] += added[c];
      }
    }
  });
  return predicted.to(rows.values.device());
}

void BoostedTrees::Resize(int64_t trees, int64_t nodes) {
  depth_ = 0;
  while (TreeLeaves(depth_) < nodes + 1) ++depth_;
  const auto resized = [&](Tensor& tensor, const std::vector<int64_t>& sizes, double fill) {
    Tensor larger = torch::full(sizes, fill, tensor.options());
    const int64_t kept = std::min(trees, tensor.size(0));
    if (kept > 0) larger.narrow(0, 0, kept).copy_(tensor.narrow(0, 0, kept));
    tensor.set_data(larger);
  };
  resized(target_, {trees}, 0);
  resized(compared_, {trees, nodes}, 0);
  resized(thresholds_, {trees, nodes}, std::numeric_limits<float>::max());
  resized(values_, {trees, nodes + 1, outputs_}, 0);
}

void BoostedTrees::Check(const std::string& source) const {
  const bool is_whole = compared_.size(1) + 1 == TreeLeaves(depth_);
  const bool fits =
      is_whole && ((compared_ >= 0) & (compared_ < std::max<int64_t>(1, features_->width()))).all().item<bool>();
  if (!fits)
    throw InputError(source + ": its trees compare features that its table does not have; train the model again");
}

}  // namespace haplospin
