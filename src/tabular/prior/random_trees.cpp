#include "tabular/prior/random_trees.h"

#include <algorithm>
#include <span>

namespace haplospin {
namespace {

using Parents = std::vector<const std::vector<float>*>;

// Adds a tree's value to `sum` at the rows of a node.
class Tree {
 public:
  Tree(const Parents& parents, RandomStream& random, std::vector<float>& sum)
      : parents_(parents), random_(random), sum_(sum) {}

  void Grow(std::span<size_t> rows, uint64_t depth, float value) {
    if (rows.empty()) return;
    if (depth == 0 || rows.size() == 1) {
      for (const size_t row : rows) sum_[row] += value;
      return;
    }
    const std::vector<float>& column = *parents_[random_.UniformInt(parents_.size())];
    const float threshold = column[rows[random_.UniformInt(rows.size())]];
    const auto right = std::ranges::partition(rows, [&](size_t row) { return column[row] <= threshold; });
    const size_t left = rows.size() - right.size();
    // Deeper splits matter less.
    const auto step = static_cast<float>(depth) * 0.3f;
    Grow(rows.first(left), depth - 1, value + step * static_cast<float>(random_.Normal()));
    Grow(rows.subspan(left), depth - 1, value + step * static_cast<float>(random_.Normal()));
  }

 private:
  const Parents& parents_;
  RandomStream& random_;
  std::vector<float>& sum_;
};

}  // namespace

std::vector<float> TreeFunction(const Parents& parents, RandomStream& random) {
  const size_t n = parents.front()->size();
  const uint64_t trees = random.Bernoulli(0.4) ? 1 : 2 + random.UniformInt(20);
  const uint64_t depth = 1 + random.UniformInt(trees == 1 ? 6 : 4);
  std::vector<float> sum(n);
  std::vector<size_t> rows(n);
  for (uint64_t tree = 0; tree < trees; ++tree) {
    for (size_t i = 0; i < n; ++i) rows[i] = i;
    Tree(parents, random, sum).Grow(rows, depth, 0);
  }
  return sum;
}

}  // namespace haplospin
