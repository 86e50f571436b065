// The best states of many targets, chosen from the recursions as they pass by, on the same device.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "imputation/copying/typed_panel.h"
#include "imputer_training/device/copying_batch.h"
#include "imputer_training/device/tensor_recursions.h"

namespace haplospin {

// A anchors, T targets, up to C candidates.
struct SelectedCandidates {
  torch::Tensor count;              // [A, T] int32
  torch::Tensor state;              // [A, T, C] int32, the first `count` of them ascending
  torch::Tensor forward, backward;  // [A, T, C] their copying probabilities, times the haplotypes that can be copied
  torch::Tensor at_left, at_right;  // [A, T, C] of CopyCandidates; 0 in other slots
  torch::Tensor left_out;           // [typed, T] ALT probability given all other alleles
};

class CandidateSelection {
 public:
  // The panel and the batch must outlive the selection.
  CandidateSelection(const TypedPanel& panel, const CopyingBatch& batch, float min_product);

  void Visit(const CopyingBlock& block);

  // Of the blocks visited.
  const SelectedCandidates& selected() const { return selected_; }

 private:
  struct Ends;

  void SelectBest(const Ends& ends, int64_t first_anchor);
  torch::Tensor LeftOut(const CopyingBlock& block) const;
  int64_t AnchorsBefore(int64_t interval) const;

  const TypedPanel& panel_;
  const CopyingBatch& batch_;
  float min_product_;
  int64_t max_count_;
  torch::Tensor anchors_;      // [A] intervals
  torch::Tensor switching_;    // [A, 1, 1] switch probability of an anchor's interval
  torch::Tensor state_order_;  // [S] descending
  SelectedCandidates selected_;
};

// Of all targets of a batch.
SelectedCandidates SelectCandidates(const TypedPanel& panel, const CopyingBatch& batch, float min_product);

}  // namespace haplospin
