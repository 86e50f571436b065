// The loss of models that predict the masked entries of a table.
#pragma once

#include <torch/types.h>

#include "nn/layers/attributes.h"

namespace haplospin {

struct TableLosses {
  torch::Tensor labels;      // mean over the entries of target columns that count; 0 where there are none
  torch::Tensor attributes;  // the same for the other columns

  // (1 - tradeoff) labels + tradeoff attributes (SPIN, section 3.4; NPT, section 2.6).
  torch::Tensor Total(double tradeoff) const { return (1.0 - tradeoff) * labels + tradeoff * attributes; }
};

// Cross-entropy for categorical attributes, squared error for continuous ones (SPIN, appendix A.2); each mean is over
// the entries in the loss (NPT, appendix C.5). predictions [n, d, c] as AttributeHeads gives them, truth [n, d],
// in_loss [n, d] (bool), is_target [d] (bool).
TableLosses TableLoss(const torch::Tensor& predictions, const torch::Tensor& truth, const torch::Tensor& in_loss,
                      const torch::Tensor& is_target, const Attributes& attributes);

}  // namespace haplospin
