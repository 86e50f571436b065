// The candidates of many targets through LibTorch, on the CPU or a GPU.
#pragma once

#include <torch/types.h>

#include "imputation/copying/candidate_search.h"

namespace haplospin {

class TorchCandidateSearch : public CandidateSearch {
 public:
  explicit TorchCandidateSearch(torch::Device device) : device_(device) {}

  void Find(const TypedPanel& panel, const CopyingModel& model, float min_product,
            std::span<const CandidateTask> tasks) override;

 private:
  torch::Device device_;
};

}  // namespace haplospin
