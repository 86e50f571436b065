// Imputes many targets at the same time through LibTorch, on the CPU or a GPU: all that cpu_backend.cpp does for one
// target after the other, but for the choice of states.
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <torch/types.h>

#include <memory>
#include <span>
#include <vector>

#include "imputation/imputing/backend.h"
#include "imputer_training/device/candidate_features.h"
#include "imputer_training/device/packed_states.h"
#include "imputer_training/device/sample_shares.h"
#include "imputer_training/device/window_tensors.h"
#include "imputer_training/imputer_network.h"

namespace haplospin {

class DeviceImputer : public TargetImputer {
 public:
  // Takes about `max_bytes` on the device, besides the window.
  DeviceImputer(const WindowContext& context, ImputerNetwork network, torch::Device device, size_t max_bytes);

  std::unique_ptr<TargetGroup> Prepare(const StateSelection& selection, std::span<const TargetTask> tasks) override;
  void Impute(TargetGroup& group) override;
  size_t max_targets() const override;

 private:
  // With what the recursions run over, on the device.
  struct DeviceGroup;

  using SharedStates = std::shared_ptr<const PackedStates>;

  std::vector<SharedStates> ChooseStates(const StateSelection& selection, std::span<const TargetTask> tasks);
  CandidateTensors FindCandidates(const DeviceGroup& group) const;
  torch::Tensor HasWeight(std::span<const TargetTask> tasks) const;
  torch::Tensor MinorProbabilities(const TargetTensors& targets, const torch::Tensor& centered,
                                   const CandidateTensors& candidates);
  torch::Tensor Carriers(const CandidateTensors& candidates) const;
  torch::Tensor Given(const TargetTensors& targets) const;
  torch::Tensor Regressions(const torch::Tensor& marker, const torch::Tensor& target,
                            const torch::Tensor& centered) const;
  torch::Tensor CenteredAlleles(std::span<const TargetTask> tasks) const;  // [T, J]
  int64_t TargetsOfPart() const;

  const WindowContext& context_;
  ImputerNetwork network_;
  const float panel_share_;
  const torch::Device device_;
  const size_t max_bytes_;
  const WindowTensors window_;
  tbb::enumerable_thread_specific<CopyingStates> states_;  // workspace of each thread
};

}  // namespace haplospin
