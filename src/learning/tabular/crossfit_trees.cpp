#include "learning/tabular/crossfit_trees.h"

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "learning/tabular/label_distribution.h"

namespace haplospin {
namespace {

using torch::Tensor;

constexpr int64_t kParts = 8, kFewParts = 4, kFewPartsRows = 1024;
constexpr int64_t kMinTreeRows = 40;
constexpr uint64_t kPartStream = 62;  // key of the random draws

// The rows with the column of labels after those of their features.
EncodedTable WithLabels(const EncodedTable& rows, const Tensor& labels) {
  return {torch::cat({rows.values, labels.to(torch::kFloat32).unsqueeze(1)}, 1),
          torch::cat({rows.missing, torch::zeros({rows.rows(), 1}, torch::kBool)}, 1)};
}

// The share of other predictions that lowers the squared error most; 0 if it does not lower it by more than a standard
// error. change: other predictions minus the first; errors: targets minus the first. [n, outputs]
double BestShare(const Tensor& change, const Tensor& errors) {
  const double square = change.square().sum().item<double>();
  if (square <= 0) return 0;
  const double share = std::clamp((change * errors).sum().item<double>() / square, 0.0, 1.0);
  const Tensor lowered = (errors.square() - (errors - share * change).square()).sum(1);
  const double standard_error = lowered.std().item<double>() / std::sqrt(static_cast<double>(lowered.size(0)));
  return lowered.mean().item<double>() > standard_error ? share : 0;
}

}  // namespace

CrossfitTrees::CrossfitTrees(const EncodedTable& known, const Attributes& columns, const Tensor& labels,
                             int64_t classes, const Tensor& compared, const Tensor& predictions, uint64_t seed,
                             const Advance& advance)
    : classes_(classes), compared_predictions_(predictions) {
  const int64_t n = known.rows();
  if (n < kMinTreeRows) return;
  Attributes attributes = columns;
  attributes.push_back({.classes = classes});
  const Tensor is_target = torch::arange(std::ssize(attributes)) >= std::ssize(columns);
  const EncodedTable rows = WithLabels(known, labels);
  RandomStream random(seed, {kPartStream});
  const Tensor order = torch::tensor(RandomOrder<int64_t>(n, random));
  const int64_t parts = n > kFewPartsRows ? kFewParts : kParts;
  std::vector<Tensor> tested;
  std::vector<TreeRows> splits;
  std::vector<BoostedTrees*> all;
  for (int64_t part = 0; part < parts; ++part) {
    const Tensor is_tested = torch::arange(n) % parts == part;
    tested.push_back(order.masked_select(is_tested));
    splits.push_back({rows.Rows(order.masked_select(~is_tested)), rows.Rows(tested.back())});
    trees_.push_back(std::make_shared<BoostedTrees>(attributes, is_target));
    all.push_back(trees_.back().get());
  }
  BoostedTrees::FitTogether(all, splits, seed, advance);
  Tensor place = torch::full({n}, -1, torch::kInt64);  // place among the rows that are compared, or -1
  place.index_copy_(0, compared, torch::arange(compared.size(0)));
  Tensor by_trees = torch::empty_like(predictions);
  for (size_t part = 0; part < tested.size(); ++part) {
    const Tensor at = place.index_select(0, tested[part]), is_compared = at >= 0;
    const Tensor rows_tested = tested[part].masked_select(is_compared);
    by_trees.index_copy_(0, at.masked_select(is_compared), PredictOne(*trees_[part], known.Rows(rows_tested)));
  }
  const Tensor targets = LabelTargets(labels, classes).index_select(0, compared);
  share_ = BestShare(by_trees - predictions, targets - predictions);
  compared_predictions_ = predictions + share_ * (by_trees - predictions);
  if (share_ == 0) trees_.clear();
}

Tensor CrossfitTrees::PredictOne(const BoostedTrees& trees, const EncodedTable& rows) const {
  const int64_t columns = rows.values.size(1);
  const Tensor predicted = trees.forward(WithLabels(rows, torch::zeros({rows.rows()})).Masked()).select(1, columns);
  return classes_ == 0 ? predicted.narrow(1, 0, 1) : predicted.narrow(1, 0, classes_).softmax(1);
}

Tensor CrossfitTrees::Combine(const EncodedTable& rows, const Tensor& predictions) const {
  if (trees_.empty()) return predictions;
  Tensor sum = torch::zeros_like(predictions);
  for (const auto& trees : trees_) sum += PredictOne(*trees, rows);
  return predictions + share_ * (sum / static_cast<double>(trees_.size()) - predictions);
}

}  // namespace haplospin
