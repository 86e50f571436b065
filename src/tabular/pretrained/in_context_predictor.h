// Predictions for a table without training: by Gaussian processes, which a pretrained network may correct.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "models/in_context/cell_inputs.h"
#include "models/in_context/in_context_network.h"
#include "models/in_context/kernel_fits.h"
#include "tabular/pretrained/table_task.h"
#include "tabular/table_encoder.h"
#include "tabular/table_predictions.h"

namespace haplospin {

inline constexpr int64_t kMaxInContextColumns = 500;
inline constexpr int64_t kMaxInContextClasses = 1000;
inline constexpr int64_t kMaxInContextRows = 4096;  // that are read of a context, evenly spaced ones

struct InContextSettings {
  int64_t views = 1;  // passes of the network whose mean is taken, with other random numbers
  uint64_t seed = 1;
  std::vector<double> quantiles;  // of numbers, to be predicted
};

class InContextPredictor {
 public:
  // `network` may be empty. Reads the rows of `context`; each target from those in which it is known. Every target has
  // a known value.
  InContextPredictor(const InContextNetwork& network, const EncodedTable& context, const Attributes& attributes,
                     const torch::Tensor& is_target, InContextSettings settings);

  // Of targets, in the units of the context; 0 of other attributes. A deviation is that of the distribution that is
  // predicted for a number.
  TablePredictions Predict(const EncodedTable& rows) const;

 private:
  // The context as the network reads it for one target with one set of random numbers.
  struct View {
    CellEncoder encoder;
    std::vector<LayerContext> context;
  };
  // A target as the network knows labels: a number, or at most kMaxClasses classes.
  struct CodedTarget {
    std::vector<int64_t> code;  // the network's class for each class
    int64_t outputs = 0;        // classes of the network; 0: a number
    KernelFits fits;
    std::vector<View> views;
  };
  struct Target {
    int64_t attribute = 0, classes = 0;
    LabelScale scale;                // of a number in the context
    std::vector<CodedTarget> coded;  // one, or several that tell many classes apart together
  };

  Target ReadTarget(const EncodedTable& context, int64_t attribute) const;
  CodedTarget Code(const TaskTable& table, const torch::Tensor& labels, std::vector<int64_t> code, int64_t views,
                   RandomStream random) const;
  torch::Tensor Correction(const CodedTarget& coded, const View& view, const torch::Tensor& cells,
                           const FitPredictions& fitted) const;
  torch::Tensor Probabilities(const CodedTarget& coded, const EncodedTable& features) const;
  torch::Tensor ClassProbabilities(const Target& target, const EncodedTable& features) const;

  void SetNumber(const Target& target, const torch::Tensor& probabilities, int64_t first, TablePredictions& all) const;

  InContextNetwork network_;
  Attributes attributes_;
  InContextSettings settings_;
  torch::Tensor features_;  // int64: the attributes that are not targets
  int64_t outputs_ = 1;
  std::vector<Target> targets_;
};

}  // namespace haplospin
