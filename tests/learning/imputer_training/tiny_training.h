// A panel and settings so small that training takes a moment.
#pragma once

#include <string>
#include <vector>

#include "learning/imputer_training/imputer_network.h"
#include "learning/imputer_training/imputer_trainer.h"

namespace haplospin {

// Returns a panel of 40 diploid samples over 1.8 cM.
std::vector<TrainingPanel> TinyPanels(uint64_t seed = 1);

EpisodeOptions TinyEpisodes();

// Returns a training that writes no file other than `out`.
ImputerTraining TinyTraining(const std::string& out);

// Episodes of two tasks.
EpisodeBatch DrawTinyBatch(const std::vector<TrainingPanel>& panels, uint64_t seed);

// Return a network with the given weights, and one with random last layers, which are zero in a new network.
ImputerNetwork NetworkOf(const ImputerWeights& weights);
ImputerNetwork RandomNetwork(uint64_t seed);

}  // namespace haplospin
