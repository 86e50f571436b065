#include "learning/imputer_training/tiny_training.h"

#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "learning/nn/named_tensors.h"

namespace haplospin {

std::vector<TrainingPanel> TinyPanels(uint64_t seed) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 80,
                                        .markers = 600,
                                        .spacing_bp = 3000,
                                        .switches_per_cm = 1,
                                        .mutation_rate = 0.01,
                                        .seed = seed});
  std::vector<TrainingPanel> panels;
  panels.push_back({"mosaic", MakePanel(mosaic, DiploidSamples("R", 40)), GeneticMap::Uniform(), {}});
  return panels;
}

EpisodeOptions TinyEpisodes() {
  return {.stretch = 20, .max_markers = 200, .min_haplotypes = 50, .min_spacing_bp = 9000, .max_spacing_bp = 20000};
}

ImputerTraining TinyTraining(const std::string& out) {
  ImputerTraining training;
  training.episodes = TinyEpisodes();
  training.steps = 8;
  training.samples_per_step = 3;
  training.stretches = 1;
  training.tasks = 2;
  training.task_steps = 3;
  training.copy_hidden = training.allele_hidden = 8;
  training.out = out;
  return training;
}

EpisodeBatch DrawTinyBatch(const std::vector<TrainingPanel>& panels, uint64_t seed) {
  const EpisodeOptions options = TinyEpisodes();
  EpisodeBatch batch;
  for (const uint64_t task : {0, 1}) {
    EpisodeBatch part;
    TrainingTask(panels, options, RandomStream(seed, {task})).AddEpisodes(2, RandomStream(seed, {task, 1}), part);
    batch.Append(part);
  }
  return batch;
}

ImputerNetwork NetworkOf(const ImputerWeights& weights) {
  ImputerNetwork network(static_cast<int64_t>(weights.copy.hidden), static_cast<int64_t>(weights.allele.hidden));
  LoadModuleState(*network, FileTensors(ToSafetensors(weights)), "weights");
  return network;
}

ImputerNetwork RandomNetwork(uint64_t seed) { return NetworkOf(RandomWeights(seed)); }

}  // namespace haplospin
