#include "tabular/trees/tree_growing.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <numeric>
#include <span>

namespace haplospin {
namespace {

constexpr int64_t kMaxThresholds = 63;      // thresholds of a feature
constexpr double kRowShare = 0.7;           // share of the rows that a tree is grown on
constexpr double kFeatureShare = 0.7;       // share of the features that a tree may compare
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

std::vector<int64_t> DrawFeatures(const BinnedFeatures& rows, RandomStream& random) {
  std::vector<int64_t> features;
  for (int64_t j = 0; j < rows.features(); ++j) {
    if (!rows.thresholds(j).empty()) features.push_back(j);
  }
  random.Shuffle(std::span(features));
  features.resize(static_cast<size_t>(std::ceil(kFeatureShare * static_cast<double>(features.size()))));
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

ObliviousTree GrowTree(const BinnedFeatures& rows, const LossDerivatives& derivatives, RandomStream& random,
                       std::vector<uint32_t>& leaves) {
  const std::vector<uint32_t> sample = DrawSample(rows.rows(), random);
  const std::vector<int64_t> features = DrawFeatures(rows, random);
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

}  // namespace haplospin
