#include "learning/nn/training/data_parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "haplospin/errors.h"
#include "learning/nn/environment.h"
#include "learning/nn/free_port.h"
#include "learning/nn/named_tensors.h"
#include "learning/nn/optimization/optimizer.h"
#include "learning/nn/random_state.h"

namespace haplospin {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(DataParallel, OneProcessSendsNothing) {
  DataParallel processes({}, torch::kCPU);
  torch::nn::Linear layer(2, 2);
  layer->weight.mutable_grad() = torch::ones({2, 2});
  const torch::Tensor weight = layer->weight.detach().clone();
  processes.ShareState(*layer);
  processes.AverageGradients(TrainableParameters(*layer), 0.25);
  EXPECT_TRUE(torch::equal(layer->weight, weight));
  EXPECT_TRUE(torch::equal(layer->weight.grad(), torch::ones({2, 2})));
  EXPECT_EQ(processes.Sum({3.5, 2}), (std::vector<double>{3.5, 2}));
  EXPECT_EQ(processes.FromRankZero(3.5), 3.5);
}

constexpr int kProcesses = 2;
constexpr int64_t kRowsEach = 6;

torch::nn::Sequential MakeModel() {
  return torch::nn::Sequential(torch::nn::Linear(3, 8), torch::nn::Tanh(), torch::nn::Linear(8, 1));
}

// A few steps on the rows [first, first + count) of a fixed table.
void Train(torch::nn::Sequential& model, DataParallel& processes, int64_t first, int64_t count) {
  const torch::Tensor inputs = torch::linspace(-1, 1, kProcesses * kRowsEach * 3).view({-1, 3}).narrow(0, first, count);
  const torch::Tensor targets = inputs.sin().sum(1, true);
  AdamW optimizer(TrainableParameters(*model));
  for (int step = 0; step < 5; ++step) {
    optimizer.ZeroGrad();
    (model->forward(inputs) - targets).square().mean().backward();
    processes.AverageGradients(optimizer.parameters(), 1.0 / processes.world_size());
    optimizer.Step(0.01);
  }
}

// What each process of the test below runs; it gets its place from the environment.
TEST(DataParallel, DISABLED_Process) {
  const ProcessPlace place = ProcessPlaceFromEnvironment();
  DataParallel processes(place, torch::kCPU);
  SeedGenerators(static_cast<uint64_t>(place.rank));
  torch::nn::Sequential model = MakeModel();  // differs between the processes
  processes.ShareState(*model);
  Train(model, processes, place.rank * kRowsEach, kRowsEach);
  const std::vector<double> sums = processes.Sum({place.rank + 1.0, 5.0});
  EXPECT_EQ(sums, (std::vector<double>{3, 10}));
  EXPECT_EQ(processes.FromRankZero(place.rank + 7.0), 7);
  // A parameter of which only one process has a gradient, and one of which none has.
  torch::nn::Linear layer(2, 2);
  if (place.rank == 1) layer->weight.mutable_grad() = torch::ones({2, 2});
  processes.AverageGradients(TrainableParameters(*layer), 0.5);
  EXPECT_TRUE(torch::equal(layer->weight.grad(), torch::full({2, 2}, 0.5)));
  EXPECT_FALSE(layer->bias.grad().defined());
  WriteTensorFile(std::getenv("TEST_OUTPUT") + std::to_string(place.rank), ModuleState(*model));
}

pid_t StartProcess(int rank) {
  setenv("RANK", std::to_string(rank).c_str(), 1);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "nn_test", "--gtest_also_run_disabled_tests",
          "--gtest_filter=DataParallel.DISABLED_Process", static_cast<char*>(nullptr));
    _exit(127);
  }
  return child;
}

TEST(DataParallel, TwoProcessesTrainAsOneDoesOnAllRows) {
  if (!CollectivesAvailable(torch::kCPU)) GTEST_SKIP() << "built without Gloo's headers";
  const std::string output = testing::TempDir() + "data_parallel_" + std::to_string(getpid()) + "_";
  std::vector<pid_t> children;
  {
    const Environment environment({{"WORLD_SIZE", std::to_string(kProcesses)},
                                   {"RANK", ""},
                                   {"MASTER_ADDR", "127.0.0.1"},
                                   {"MASTER_PORT", std::to_string(FreePort())},
                                   {"TEST_OUTPUT", output}});
    for (int rank = 0; rank < kProcesses; ++rank) children.push_back(StartProcess(rank));
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }

  SeedGenerators(0);  // as rank 0
  torch::nn::Sequential model = MakeModel();
  DataParallel alone({}, torch::kCPU);
  Train(model, alone, 0, kProcesses * kRowsEach);
  for (int rank = 0; rank < kProcesses; ++rank) {
    const std::string path = output + std::to_string(rank);
    const Safetensors file = ReadSafetensors(path);
    std::filesystem::remove(path);
    const NamedTensors found = FileTensors(file);
    for (const auto& [name, tensor] : ModuleState(*model)) {
      EXPECT_TRUE(torch::allclose(found.at(name), tensor, 1e-4, 1e-6)) << name << " of rank " << rank;
    }
  }
}

TEST(DataParallel, SaysThatTheOthersDidNotCome) {
  if (!CollectivesAvailable(torch::kCPU)) GTEST_SKIP() << "built without Gloo's headers";
  const ProcessPlace place{
      .rank = 1, .world_size = 2, .address = "127.0.0.1", .port = static_cast<uint16_t>(FreePort())};
  EXPECT_THAT([&] { DataParallel(place, torch::kCPU, 1); },
              ThrowsMessage<InputError>(HasSubstr("process 1 of 2 could not connect to the others at 127.0.0.1")));
}

}  // namespace
}  // namespace haplospin
