#include "learning/tabular/decision_tree.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace haplospin {
namespace {

// Thresholds of a feature at most: as many as a byte tells apart, and fewer where few rows would be between two of
// them.
constexpr int64_t kMaxThresholds = 255, kFewThresholds = 63;
constexpr int64_t kManyRows = 1000;
// The features of a tree have at most as many thresholds together as so many features of the most thresholds, because
// the time of a tree is in proportion to them.
constexpr int64_t kMostFeatures = 64;
constexpr double kRowShare = 0.9;       // share of the rows that a tree is grown on
constexpr double kLeafPenalty = 1.0;    // penalty of squared leaf values, as XGBoost's lambda
constexpr double kMinLeafWeight = 1.0;  // smallest sum of second derivatives of a leaf, as its min_child_weight
constexpr double kEmptyWeight = 1e-9;   // sum of second derivatives below which a bin has no rows

int64_t MostThresholds(int64_t rows) { return rows > kManyRows ? kMaxThresholds : kFewThresholds; }

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
  const int64_t most = MostThresholds(std::ssize(values));
  if (std::ssize(distinct) <= most + 1) {
    for (size_t i = 1; i < distinct.size(); ++i) add(distinct[i - 1], distinct[i]);
    return at;
  }
  for (int64_t k = 1; k <= most; ++k) {
    const float low = values[static_cast<size_t>(k * std::ssize(values) / (most + 1))];
    const auto next = std::ranges::upper_bound(distinct, low);
    if (next != distinct.end()) add(low, *next);
  }
  return at;
}

std::vector<uint32_t> DrawSample(int64_t rows, RandomStream& random) {
  std::vector<uint32_t> sample;
  for (int64_t row = 0; row < rows; ++row) {
    if (random.Bernoulli(kRowShare)) sample.push_back(static_cast<uint32_t>(row));
  }
  return sample;
}

// The features that a tree may compare: all that differ between rows, or as many as it has time for.
std::vector<int64_t> DrawFeatures(const BinnedFeatures& rows, RandomStream& random) {
  std::vector<int64_t> features;
  int64_t thresholds = 0;
  for (int64_t j = 0; j < rows.features(); ++j) {
    if (!rows.thresholds(j).empty()) features.push_back(j);
    thresholds += std::ssize(rows.thresholds(j));
  }
  const int64_t most = kMostFeatures * MostThresholds(rows.rows());
  if (thresholds <= most) return features;
  random.Shuffle(std::span(features));
  features.resize(static_cast<size_t>(std::ssize(features) * most / thresholds + 1));
  std::ranges::sort(features);
  return features;
}

struct Split {
  int64_t feature = 0, threshold = 0;
  double gain = 0.0;  // 0: no split
};

// The best split of a node, of those that it is shown: the bins of a feature in ascending order, without the last.
class SplitSearch {
 public:
  // all: sums of the derivatives of the node's rows, [2, outputs].
  SplitSearch(int64_t outputs, std::vector<double> all)
      : outputs_(outputs), all_(std::move(all)), below_(all_.size()), now_(Gain()) {}

  void Begin() { std::ranges::fill(below_, 0.0); }

  void Add(const double* bin, int64_t feature, int64_t threshold) {
    if (bin[outputs_] < kEmptyWeight) return;  // divides the rows as the threshold before
    for (size_t c = 0; c < below_.size(); ++c) below_[c] += bin[c];
    const double gain = SplitGain() - now_;
    if (gain > best_.gain) best_ = {feature, threshold, gain};
  }

  const Split& best() const { return best_; }

 private:
  // How much the loss decreases by the best values of the node: twice the decrease.
  double Gain() const {
    double gain = 0;
    for (int64_t c = 0; c < outputs_; ++c) gain += all(c) * all(c) / (all(outputs_ + c) + kLeafPenalty);
    return gain;
  }

  // Returns this for both sides of a split together; 0 if a side has next to no rows. Both fractions of an output have
  // one denominator, because divisions take most of the time.
  double SplitGain() const {
    const double* low = below_.data();
    const double* whole = all_.data();
    const int64_t n = outputs_;
    double gain = 0, low_weight = 0, high_weight = 0;
    for (int64_t c = 0; c < n; ++c) {
      const double first = low[c], other_first = whole[c] - first;
      const double second = low[n + c], other_second = whole[n + c] - second;
      low_weight += second;
      high_weight += other_second;
      const double weight = second + kLeafPenalty, other_weight = other_second + kLeafPenalty;
      gain += (first * first * other_weight + other_first * other_first * weight) / (weight * other_weight);
    }
    return std::min(low_weight, high_weight) >= kMinLeafWeight ? gain : 0;
  }

  double all(int64_t i) const { return all_[static_cast<size_t>(i)]; }

  int64_t outputs_;
  std::vector<double> all_, below_;
  double now_;
  Split best_;
};

// Sums of the derivatives of the rows of a node, for each bin of each feature: [bins of all features, 2, outputs].
using Histogram = std::vector<double>;

constexpr size_t kSmallNode = 64;  // rows; fewer fill only a part of the bins

void Subtract(const Histogram& part, Histogram& whole) {
  for (size_t i = 0; i < whole.size(); ++i) whole[i] -= part[i];
}

// Grows a tree node by node, depth first, so that as many histograms are in memory as there are levels. Of two sides of
// a split only the smaller one's rows are summed; the other has the rest. Small nodes have no histogram: their rows are
// summed feature by feature.
class TreeGrower {
 public:
  TreeGrower(const BinnedFeatures& rows, const LossDerivatives& derivatives, int64_t depth, double feature_share,
             RandomStream& random)
      : rows_(rows),
        derivatives_(derivatives),
        depth_(depth),
        feature_share_(feature_share),
        random_(random),
        sample_(DrawSample(rows.rows(), random)),
        features_(DrawFeatures(rows, random)),
        one_feature_((kMaxThresholds + 1) * 2 * static_cast<size_t>(derivatives.outputs)) {
    for (const int64_t feature : features_) {
      first_bins_.push_back(bins_);
      bins_ += std::ssize(rows.thresholds(feature)) + 1;
    }
    const auto leaves = static_cast<size_t>(TreeLeaves(depth));
    tree_.compared.assign(leaves - 1, 0);
    tree_.thresholds.assign(leaves - 1, std::numeric_limits<float>::max());
    tree_.values.assign(leaves * static_cast<size_t>(derivatives.outputs), 0.0F);
    codes_.assign(leaves - 1, std::numeric_limits<uint8_t>::max());
  }

  DecisionTree Grow(std::vector<uint32_t>& leaves) {
    const Range all{0, sample_.size()};
    Grow(0, 0, all, IsSmall(all) ? Histogram() : Sum(all));
    leaves.resize(static_cast<size_t>(rows_.rows()));
    for (size_t row = 0; row < leaves.size(); ++row) leaves[row] = FindLeaf(rows_.row(static_cast<int64_t>(row)));
    return std::move(tree_);
  }

 private:
  struct Range {
    size_t begin = 0, end = 0;  // places in the sample
    size_t size() const { return end - begin; }
  };

  static bool IsSmall(Range range) { return range.size() < kSmallNode; }

  // `sums` is empty for a small node.
  void Grow(int64_t level, int64_t node, Range range, Histogram sums) {
    if (level == depth_) return SetValues(node, range);
    const Split split = IsSmall(range) ? BestSplit(range) : BestSplit(range, sums);
    if (split.gain <= 0) return SetValues(node << (depth_ - level), range);
    const auto at = static_cast<size_t>((int64_t{1} << level) - 1 + node);
    tree_.compared[at] = split.feature;
    tree_.thresholds[at] = rows_.thresholds(split.feature)[static_cast<size_t>(split.threshold)];
    codes_[at] = static_cast<uint8_t>(split.threshold);
    const Range low{range.begin, Divide(range, split)}, high{low.end, range.end};
    if (level + 1 == depth_) {
      SetValues(2 * node, low);
      return SetValues(2 * node + 1, high);
    }
    auto [low_sums, high_sums] = DivideSums(low, high, std::move(sums));
    Grow(level + 1, 2 * node, low, std::move(low_sums));
    Grow(level + 1, 2 * node + 1, high, std::move(high_sums));
  }

  // The histograms of both sides of a split, from that of all rows.
  std::pair<Histogram, Histogram> DivideSums(Range low, Range high, Histogram all) const {
    const bool is_low_smaller = low.size() < high.size();
    const Range smaller = is_low_smaller ? low : high;
    if (IsSmall(is_low_smaller ? high : low)) return {};
    Histogram part = Sum(smaller);
    Subtract(part, all);
    if (IsSmall(smaller)) part = {};
    if (is_low_smaller) return {std::move(part), std::move(all)};
    return {std::move(all), std::move(part)};
  }

  Histogram Sum(Range range) const {
    const int64_t outputs = derivatives_.outputs, width = 2 * outputs;
    Histogram sums(static_cast<size_t>(bins_ * width));
    for (size_t i = range.begin; i < range.end; ++i) {
      const uint8_t* codes = rows_.row(sample_[i]);
      const float* derivatives = derivatives_.row(sample_[i]);
      if (outputs == 1) {
        const double first = derivatives[0], second = derivatives[1];
        for (size_t k = 0; k < features_.size(); ++k) {
          double* bin = sums.data() + 2 * (first_bins_[k] + codes[features_[k]]);
          bin[0] += first;
          bin[1] += second;
        }
        continue;
      }
      for (size_t k = 0; k < features_.size(); ++k) {
        double* bin = sums.data() + width * (first_bins_[k] + codes[features_[k]]);
        for (int64_t c = 0; c < width; ++c) bin[c] += derivatives[c];
      }
    }
    return sums;
  }

  std::vector<double> SumAll(Range range) const {
    std::vector<double> sums(static_cast<size_t>(2 * derivatives_.outputs));
    for (size_t i = range.begin; i < range.end; ++i) {
      const float* derivatives = derivatives_.row(sample_[i]);
      for (size_t c = 0; c < sums.size(); ++c) sums[c] += derivatives[c];
    }
    return sums;
  }

  // The places of the features that a node compares, at least one.
  const std::vector<size_t>& DrawNodeFeatures() {
    compared_.clear();
    for (size_t k = 0; k < features_.size(); ++k) {
      if (random_.Bernoulli(feature_share_)) compared_.push_back(k);
    }
    if (compared_.empty() && !features_.empty()) compared_.push_back(random_.UniformInt(features_.size()));
    return compared_;
  }

  // Returns the best split of a node, given its histogram.
  Split BestSplit(Range range, const Histogram& sums) {
    SplitSearch search(derivatives_.outputs, SumAll(range));
    for (const size_t k : DrawNodeFeatures()) {
      const double* bin = sums.data() + 2 * derivatives_.outputs * first_bins_[k];
      search.Begin();
      for (int64_t t = 0; t < std::ssize(rows_.thresholds(features_[k])); ++t, bin += 2 * derivatives_.outputs) {
        search.Add(bin, features_[k], t);
      }
    }
    return search.best();
  }

  // Returns the best split of a small node, without a histogram.
  Split BestSplit(Range range) {
    const int64_t width = 2 * derivatives_.outputs;
    SplitSearch search(derivatives_.outputs, SumAll(range));
    for (const size_t k : DrawNodeFeatures()) {
      const int64_t feature = features_[k];
      std::array<uint64_t, kMaxThresholds / 64 + 1> filled{};  // a bit for each bin
      for (size_t i = range.begin; i < range.end; ++i) {
        const uint8_t code = rows_.row(sample_[i])[feature];
        filled[code / 64] |= uint64_t{1} << (code % 64);
        const float* derivatives = derivatives_.row(sample_[i]);
        double* bin = one_feature_.data() + width * code;
        for (int64_t c = 0; c < width; ++c) bin[c] += derivatives[c];
      }
      search.Begin();
      for (size_t word = 0; word < filled.size(); ++word) {
        for (uint64_t bits = filled[word]; bits != 0; bits &= bits - 1) {
          const int64_t threshold = 64 * static_cast<int64_t>(word) + std::countr_zero(bits);
          double* bin = one_feature_.data() + width * threshold;
          if (threshold < std::ssize(rows_.thresholds(feature))) search.Add(bin, feature, threshold);
          std::fill_n(bin, width, 0.0);
        }
      }
    }
    return search.best();
  }

  // Moves the rows below the threshold before the others; returns where those begin.
  size_t Divide(Range range, const Split& split) {
    const auto begin = sample_.begin() + static_cast<std::ptrdiff_t>(range.begin);
    const auto end = sample_.begin() + static_cast<std::ptrdiff_t>(range.end);
    const auto middle = std::stable_partition(
        begin, end, [&](uint32_t row) { return rows_.row(row)[split.feature] <= split.threshold; });
    return static_cast<size_t>(middle - sample_.begin());
  }

  void SetValues(int64_t leaf, Range range) {
    const int64_t outputs = derivatives_.outputs;
    const std::vector<double> sums = SumAll(range);
    for (int64_t c = 0; c < outputs; ++c) {
      const double value = -sums[static_cast<size_t>(c)] / (sums[static_cast<size_t>(outputs + c)] + kLeafPenalty);
      tree_.values[static_cast<size_t>(leaf * outputs + c)] = static_cast<float>(value);
    }
  }

  uint32_t FindLeaf(const uint8_t* codes) const {
    uint32_t node = 0;
    for (uint32_t level = 0; level < static_cast<uint32_t>(depth_); ++level) {
      const uint32_t at = (uint32_t{1} << level) - 1 + node;
      node = 2 * node + (codes[tree_.compared[at]] > codes_[at] ? 1 : 0);
    }
    return node;
  }

  const BinnedFeatures& rows_;
  const LossDerivatives& derivatives_;
  const int64_t depth_;
  const double feature_share_;  // probability of a feature to be compared by a node
  RandomStream& random_;
  std::vector<uint32_t> sample_;  // the rows of a node are adjacent
  const std::vector<int64_t> features_;
  std::vector<size_t> compared_;     // places of the features that the present node compares
  std::vector<int64_t> first_bins_;  // the first bin of each feature
  int64_t bins_ = 0;
  std::vector<double> one_feature_;  // sums of the bins of a feature, 0 between two features
  DecisionTree tree_;
  std::vector<uint8_t> codes_;  // thresholds of the nodes, as numbers of a bin
};

}  // namespace

BinnedFeatures::BinnedFeatures(const float* columns, int64_t rows, int64_t features)
    : rows_(rows), thresholds_(static_cast<size_t>(features)), codes_(static_cast<size_t>(rows * features)) {
  for (int64_t j = 0; j < features; ++j) {
    const float* values = columns + j * rows;
    std::vector<float>& at = thresholds_[static_cast<size_t>(j)];
    at = Thresholds({values, values + rows});
    for (int64_t i = 0; i < rows; ++i) {
      codes_[static_cast<size_t>(i * features + j)] =
          static_cast<uint8_t>(std::ranges::lower_bound(at, values[i]) - at.begin());
    }
  }
}

DecisionTree GrowTree(const BinnedFeatures& rows, const LossDerivatives& derivatives, int64_t depth,
                      double feature_share, RandomStream& random, std::vector<uint32_t>& leaves) {
  return TreeGrower(rows, derivatives, depth, feature_share, random).Grow(leaves);
}

}  // namespace haplospin
