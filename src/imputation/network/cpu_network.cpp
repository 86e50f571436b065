#include "imputation/network/cpu_network.h"

namespace haplospin {

void CpuComputation::AddInterval(const CopyFeatures& features, size_t num_candidates) {
  features_ = &features;
  RunMlp(network_.copy, features.values, num_candidates, scratch_, attention_.logit);
  FinishAttention(features, network_.forward, network_.backward, num_candidates, attention_);
}

}  // namespace haplospin
