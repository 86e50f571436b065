#include "learning/nn/training/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <filesystem>
#include <functional>
#include <memory>

#include "haplospin/errors.h"
#include "learning/nn/named_tensors.h"
#include "learning/nn/optimization/optimizer.h"
#include "learning/nn/optimization/schedule.h"
#include "learning/nn/random_state.h"

namespace haplospin {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using MakeOptimizer = std::function<std::unique_ptr<Optimizer>(const torch::nn::Module&)>;

struct TrainingRun {
  explicit TrainingRun(const MakeOptimizer& make_optimizer) : optimizer(make_optimizer(*model)) {}

  // Dropout and the data draw from the generators; the schedule depends on the step.
  void Train(int64_t steps) {
    const Schedule schedule = FlatThenAnneal(20, 0.3);
    for (int64_t i = 0; i < steps; ++i, ++step) {
      const torch::Tensor inputs = torch::randn({8, 5});
      optimizer->ZeroGrad();
      (model->forward(inputs) - inputs.sum(1, true)).square().mean().backward();
      optimizer->Step(0.02 * schedule(step));
    }
  }

  torch::nn::Sequential model{torch::nn::Linear(5, 7), torch::nn::BatchNorm1d(7), torch::nn::ReLU(),
                              torch::nn::Dropout(0.3), torch::nn::Linear(7, 1)};
  std::unique_ptr<Optimizer> optimizer;
  int64_t step = 0;
};

class Checkpoint : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  // One name per test: tests may run at the same time.
  const std::string path_ = testing::TempDir() + "checkpoint_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".safetensors";
};

void ExpectResumedRunIsTheUninterruptedOne(const std::string& path, const MakeOptimizer& make_optimizer) {
  SeedGenerators(5);
  TrainingRun uninterrupted(make_optimizer);
  uninterrupted.Train(7);
  SaveCheckpoint(path, *uninterrupted.model, *uninterrupted.optimizer, {.step = 7, .metadata = {{"best", "0.25"}}});
  uninterrupted.Train(13);

  SeedGenerators(99);
  TrainingRun resumed(make_optimizer);
  resumed.Train(2);  // another initialization, which loading must overwrite
  const TrainingProgress progress = RestoreCheckpoint(ReadSafetensors(path), *resumed.model, *resumed.optimizer);
  EXPECT_EQ(progress.step, 7);
  EXPECT_EQ(progress.metadata, (std::map<std::string, std::string>{{"best", "0.25"}}));
  resumed.step = progress.step;
  resumed.Train(13);

  const NamedTensors expected = ModuleState(*uninterrupted.model);
  for (const auto& [name, tensor] : ModuleState(*resumed.model)) {
    EXPECT_TRUE(torch::equal(tensor, expected.at(name))) << name;
  }
  const NamedTensors expected_state = uninterrupted.optimizer->State();
  for (const auto& [name, tensor] : resumed.optimizer->State()) {
    EXPECT_TRUE(torch::equal(tensor, expected_state.at(name))) << name;
  }
}

std::unique_ptr<Optimizer> MakeLamb(const torch::nn::Module& model) {
  return std::make_unique<Lamb>(TrainableParameters(model));
}

TEST_F(Checkpoint, ResumesAdamWBitForBit) {
  ExpectResumedRunIsTheUninterruptedOne(
      path_, [](const auto& model) { return std::make_unique<AdamW>(TrainableParameters(model)); });
}

TEST_F(Checkpoint, ResumesLambBitForBit) { ExpectResumedRunIsTheUninterruptedOne(path_, MakeLamb); }

TEST_F(Checkpoint, ResumesLookaheadBetweenItsUpdatesBitForBit) {
  for (const bool synchronize : {true, false}) {
    ExpectResumedRunIsTheUninterruptedOne(path_, [=](const auto& model) {
      return std::make_unique<Lookahead>(MakeLamb(model), LookaheadOptions{.period = 4, .synchronize = synchronize});
    });
  }
}

TEST_F(Checkpoint, RejectsAnotherModelAndChangesNothing) {
  SeedGenerators(5);
  TrainingRun run(MakeLamb);
  run.Train(1);
  SaveCheckpoint(path_, *run.model, *run.optimizer, {.step = 1});

  torch::nn::Linear other(5, 8);
  Lamb optimizer(TrainableParameters(*other));
  const torch::Tensor weights = other->weight.detach().clone();
  const NamedTensors generators = GeneratorStates();
  EXPECT_THAT([&] { RestoreCheckpoint(ReadSafetensors(path_), *other, optimizer); },
              ThrowsMessage<InputError>(HasSubstr("belongs to another")));
  EXPECT_TRUE(torch::equal(other->weight, weights));
  EXPECT_TRUE(torch::equal(GeneratorStates().at("cpu"), generators.at("cpu")));
}

TEST_F(Checkpoint, RejectsAnotherOptimizer) {
  TrainingRun run(MakeLamb);
  run.Train(1);
  SaveCheckpoint(path_, *run.model, *run.optimizer, {.step = 1});
  Lookahead lookahead(MakeLamb(*run.model), {});
  EXPECT_THAT([&] { RestoreCheckpoint(ReadSafetensors(path_), *run.model, lookahead); },
              ThrowsMessage<InputError>(HasSubstr("is missing")));
}

TEST_F(Checkpoint, RejectsAFileWithoutStep) {
  TrainingRun run(MakeLamb);
  WriteTensorFile(path_, ModuleState(*run.model));
  EXPECT_THAT([&] { RestoreCheckpoint(ReadSafetensors(path_), *run.model, *run.optimizer); },
              ThrowsMessage<InputError>(HasSubstr("step")));
}

}  // namespace
}  // namespace haplospin
