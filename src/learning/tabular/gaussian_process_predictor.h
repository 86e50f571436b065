// Predictions for a table without training, by Gaussian processes and boosted trees.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "learning/tabular/crossfit_trees.h"
#include "learning/tabular/kernel_fits.h"
#include "learning/tabular/label_distribution.h"
#include "learning/tabular/table_encoder.h"

namespace haplospin {

inline constexpr int64_t kMaxGaussianProcessColumns = 500;
inline constexpr int64_t kMaxGaussianProcessClasses = 1000;
inline constexpr int64_t kMaxKnownRows = 100'000;  // used if there are more, evenly spaced

// Predictions for rows of a table.
struct TablePredictions {
  torch::Tensor values;      // [b, d, c]: the probability of each class, or the mean at index 0
  torch::Tensor deviations;  // [b, d]: the standard deviation of the error to expect of a number
  torch::Tensor quantiles;   // [b, d, k], of numbers; undefined unless they were asked for
};

class GaussianProcessPredictor {
 public:
  // Fits each target to the known rows that have it. Every target has a known value. `with_trees`: boosted trees have a
  // share in numbers and in up to ten classes. `quantiles` of numbers are predicted, too. `seed` draws the codes of
  // more than ten classes, and the rows of trees. `advance` is called after every regression and every round of trees.
  // All is computed on the CPU.
  GaussianProcessPredictor(const EncodedTable& known, const Attributes& attributes, const torch::Tensor& is_target,
                           uint64_t seed, bool with_trees, std::vector<double> quantiles = {},
                           const Advance& advance = {});

  // Predicts targets in standardized units; features are 0.
  TablePredictions Predict(const EncodedTable& rows) const;

 private:
  // Classes are told apart by the ten digits of a code, each of which stands for one or several classes.
  struct Code {
    std::vector<int64_t> digits;  // a digit for each class; empty for a number
    KernelFits fits;
    std::optional<CrossfitTrees> trees;
    LabelDistribution distribution;

    // The means of the indicators of digits, or of the number.
    torch::Tensor Means(const EncodedTable& features) const {
      const torch::Tensor means = fits.Predict(features);
      return trees ? trees->Combine(features, means) : means;
    }
  };
  struct Target {
    int64_t attribute = 0, classes = 0;
    double mean = 0, deviation = 1;  // scale of a number in the known rows
    std::vector<Code> codes;         // several if there are more than ten classes
  };

  Target FitTarget(const EncodedTable& known, int64_t attribute, uint64_t seed, bool with_trees,
                   const Advance& advance) const;
  static torch::Tensor ClassProbabilities(const Target& target, const EncodedTable& features);

  Attributes attributes_;
  torch::Tensor features_;  // int64: the attributes that are not targets
  std::vector<double> quantiles_;
  int64_t outputs_ = 1;
  std::vector<Target> targets_;
};

}  // namespace haplospin
