#include "imputer_training/torch_candidate_search.h"

#include <oneapi/tbb/parallel_for.h>
#include <torch/types.h>

#include "haplospin/errors.h"
#include "imputer_training/candidate_selection.h"
#include "imputer_training/copying_batch.h"
#include "imputer_training/tensor_recursions.h"

namespace haplospin {
namespace {

// The candidates of target t. The tensors are on the CPU.
void CopyCandidatesOf(const TypedPanel& panel, const SelectedCandidates& selected, int64_t t,
                      const CandidateTask& task) {
  const int64_t targets = selected.count.size(1), max_count = selected.state.size(2);
  CopyCandidates& candidates = *task.candidates;
  candidates.Resize(panel.num_intervals());
  for (size_t a = 0; a < panel.anchors().size(); ++a) {
    const uint32_t anchor = panel.anchors()[a];
    const int64_t row = static_cast<int64_t>(a) * targets + t;
    const bool is_needed = task.weight.empty() || task.weight[anchor] > 0;
    const int count = is_needed ? selected.count.data_ptr<int>()[row] : 0;
    candidates.count[anchor] = static_cast<uint16_t>(count);
    for (int k = 0; k < count; ++k) {
      const int64_t from = row * max_count + k;
      const size_t to = anchor * kMaxCandidates + static_cast<size_t>(k);
      const auto state = static_cast<size_t>(selected.state.data_ptr<int>()[from]);
      candidates.haplotype[to] = task.states->haplotype(state, anchor);
      candidates.forward[to] = selected.forward.data_ptr<float>()[from];
      candidates.backward[to] = selected.backward.data_ptr<float>()[from];
    }
  }
}

void CopyLeftOut(const torch::Tensor& left_out, int64_t t, const CandidateTask& task) {
  const int64_t targets = left_out.size(1);
  HS_ASSERT(static_cast<int64_t>(task.left_out.size()) == left_out.size(0));
  for (size_t j = 0; j < task.left_out.size(); ++j) {
    const bool is_needed = task.weight.empty() || task.weight[j] > 0;
    task.left_out[j] = is_needed ? left_out.data_ptr<float>()[static_cast<int64_t>(j) * targets + t] : 0.0f;
  }
}

SelectedCandidates OnCpu(const SelectedCandidates& selected) {
  return {selected.count.cpu(), selected.state.cpu(), selected.forward.cpu(), selected.backward.cpu(),
          selected.left_out.cpu()};
}

}  // namespace

void TorchCandidateSearch::Find(const TypedPanel& panel, const CopyingModel& model, float min_product,
                                std::span<const CandidateTask> tasks) {
  const torch::NoGradGuard no_grad;
  const CopyingBatch batch(panel, model, tasks, device_);
  CandidateSelection selection(panel, batch, min_product);
  TensorRecursions(batch).Run([&](const CopyingBlock& block) { selection.Visit(block); });
  const SelectedCandidates selected = OnCpu(selection.selected());
  tbb::parallel_for(size_t{0}, tasks.size(), [&](size_t t) {
    CopyCandidatesOf(panel, selected, static_cast<int64_t>(t), tasks[t]);
    CopyLeftOut(selected.left_out, static_cast<int64_t>(t), tasks[t]);
  });
}

}  // namespace haplospin
