#include "learning/processes/process_model.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "core/file_contents.h"
#include "core/log.h"
#include "core/random.h"
#include "core/temporary_folder.h"
#include "haplospin/errors.h"
#include "learning/models/neural_process/process_options.h"
#include "learning/nn/named_tensors.h"
#include "learning/nn/random_state.h"
#include "learning/processes/gp_tasks.h"

namespace haplospin {
namespace {

ProcessModel SmallModel() {
  torch::manual_seed(1);
  ProcessModel model;
  model.options = {.model = "te-tnp", .width = 8, .heads = 2, .layers = 1, .kernel_width = 4};
  model.network = MakeNeuralProcess(model.options);
  model.network->eval();
  model.scaling = {{1}, {2}, {3}, {4}};
  model.x_low = {-1};
  model.x_high = {1.5};
  model.columns = {{"day"}, {"price"}, "shop"};
  model.provenance.command = "a test";
  model.results = {{"steps", "7"}};
  return model;
}

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

TEST(ProcessModel, IsReadBackWhole) {
  const TemporaryFolder folder;
  const ProcessModel model = SmallModel();
  WriteProcessModel(folder / "m", model);
  const ProcessModel read = ReadProcessModel(folder / "m");
  EXPECT_EQ(nlohmann::json(read.options), nlohmann::json(model.options));
  ASSERT_TRUE(read.scaling.has_value());
  EXPECT_EQ(read.scaling->y_scale, model.scaling->y_scale);
  EXPECT_EQ(read.x_high, model.x_high);
  EXPECT_EQ(read.columns.x, model.columns.x);
  EXPECT_EQ(read.columns.group, "shop");
  EXPECT_EQ(read.provenance.command, "a test");
  EXPECT_EQ(read.results.at("steps"), "7");
  const torch::Tensor x = torch::rand({1, 4, 1}), y = torch::rand({1, 4, 1});
  EXPECT_TRUE(read.network->Predict(x, y, x).mean.equal(model.network->Predict(x, y, x).mean));
}

TEST(ProcessModel, IsReadWithAsManySamplesAsAskedFor) {
  const TemporaryFolder folder;
  ProcessModel model = SmallModel();
  model.options.model = "ipnp";
  model.options.test_samples = 3;
  model.network = MakeNeuralProcess(model.options);
  WriteProcessModel(folder / "m", model);
  const torch::Tensor x = torch::rand({1, 4, 1}), y = torch::rand({1, 4, 1});
  EXPECT_EQ(ReadProcessModel(folder / "m").network->Predict(x, y, x).mean.size(0), 3);
  EXPECT_EQ(ReadProcessModel(folder / "m", 1).network->Predict(x, y, x).mean.size(0), 1);
}

TEST(ProcessModel, DamagedFilesAreRefused) {
  const TemporaryFolder folder;
  WriteProcessModel(folder / "m", SmallModel());
  const std::string bytes = Contents(folder / "m");
  RandomStream random(3);
  for (int k = 0; k < 30; ++k) {
    WriteBytes(folder / "cut", bytes.substr(0, random.UniformInt(bytes.size())));
    EXPECT_THROW(ReadProcessModel(folder / "cut"), InputError);
  }
  // A changed byte of the header: the file is rejected, or the model differs only in that byte.
  const size_t header = 2000;
  for (int k = 0; k < 200; ++k) {
    std::string changed = bytes;
    changed[random.UniformInt(header)] = static_cast<char>(random.UniformInt(256));
    WriteBytes(folder / "changed", changed);
    try {
      ReadProcessModel(folder / "changed");
    } catch (const InputError&) {
    }
  }
}

TEST(ProcessModel, OtherFilesAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(ReadProcessModel(folder / "missing"), InputError);
  WriteTensorFile(folder / "other", {{"a", torch::zeros({2})}}, {{"format", "haplospin-flow"}});
  EXPECT_THROW(ReadProcessModel(folder / "other"), InputError);
  ProcessModel model = SmallModel();
  model.scaling->y_scale = {-1};
  WriteProcessModel(folder / "negative", model);
  EXPECT_THROW(ReadProcessModel(folder / "negative"), InputError);
  model = SmallModel();
  model.options.width = 4000;  // of a larger network than the file contains
  WriteProcessModel(folder / "large", model);
  EXPECT_THROW(ReadProcessModel(folder / "large"), InputError);
  model = SmallModel();
  model.x_low = {};
  WriteProcessModel(folder / "short", model);
  EXPECT_THROW(ReadProcessModel(folder / "short"), InputError);
}

TEST(SetTrainedRange, CoversTheTasks) {
  ProcessModel model;
  SetTrainedRange(GpTasks(GpTaskOptions()), 1, model);
  EXPECT_NEAR(model.x_low.at(0), -3, 0.01);
  EXPECT_NEAR(model.x_high.at(0), 3, 0.01);
}

GpTasks SmallTasks() {
  GpTaskOptions options;
  options.context = {1, 10};
  options.targets = {8, 8};
  return GpTasks(options);
}

std::shared_ptr<NeuralProcess> Fresh(const std::string& model) {
  SeedGenerators(4);
  ProcessOptions options{.model = model, .width = 8, .heads = 2, .layers = 1, .kernel_width = 4};
  options.noise = DefaultNoise(model);
  return MakeNeuralProcess(options);
}

ProcessTraining Short() {
  ProcessTraining training;
  training.steps = 12;
  training.batch = 2;
  training.seed = 4;
  return training;
}

class ProcessTrainer : public testing::Test {
 protected:
  void SetUp() override { SetQuiet(true); }
  void TearDown() override { SetQuiet(false); }
};

void ExpectSameWeights(const NeuralProcess& a, const NeuralProcess& b) {
  const NamedTensors first = ModuleState(a), second = ModuleState(b);
  for (const auto& [name, tensor] : first) EXPECT_TRUE(tensor.equal(second.at(name))) << name;
}

TEST_F(ProcessTrainer, ResumedIsBitForBitTheUninterruptedRun) {
  const TemporaryFolder folder;
  for (const char* name : {"te-tnp", "ipnp", "banp"}) {  // the latter two draw random numbers themselves
    auto whole = Fresh(name);
    TrainProcess(*whole, SmallTasks(), Short());
    ProcessTraining training = Short();
    training.checkpoint = folder / name;
    training.stop_after = 5;
    auto first = Fresh(name);
    EXPECT_FALSE(TrainProcess(*first, SmallTasks(), training).is_finished);
    SeedGenerators(1000);  // which the checkpoint must restore
    auto second = Fresh(name);
    SeedGenerators(2000);
    training.resume = true;
    training.stop_after = 0;
    const TrainingResult result = TrainProcess(*second, SmallTasks(), training);
    EXPECT_TRUE(result.is_finished);
    EXPECT_EQ(result.steps, 12);
    ExpectSameWeights(*whole, *second);
  }
}

// Over batches, for all tasks of one have the same number of context points.
double TestLoss(NeuralProcess& model) {
  constexpr int64_t kBatches = 60;
  double sum = 0;
  for (int64_t batch = 0; batch < kBatches; ++batch) {
    RandomStream random = BatchStream(77, TaskStream::kTest, batch);
    sum += model.Loss(SmallTasks().Draw(8, random).at(0)).item<double>();
  }
  return sum / kBatches;
}

TEST_F(ProcessTrainer, Learns) {
  ProcessTraining training = Short();
  training.steps = 300;
  training.batch = 8;
  training.log_steps = 50;
  training.learning_rate = 5e-3;
  auto model = Fresh("te-tnp");
  const double before = TestLoss(*model);
  TrainProcess(*model, SmallTasks(), training);
  EXPECT_LT(TestLoss(*model), before - 0.1);
}

// Tasks that are not finite after a number of batches.
class SpoilingTasks : public TaskSource {
 public:
  int64_t dx() const override { return 1; }
  int64_t dy() const override { return 1; }
  std::vector<ProcessTasks> Draw(int64_t count, RandomStream& random, torch::Device device) const override {
    std::vector<ProcessTasks> tasks = SmallTasks().Draw(count, random, device);
    if (drawn_++ >= 6) tasks[0].target_y.fill_(std::numeric_limits<float>::quiet_NaN());
    return tasks;
  }

 private:
  mutable int drawn_ = 0;
};

TEST_F(ProcessTrainer, StopsAtNanAndKeepsTheLastGoodCheckpoint) {
  const TemporaryFolder folder;
  ProcessTraining training = Short();
  training.checkpoint = folder / "c";
  training.checkpoint_steps = 4;
  auto model = Fresh("cnp");
  EXPECT_THROW(TrainProcess(*model, SpoilingTasks(), training), InputError);
  training.resume = true;
  auto resumed = Fresh("cnp");
  EXPECT_EQ(TrainProcess(*resumed, SmallTasks(), training).steps, 12);
  auto whole = Fresh("cnp");
  TrainProcess(*whole, SmallTasks(), Short());
  ExpectSameWeights(*whole, *resumed);
}

TEST_F(ProcessTrainer, ATimeLimitEndsIt) {
  ProcessTraining training = Short();
  training.steps = 1000000;
  training.time_limit = 1e-9;
  auto model = Fresh("cnp");
  const TrainingResult result = TrainProcess(*model, SmallTasks(), training);
  EXPECT_TRUE(result.is_finished);
  EXPECT_EQ(result.steps, 1);
}

TEST_F(ProcessTrainer, OptionsThatContradictEachOther) {
  ProcessTraining training = Short();
  training.resume = true;
  auto model = Fresh("cnp");
  EXPECT_THROW(TrainProcess(*model, SmallTasks(), training), InputError);
  training.checkpoint = "/nonexistent/checkpoint";
  EXPECT_THROW(TrainProcess(*model, SmallTasks(), training), InputError);
}

}  // namespace

}  // namespace haplospin
