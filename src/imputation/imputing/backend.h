// What imputes target haplotypes: the vector kernels (cpu_backend.h) or LibTorch, on the CPU or a GPU
// (imputer_training/device/torch_backend.h).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "haplospin/haplotype_panel.h"
#include "imputation/copying/copying_model.h"
#include "imputation/copying/panel_populations.h"
#include "imputation/copying/stage_times.h"
#include "imputation/copying/state_selection.h"
#include "imputation/copying/typed_panel.h"
#include "imputation/network/allele_features.h"
#include "imputation/network/marker_regression.h"
#include "imputation/network/window_alleles.h"

namespace haplospin {

// Data shared by all targets of a window.
struct WindowContext {
  const HaplotypePanel& panel;
  const TypedPanel& array;
  const PanelCopying& panel_copying;  // how the panel's haplotypes copy each other
  const PanelPopulations& populations;
  const WindowAlleles& alleles;
  const WindowRegression& regression;
  const std::vector<MarkerFeatures>& marker_features;  // of alleles.begin() on
  const std::vector<uint32_t>& sample_of;              // of each reference haplotype
  const CopyingOptions& copying;
  StageTimes& times;
};

// A haplotype of a study sample, or of another version of the sample's phase.
struct TargetTask {
  const TargetHaplotype* target;
  const CopyingModel* model;  // of its batch of samples: the switch probabilities are the same for all
  size_t sample;              // which it belongs to: those of a sample are adjacent, the most probable phase first
  bool is_other_version;      // than the most probable phase
  size_t selected;            // its states are those of this target of a selection
  bool has_states_of_both;    // or those for it and the next together
  std::span<const float> weight = {};  // [intervals] of its version: where it is 0, nothing is computed; empty: 1

  std::span<float> minor_probability = {};  // [markers] receives that of the minor allele, unless the allele is given
  std::span<float> left_out = {};           // [typed] receives that of ALT given all other alleles
};

// All targets of one or more samples, and what a backend has prepared for them.
struct TargetGroup {
  TargetGroup(const StateSelection& states, std::span<const TargetTask> targets) : selection(states), tasks(targets) {}
  virtual ~TargetGroup() = default;

  const StateSelection& selection;
  const std::span<const TargetTask> tasks;
};

// Imputes targets in one window. Used by one thread at a time, but that the next group may be prepared while another
// one is imputed.
class TargetImputer {
 public:
  virtual ~TargetImputer() = default;

  // The selection and the tasks must outlive the group.
  virtual std::unique_ptr<TargetGroup> Prepare(const StateSelection& selection, std::span<const TargetTask> tasks) {
    return std::make_unique<TargetGroup>(selection, tasks);
  }
  virtual void Impute(TargetGroup& group) = 0;

  // About how many targets to impute at a time; those of a sample are never divided.
  virtual size_t max_targets() const { return 1; }
};

// Several threads may use it.
class ImputerBackend {
 public:
  virtual ~ImputerBackend() = default;

  // The context and the backend must outlive the imputer.
  virtual std::unique_ptr<TargetImputer> NewTargetImputer(const WindowContext& context) = 0;

  // Whether an imputer takes many samples at a time and uses all threads itself. Otherwise each thread needs one.
  virtual bool ImputesInGroups() const { return false; }

  // Memory of an imputer that takes many samples at a time, besides that of the window: on a GPU, of the GPU.
  void LimitGroupBytes(size_t bytes) { max_group_bytes_ = bytes; }
  size_t max_group_bytes() const { return max_group_bytes_; }

 private:
  size_t max_group_bytes_ = size_t{1} << 30;
};

}  // namespace haplospin
