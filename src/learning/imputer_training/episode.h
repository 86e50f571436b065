// Meta-learning episodes: a haplotype of a panel is the target, the others of its sub-panel are the context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/random.h"
#include "learning/imputer_training/network_inputs.h"
#include "learning/imputer_training/training_data.h"

namespace haplospin {

struct EpisodeOptions {
  size_t stretch = 60;            // intervals of an episode
  size_t max_markers = 1500;      // markers of an episode, chosen at random if it has more
  size_t min_haplotypes = 100;    // haplotypes of a sub-panel
  double real_array_share = 0.5;  // fraction of the tasks that use a given site list, if there are any
  double min_spacing_bp = 1500;   // spacing of the sites of a random array, log-uniform
  double max_spacing_bp = 12000;
  double clean_share = 0.5;  // fraction of the tasks whose targets have no wrong alleles and no switch errors
};

// The network's inputs for many episodes, and the truth.
struct EpisodeBatch : NetworkInputs {
  std::vector<float> truth;   // [markers] 1 where the target carries the minor allele
  std::vector<float> weight;  // [markers] weight in the loss

  // Markers at which all candidates agree: only the frequency in the panel is used.
  std::vector<float> plain_frequency;  // frequency of the minor allele in the panel
  std::vector<float> plain_candidate;  // 1 where all candidates carry it
  std::vector<float> plain_truth;
  std::vector<float> plain_weight;

  // Gives all markers the same weight.
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
