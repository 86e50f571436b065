// The Li-Stephens recursions of many targets at the same time, as tensors on any device: what ForwardBackward
// (imputation/copying/forward_backward.h) is for one target.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

#include "imputer_training/device/copying_batch.h"

namespace haplospin {

// States of the recursions at a block of typed markers. An entry of `forward` or `backward` is a state just past a
// typed marker, its allele seen, times its sum; at the ends of the window it is that of no markers at all.
struct CopyingBlock {
  int64_t begin;  // typed markers [begin, end): n of them
  int64_t end;
  torch::Tensor is_alt;                  // [n, T, S] the states' alleles
  torch::Tensor forward, forward_sum;    // [at least n + 1, T, S + 1], [.., T, 1]: entry k is past marker begin + k - 1
  torch::Tensor backward, backward_sum;  // the same: entry k is past marker begin + k, from the right

  int64_t size() const { return end - begin; }
};

// A GPU needs longer to start an operation than to do it, so there are few of them, whatever the number of targets.
// The first pass runs in both directions at the same time and keeps the states before each part of kSteps markers. The
// second one starts from these and runs through all parts of a block at the same time.
class TensorRecursions {
 public:
  // The batch must outlive the recursions.
  explicit TensorRecursions(const CopyingBatch& batch);

  // visit(block) sees the blocks of the window, one after the other.
  void Run(const std::function<void(const CopyingBlock&)>& visit);

 private:
  static constexpr int64_t kSteps = 16;  // typed markers of a part
  static constexpr int64_t kParts = 4;   // parts of a block

  // Steps past typed markers: a state becomes jumps + stays * state / its sum.
  struct Steps {
    torch::Tensor stays, jumps;  // [markers, T, S + 1]
  };
  enum class Direction { kForward, kBackward };

  void FillCheckpoints();
  void RunBlock(int64_t first_part);
  torch::Tensor IsAlt(int64_t begin, int64_t end) const;
  torch::Tensor Emission(const torch::Tensor& is_alt, int64_t begin, int64_t end) const;
  Steps StepsOf(const torch::Tensor& emission, int64_t begin, Direction direction) const;

  const CopyingBatch& batch_;
  int64_t num_parts_;
  torch::Tensor staying_;                        // [intervals, 1, 1] 1 - switch probability
  torch::Tensor jump_;                           // [intervals, T, 1] the probability of switching to one haplotype
  torch::Tensor checkpoints_, checkpoint_sums_;  // [parts, 2, T, S + 1], [.., 1]: before the parts of each direction
  CopyingBlock block_;
};

}  // namespace haplospin
