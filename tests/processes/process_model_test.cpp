#include "processes/process_model.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <filesystem>
#include <fstream>

#include "core/file_contents.h"
#include "core/random.h"
#include "core/temporary_folder.h"
#include "haplospin/errors.h"
#include "nn/named_tensors.h"
#include "processes/gp_tasks.h"

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

}  // namespace
}  // namespace haplospin
