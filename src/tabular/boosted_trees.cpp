#include "tabular/boosted_trees.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "core/random.h"
#include "haplospin/errors.h"
#include "models/table_model.h"

namespace haplospin {
namespace {

constexpr int64_t kMaxThresholds = 63;      // thresholds of a feature
constexpr double kRowShare = 0.7;           // share of the rows that a tree is grown on
constexpr double kLeafPenalty = 1.0;        // penalty of squared leaf values, as XGBoost's lambda
constexpr int64_t kWorkOfThread = 1 << 15;  // smallest number of rows x features for another thread

// Midpoints between quantiles; where there are few values, between all of them.
std::vector<float> Thresholds(std::vector<float> values) {
  std::ranges::sort(values);
  std::vector<float> distinct = values;
  distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
  std::vector<float> at;
  const auto add = [&](float low, float high) {
    const float middle = low + (high - low) / 2;
    if (middle < high && (at.empty() || middle > at.back())) at.push_back(middle);
  };
  if (std::ssize(distinct) <= kMaxThresholds + 1) {
    for (size_t i = 1; i < distinct.size(); ++i) add(distinct[i - 1], distinct[i]);
    return at;
  }
  for (int64_t k = 1; k <= kMaxThresholds; ++k) {
    const float low = values[static_cast<size_t>(k * std::ssize(values) / (kMaxThresholds + 1))];
    const auto next = std::ranges::upper_bound(distinct, low);
    if (next != distinct.end()) add(low, *next);
  }
  return at;
}

struct Split {
  int64_t feature = -1, threshold = 0;
  double score = 0.0;
};

// Sums of derivatives, [nodes, bins, 2 c], of one feature.
class Histogram {
 public:
  Histogram(const BinnedFeatures& rows, const LossDerivatives& derivatives, int64_t feature)
      : feature_(feature),
        bins_(std::ssize(rows.thresholds(feature)) + 1),
        outputs_(derivatives.outputs),
        codes_(rows.codes(feature)),
        derivatives_(derivatives) {}

  // The best split of all nodes at once.
  Split Best(const std::vector<uint32_t>& sample, const std::vector<uint32_t>& leaves, int64_t nodes) {
    Fill(sample, leaves, nodes);
    std::vector<double> scores(static_cast<size_t>(bins_ - 1));
    std::vector<double> all(static_cast<size_t>(2 * outputs_)), below(all.size());
    for (int64_t node = 0; node < nodes; ++node) {
      const double* sums = sums_.data() + node * bins_ * 2 * outputs_;
      std::ranges::fill(all, 0.0);
      std::ranges::fill(below, 0.0);
      for (int64_t i = 0; i < bins_ * 2 * outputs_; ++i) all[static_cast<size_t>(i % (2 * outputs_))] += sums[i];
      for (int64_t bin = 0; bin + 1 < bins_; ++bin) {
        for (size_t i = 0; i < below.size(); ++i) below[i] += sums[bin * 2 * outputs_ + static_cast<int64_t>(i)];
        scores[static_cast<size_t>(bin)] += Score(below, all);
      }
    }
    Split best{.feature = feature_};
    for (size_t bin = 0; bin < scores.size(); ++bin) {
      if (scores[bin] > best.score) best = {feature_, static_cast<int64_t>(bin), scores[bin]};
    }
    return best;
  }

 private:
  void Fill(const std::vector<uint32_t>& sample, const std::vector<uint32_t>& leaves, int64_t nodes) {
    sums_.assign(static_cast<size_t>(nodes * bins_ * 2 * outputs_), 0.0);
    for (const uint32_t row : sample) {
      double* sums = sums_.data() + (static_cast<int64_t>(leaves[row]) * bins_ + codes_[row]) * 2 * outputs_;
      const float* first = derivatives_.first.data() + row * outputs_;
      const float* second = derivatives_.second.data() + row * outputs_;
      for (int64_t c = 0; c < outputs_; ++c) {
        sums[2 * c] += first[c];
        sums[2 * c + 1] += second[c];
      }
    }
  }

  // The decrease of the loss by both sides of a split.
  static double Score(const std::vector<double>& below, const std::vector<double>& all) {
    double score = 0.0;
    for (size_t c = 0; c < below.size(); c += 2) {
      const double g = all[c] - below[c], h = all[c + 1] - below[c + 1];
      score += below[c] * below[c] / (below[c + 1] + kLeafPenalty) + g * g / (h + kLeafPenalty);
    }
    return score;
  }

  const int64_t feature_, bins_, outputs_;
  const uint8_t* codes_;
  const LossDerivatives& derivatives_;
  std::vector<double> sums_;
};

std::vector<uint32_t> DrawSample(int64_t rows, RandomStream& random) {
  std::vector<uint32_t> sample;
  for (int64_t row = 0; row < rows; ++row) {
    if (random.Bernoulli(kRowShare)) sample.push_back(static_cast<uint32_t>(row));
  }
  return sample;
}

std::vector<int64_t> DrawFeatures(const BinnedFeatures& rows, double share, RandomStream& random) {
  std::vector<int64_t> features;
  for (int64_t j = 0; j < rows.features(); ++j) {
    if (!rows.thresholds(j).empty()) features.push_back(j);
  }
  random.Shuffle(std::span(features));
  features.resize(static_cast<size_t>(std::ceil(share * static_cast<double>(features.size()))));
  std::ranges::sort(features);
  return features;
}

std::vector<float> LeafValues(const LossDerivatives& derivatives, const std::vector<uint32_t>& sample,
                              const std::vector<uint32_t>& leaves, int64_t nodes) {
  const auto size = static_cast<size_t>(nodes * derivatives.outputs);
  std::vector<double> first(size), second(size);
  for (const uint32_t row : sample) {
    for (int64_t c = 0; c < derivatives.outputs; ++c) {
      const auto at = static_cast<size_t>(static_cast<int64_t>(leaves[row]) * derivatives.outputs + c);
      const auto from = static_cast<size_t>(static_cast<int64_t>(row) * derivatives.outputs + c);
      first[at] += derivatives.first[from];
      second[at] += derivatives.second[from];
    }
  }
  std::vector<float> values(size);
  for (size_t i = 0; i < size; ++i) values[i] = static_cast<float>(-first[i] / (second[i] + kLeafPenalty));
  return values;
}

using torch::Tensor;

constexpr size_t kMaxTrees = 1000;
constexpr size_t kTreePatience = 40;  // trees without a better validation loss
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

// The trees of a target that are grown on some rows and tested on others.
class Boosting {
 public:
  Boosting(BoostedRows training, BoostedRows validation, bool classify, double feature_share, RandomStream random)
      : training_(std::move(training)),
        validation_(std::move(validation)),
        binned_(training_.features),
        classify_(classify),
        feature_share_(feature_share),
        random_(random) {}

  void Grow() {
    const int64_t outputs = training_.truth.size(1);
    trees_.push_back(GrowTree(binned_, Derivatives(training_.predicted, training_.truth, classify_), feature_share_,
                              random_, leaves_));
    ObliviousTree& tree = trees_.back();
    for (float& value : tree.values) value *= kTreeRate;
    const Tensor at = torch::tensor(std::vector<int64_t>(leaves_.begin(), leaves_.end()));
    training_.predicted += LeafValues(tree, at, outputs);
    validation_.predicted += LeafValues(tree, LeavesOf(tree, validation_.features), outputs);
  }

  // The sum over the validation rows.
  double Loss() const {
    return ValidationLoss(validation_.predicted, validation_.truth, classify_) *
           static_cast<double>(validation_.truth.size(0));
  }

  std::vector<ObliviousTree> First(size_t trees) && {
    trees_.resize(trees);
    return std::move(trees_);
  }

 private:
  BoostedRows training_, validation_;
  BinnedFeatures binned_;
  bool classify_;
  double feature_share_;
  RandomStream random_;
  std::vector<uint32_t> leaves_;
  std::vector<ObliviousTree> trees_;
};

// Grows trees until the loss of all together has not improved for a while. Returns how many of each are best.
size_t GrowTogether(std::vector<Boosting>& all) {
  const auto loss_of_all = [&] {
    double sum = 0;
    for (const Boosting& one : all) sum += one.Loss();
    return sum;
  };
  double best_loss = loss_of_all();
  size_t best = 0;
  for (size_t trees = 1; trees <= kMaxTrees && trees <= best + kTreePatience; ++trees) {
    for (Boosting& one : all) one.Grow();
    const double loss = loss_of_all();
    if (loss >= best_loss) continue;
    best_loss = loss;
    best = trees;
  }
  return best;
}

}  // namespace

BinnedFeatures::BinnedFeatures(const torch::Tensor& features) : rows_(features.size(0)) {
  const torch::Tensor columns = features.to(torch::kCPU, torch::kFloat32).t().contiguous();
  const int64_t p = columns.size(0);
  thresholds_.resize(static_cast<size_t>(p));
  codes_.resize(static_cast<size_t>(p * rows_));
  at::parallel_for(0, p, 1, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      const float* values = columns.data_ptr<float>() + j * rows_;
      std::vector<float>& at = thresholds_[static_cast<size_t>(j)];
      at = Thresholds({values, values + rows_});
      for (int64_t i = 0; i < rows_; ++i) {
        codes_[static_cast<size_t>(j * rows_ + i)] =
            static_cast<uint8_t>(std::ranges::lower_bound(at, values[i]) - at.begin());
      }
    }
  });
}

ObliviousTree GrowTree(const BinnedFeatures& rows, const LossDerivatives& derivatives, double feature_share,
                       RandomStream& random, std::vector<uint32_t>& leaves) {
  const std::vector<uint32_t> sample = DrawSample(rows.rows(), random);
  const std::vector<int64_t> features = DrawFeatures(rows, feature_share, random);
  ObliviousTree tree;
  leaves.assign(static_cast<size_t>(rows.rows()), 0);
  double score = 0.0;
  const int64_t grain = std::max<int64_t>(1, kWorkOfThread / std::max<int64_t>(1, std::ssize(sample)));
  for (int64_t level = 0; level < kTreeDepth; ++level) {
    std::vector<Split> splits(features.size());
    at::parallel_for(0, std::ssize(features), grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Histogram histogram(rows, derivatives, features[static_cast<size_t>(i)]);
        splits[static_cast<size_t>(i)] = histogram.Best(sample, leaves, int64_t{1} << level);
      }
    });
    const auto best = std::ranges::max_element(splits, {}, &Split::score);
    if (best == splits.end() || best->score <= score * (1 + 1e-9)) break;
    score = best->score;
    const uint8_t* codes = rows.codes(best->feature);
    for (size_t row = 0; row < leaves.size(); ++row) {
      if (codes[row] > best->threshold) leaves[row] |= uint32_t{1} << level;
    }
    tree.features.push_back(best->feature);
    tree.thresholds.push_back(rows.thresholds(best->feature)[static_cast<size_t>(best->threshold)]);
  }
  tree.values = LeafValues(derivatives, sample, leaves, int64_t{1} << std::ssize(tree.features));
  return tree;
}

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
  FitTogether({this}, {{training, validation}}, kFeatureShare, seed);
}

void BoostedTrees::FitTogether(const std::vector<BoostedTrees*>& all, const std::vector<TreeRows>& rows,
                               double feature_share, uint64_t seed) {
  HS_ASSERT(!all.empty() && all.size() == rows.size());
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < all.size(); ++i) {
    all[i]->Resize(0);
    all[i]->StartFromMeans(rows[i].training);
    all[i]->features_->Fit(rows[i].training);
  }
  const Attributes& attributes = all.front()->attributes_;
  for (const int64_t target : all.front()->targets_) {
    const int64_t classes = attributes[static_cast<size_t>(target)].classes;
    const auto rows_of = [&](const BoostedTrees& trees, const EncodedTable& table) {
      const Tensor truth = table.values.select(1, target).cpu();
      const Tensor start = trees.start_[target].narrow(0, 0, std::max<int64_t>(1, classes)).cpu();
      return BoostedRows{.features = trees.features_->forward(table.values, table.missing).cpu(),
                         .truth = classes == 0 ? truth.unsqueeze(1)
                                               : torch::one_hot(truth.to(torch::kInt64), classes).to(torch::kFloat32),
                         .predicted = start.expand({table.rows(), -1}).clone()};
    };
    std::vector<Boosting> boosting;
    for (size_t i = 0; i < all.size(); ++i) {
      boosting.emplace_back(rows_of(*all[i], rows[i].training), rows_of(*all[i], rows[i].validation), classes > 0,
                            feature_share, RandomStream(seed + i, {kTreeStream, static_cast<uint64_t>(target)}));
    }
    const size_t best = GrowTogether(boosting);
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
