#include "haplospin/metalearning/imputer_trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/temporary_folder.h"
#include "haplospin/core/errors.h"
#include "haplospin/core/safetensors.h"
#include "haplospin/core/threads.h"
#include "haplospin/imputation/imputer_weights.h"
#include "haplospin/metalearning/imputer_network.h"
#include "imputation/mosaic_panel.h"

namespace haplospin {
namespace {

std::vector<TrainingPanel> SmallPanels() {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 60, .markers = 400, .seed = 3});
  std::vector<TrainingPanel> panels;
  panels.push_back({"simulated", PanelOf(mosaic, DiploidSamples("R", 30)), GeneticMap::Uniform(), {}});
  return panels;
}

ImputerTraining SmallTraining(const std::string& out) {
  ImputerTraining training;
  training.episodes.stretch = 20;
  training.episodes.min_haplotypes = 40;
  training.episodes.min_spacing_bp = 15000;
  training.episodes.max_spacing_bp = 40000;
  training.steps = 12;
  training.samples_per_step = 2;
  training.stretches = 1;
  training.tasks = 2;
  training.task_steps = 4;
  training.copy_hidden = 8;
  training.allele_hidden = 8;
  training.seed = 7;
  training.out = out;
  return training;
}

class ImputerTrainerTest : public testing::Test {
 protected:
  Safetensors Train(ImputerTraining training) const {
    TrainImputer(training, SmallPanels());
    Safetensors file = ReadSafetensors(training.out);
    file.path.clear();
    return file;
  }

  static void ExpectSameTensors(const Safetensors& a, const Safetensors& b) {
    ASSERT_EQ(a.tensors.size(), b.tensors.size());
    for (const auto& [name, tensor] : a.tensors) EXPECT_EQ(tensor.values, b.tensors.at(name).values) << name;
  }

  const TemporaryFolder folder_;
};

TEST_F(ImputerTrainerTest, WritesWeightsThatImputeLoads) {
  ImputerTraining training = SmallTraining(folder_ / "w.safetensors");
  training.metadata["data"] = "simulated";
  const Safetensors file = Train(training);
  EXPECT_EQ(file.Metadata("data"), "simulated");
  EXPECT_EQ(file.Metadata("steps"), "12");
  const ImputerWeights weights = LoadImputerWeights(training.out);
  EXPECT_EQ(weights.copy.hidden, 8u);
  EXPECT_NE(weights.forward, 1.0f);  // moved by training
}

TEST_F(ImputerTrainerTest, SameSeedSameWeightsWhateverTheThreads) {
  SetThreads(1);
  const Safetensors one = Train(SmallTraining(folder_ / "one.safetensors"));
  SetThreads(2);
  const Safetensors two = Train(SmallTraining(folder_ / "two.safetensors"));
  ExpectSameTensors(one, two);
  ImputerTraining other = SmallTraining(folder_ / "other.safetensors");
  other.seed = 8;
  EXPECT_NE(Train(other).tensors.at("copying").values, one.tensors.at("copying").values);
}

TEST_F(ImputerTrainerTest, ResumedIsTheSameAsUninterrupted) {
  const Safetensors whole = Train(SmallTraining(folder_ / "whole.safetensors"));
  ImputerTraining interrupted = SmallTraining(folder_ / "resumed.safetensors");
  interrupted.checkpoint = folder_ / "checkpoint.safetensors";
  interrupted.checkpoint_steps = 5;
  interrupted.stop_after = 10;
  TrainImputer(interrupted, SmallPanels());
  EXPECT_FALSE(std::filesystem::exists(interrupted.out));
  interrupted.stop_after = 0;
  interrupted.resume = true;
  ExpectSameTensors(Train(interrupted), whole);
}

TEST_F(ImputerTrainerTest, ResumeNeedsACheckpoint) {
  ImputerTraining training = SmallTraining(folder_ / "w.safetensors");
  training.resume = true;
  EXPECT_THROW(TrainImputer(training, SmallPanels()), InputError);
  training.checkpoint = folder_ / "none.safetensors";
  EXPECT_THROW(TrainImputer(training, SmallPanels()), InputError);
}

TEST_F(ImputerTrainerTest, StopsWhereTheLossIsNoNumber) {
  ImputerTraining training = SmallTraining(folder_ / "w.safetensors");
  training.squared_error_weight = NAN;
  EXPECT_THROW(TrainImputer(training, SmallPanels()), InputError);
  EXPECT_FALSE(std::filesystem::exists(training.out));
}

// A network fitted to one batch must explain it better than the copying model it starts as.
TEST(ImputerNetworkTest, LearnsABatch) {
  torch::manual_seed(1);
  const std::vector<TrainingPanel> panels = SmallPanels();
  EpisodeOptions options;
  options.stretch = 20;
  options.min_haplotypes = 40;
  options.min_spacing_bp = 15000;
  options.max_spacing_bp = 40000;
  const TrainingTask task(panels, options, RandomStream(1));
  EpisodeBatch batch;
  for (uint64_t k = 0; k < 4; ++k) task.AddEpisodes(1, RandomStream(2, {k}), batch);
  const EpisodeTensors episodes(batch, torch::kCPU);
  ASSERT_GT(episodes.truth.numel(), 50);
  ImputerNetwork network(8, 8);
  const auto loss = [&] {
    return torch::binary_cross_entropy(network->Forward(episodes).clamp(1e-6, 1 - 1e-6), episodes.truth);
  };
  const double before = loss().item<double>();
  const double copying =
      torch::binary_cross_entropy(CopyingProbabilities(episodes).clamp(1e-3, 1 - 1e-3), episodes.truth).item<double>();
  EXPECT_NEAR(before, copying, 0.05 * copying + 0.01);
  torch::optim::Adam optimizer(network->parameters(), 1e-2);
  for (int step = 0; step < 60; ++step) {
    optimizer.zero_grad();
    loss().backward();
    for (const torch::Tensor& parameter : network->parameters()) {
      ASSERT_TRUE(!parameter.grad().defined() || parameter.grad().isfinite().all().item<bool>());
    }
    optimizer.step();
  }
  EXPECT_LT(loss().item<double>(), 0.9 * before);
}

}  // namespace
}  // namespace haplospin
