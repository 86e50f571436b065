// Imputes many targets at the same time through LibTorch, on the CPU or a GPU. Only the choice of states runs on the
// CPU, as in imputation/imputing/cpu_backend.cpp.
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/task_group.h>
#include <torch/types.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "imputation/imputing/backend.h"
#include "imputation/imputing/phase_average.h"
#include "imputer_training/device/candidate_features.h"
#include "imputer_training/device/copying_batch.h"
#include "imputer_training/device/window_tensors.h"
#include "imputer_training/imputer_network.h"

namespace haplospin {

// A batch is imputed in the background, in groups of as many targets as fit into memory. While a group is computed, the
// next one is prepared and the one before is written.
class DeviceWindow : public BackendWindow {
 public:
  // Takes about `max_bytes` on the device, besides the window. What `task` refers to must outlive the object.
  DeviceWindow(const WindowTask& task, ImputerNetwork network, torch::Device device, size_t max_bytes);
  ~DeviceWindow() noexcept override;

  void Impute(std::unique_ptr<const SampleBatch> batch) override;
  void Finish() override;

 private:
  struct Target {
    const SampleTargets* of;
    size_t index;   // index of the target in `of`
    size_t sample;  // index of the sample in the group
  };

  // Samples [begin, end) of a batch, and the results of their targets.
  struct Group {
    size_t begin = 0;
    size_t end = 0;
    std::vector<Target> targets;
    std::optional<CopyingBatch> copying;     // input of the recursions, on the device
    std::vector<TargetProbabilities> found;  // [targets]
  };

  using SharedStates = std::shared_ptr<const PackedStates>;

  void ImputeBatch(const SampleBatch& batch);
  void Prepare(const SampleBatch& batch, size_t begin, Group& group);
  void Compute(Group& group) const;
  void Write(const SampleBatch& batch, const Group& group) const;

  std::vector<SharedStates> ChooseStates(const SampleBatch& batch, const Group& group);
  CandidateTensors FindCandidates(Group& group) const;
  torch::Tensor HasWeight(const Group& group) const;
  torch::Tensor MinorProbabilities(const TargetTensors& targets, const torch::Tensor& centered,
                                   const CandidateTensors& candidates) const;
  torch::Tensor Carriers(const CandidateTensors& candidates) const;
  torch::Tensor Given(const TargetTensors& targets) const;
  torch::Tensor Regressions(const torch::Tensor& marker, const torch::Tensor& target,
                            const torch::Tensor& centered) const;
  torch::Tensor CenteredAlleles(std::span<const TargetHaplotype* const> targets) const;  // [T, J]
  size_t MaxTargets() const;
  int64_t TargetsOfPart() const;

  const WindowTask task_;
  const PanelWindow& panel_;
  mutable ImputerNetwork network_;
  const float panel_share_;
  const torch::Device device_;
  const size_t max_bytes_;
  const WindowTensors window_;
  tbb::enumerable_thread_specific<CopyingStates> states_;  // workspace of each thread
  std::unique_ptr<const SampleBatch> batch_;               // the batch that background_ imputes
  tbb::task_group background_;
};

}  // namespace haplospin
