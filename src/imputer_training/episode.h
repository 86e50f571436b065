// Meta-learning episodes: a haplotype of a panel is the target, the others of its sub-panel are the context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/random.h"
#include "imputer_training/network_inputs.h"
#include "imputer_training/training_data.h"

namespace haplospin {

struct EpisodeOptions {
  size_t stretch = 60;            // intervals of one episode
  size_t max_markers = 1500;      // of one episode; a random choice where it has more
  size_t min_haplotypes = 100;    // of a sub-panel
  double full_panel_share = 0.5;  // of tasks that use all haplotypes
  double real_array_share = 0.5;  // of tasks that use a given site list, if there are any
  double min_spacing_bp = 1500;   // of drawn arrays, log-uniform
  double max_spacing_bp = 12000;
  double true_map_share = 0.8;  // of tasks that use the panel's map, the others 1 cM per Mb
  double max_map_factor =
      4;  // either is scaled by up to this factor: rates differ between regions, and maps have errors
  double clean_share = 0.5;          // of tasks whose targets have no wrong alleles and no switch errors
  double max_error_rate = 0.005;     // of a target's typed alleles, in the other tasks
  double max_switches_per_cm = 0.3;  // of a target's phase
  double max_missing_rate = 0.02;
  size_t people = 64;  // of a task, whose haplotypes are its targets: one search of the panel serves all of them
  CopyingOptions copying;
};

// The network's inputs for many episodes, and the truth.
struct EpisodeBatch : NetworkInputs {
  std::vector<float> truth;   // [markers] 1 where the target carries the minor allele
  std::vector<float> weight;  // [markers] in the loss

  // Markers at which all candidates agree: only the frequency in the panel is used.
  std::vector<float> plain_frequency;  // of the minor allele in the panel
  std::vector<float> plain_candidate;  // 1 where all candidates carry it
  std::vector<float> plain_truth;
  std::vector<float> plain_weight;

  // Of all markers.
  void SetWeight(float all);
  void Append(const EpisodeBatch& other);
};

// A window of a sub-panel masked to an array, from which episodes are drawn.
class TrainingTask {
 public:
  // Draws region, sub-panel, array, error rates and people. Takes about a second, more in a large panel.
  TrainingTask(const std::vector<TrainingPanel>& panels, const EpisodeOptions& options, RandomStream random);
  ~TrainingTask();
  TrainingTask(TrainingTask&&) noexcept;
  TrainingTask& operator=(TrainingTask&&) noexcept;

  // Draws one of the task's people and adds `stretches` segments of each of its haplotypes.
  void AddEpisodes(size_t stretches, RandomStream random, EpisodeBatch& batch) const;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace haplospin
