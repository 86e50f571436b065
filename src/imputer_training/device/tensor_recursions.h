// The Li-Stephens recursions of many targets at the same time, as tensors on any device: what ForwardBackward
// (imputation/copying/forward_backward.h) is for one target.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

#include "imputer_training/device/copying_batch.h"

namespace haplospin {

// States of the recursion at up to kBlock typed markers. An entry of `forward` or `backward` is a state just past a
// typed marker, its allele seen, times its sum; at the ends of the window it is that of no markers at all.
struct CopyingBlock {
  int64_t begin;  // typed markers [begin, end)
  int64_t end;
  torch::Tensor is_alt;                // [kBlock, T, S] the states' alleles
  torch::Tensor emission;              // [kBlock, T, S + 1] the probability of the target's allele
  torch::Tensor forward, forward_sum;  // [kBlock + 1, T, S + 1], [.., T, 1]: entry k is past typed marker begin + k - 1
  torch::Tensor backward, backward_sum;  // the same: entry k is past typed marker begin + k, from the right

  int64_t size() const { return end - begin; }
};

// The forward pass keeps the state before each block, and is run again block by block as the backward pass comes by.
class TensorRecursions {
 public:
  static constexpr int64_t kBlock = 16;

  // The batch must outlive the recursions.
  explicit TensorRecursions(const CopyingBatch& batch);

  // visit(block) sees the blocks of the window from the last to the first.
  void Run(const std::function<void(const CopyingBlock&)>& visit);

 private:
  void StartBlock(int64_t index);
  void RunForward();
  void RunBackward();
  void Step(const torch::Tensor& in, const torch::Tensor& in_sum, int64_t interval, const torch::Tensor& emission,
            torch::Tensor out, torch::Tensor out_sum);

  const CopyingBatch& batch_;
  int64_t num_blocks_;
  torch::Tensor even_;                           // [T, S + 1] the state of no markers
  torch::Tensor staying_;                        // [typed + 1, 1, 1] 1 - switch probability
  torch::Tensor jump_;                           // [typed + 1, T, 1] the probability of switching to one haplotype
  torch::Tensor keep_;                           // [T, 1] of the present step
  torch::Tensor jumps_;                          // [T, S + 1] the same
  torch::Tensor checkpoints_, checkpoint_sums_;  // [blocks, T, S + 1], [blocks, T, 1]: the state before each block
  CopyingBlock block_;
};

}  // namespace haplospin
