// The Li-Stephens recursions over all reference haplotypes, one interval after the other, in little memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "haplospin/study_genotypes.h"
#include "imputation/copying/copying_kernels.h"
#include "imputation/copying/copying_model.h"
#include "imputation/copying/typed_panel.h"

namespace haplospin {

// Copying probabilities just past a typed marker (its allele seen), times `sum`.
struct CopyState {
  const float* values = nullptr;  // [haplotypes]
  float sum = 1;

  // Moves them `switch_probability` further and normalizes their sum to 1.
  HalfStep Move(float switch_probability, size_t num_haplotypes) const {
    return {(1 - switch_probability) / sum, switch_probability / static_cast<float>(num_haplotypes)};
  }
};

// Workspace of one thread. The forward pass keeps every kBlock-th state and is run again block by block as the backward
// pass comes by, so memory is (typed / kBlock + kBlock) x haplotypes.
class ForwardBackward {
 public:
  // visit(interval, forward, backward) sees the intervals from the last to the first: the forward state at the typed
  // marker before it and the backward state at the one after it. At the ends of the window the state is uniform.
  template <typename Visitor>
  void Run(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
           const ExcludedHaplotypes& excluded, Visitor&& visit) {
    Run(panel, model, target, excluded, visit, [](size_t, const CopyState&, const CopyState&) {});
  }

  // visit_typed(j, forward, backward) sees each typed marker j, between its intervals, with both states at it.
  template <typename Visitor, typename TypedVisitor>
  void Run(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
           const ExcludedHaplotypes& excluded, Visitor&& visit, TypedVisitor&& visit_typed) {
    Start(panel, model, target, excluded);
    const size_t m = panel.num_typed();
    for (size_t begin = (m - 1) / kBlock * kBlock;; begin -= kBlock) {
      FillBlock(begin, std::min(begin + kBlock, m));
      for (size_t i = std::min(begin + kBlock, m); i > begin; --i) {
        visit(i, BlockState(i - 1 - begin), backward_);
        StepBackward(i - 1);
        visit_typed(i - 1, BlockState(i - 1 - begin), backward_);
      }
      if (begin == 0) break;
    }
    visit(size_t{0}, CopyState{uniform_.data(), 1.0f}, backward_);
  }

  // The number of haplotypes that can be copied: those of the panel minus the excluded ones.
  size_t num_copied() const { return n_ - excluded_.count; }

 private:
  static constexpr size_t kBlock = 32;

  void Start(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
             const ExcludedHaplotypes& excluded);
  void FillBlock(size_t begin, size_t end);
  void StepBackward(size_t j);  // past typed marker j
  float Step(const CopyState& in, float switch_probability, size_t j, float* out) const;
  CopyState BlockState(size_t k) const { return {block_.data() + k * n_, block_sums_[k]}; }

  const TypedPanel* panel_ = nullptr;
  const CopyingModel* model_ = nullptr;
  const TargetHaplotype* target_ = nullptr;
  ExcludedHaplotypes excluded_;
  size_t n_ = 0;
  std::vector<float> uniform_;
  std::vector<float> checkpoints_;  // [blocks][haplotypes]: the state just before each block
  std::vector<float> checkpoint_sums_;
  std::vector<float> block_;  // [kBlock][haplotypes]
  std::vector<float> block_sums_;
  std::vector<float> backward_values_;
  CopyState backward_;
};

}  // namespace haplospin
