// A panel and settings so small that training takes a moment.
#pragma once

#include <string>
#include <vector>

#include "imputer_training/imputer_network.h"
#include "imputer_training/imputer_trainer.h"

namespace haplospin {

// One panel of 40 diploid samples over 1.8 cM.
std::vector<TrainingPanel> TinyPanels(uint64_t seed = 1);

EpisodeOptions TinyEpisodes();

// Writes nothing but `out`.
ImputerTraining TinyTraining(const std::string& out);

// Episodes of two tasks.
EpisodeBatch DrawTinyBatch(const std::vector<TrainingPanel>& panels, uint64_t seed);

// With the given weights; with random last layers, which a new network has at zero.
ImputerNetwork NetworkOf(const ImputerWeights& weights);
ImputerNetwork RandomNetwork(uint64_t seed);

}  // namespace haplospin
