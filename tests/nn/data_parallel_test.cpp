#include "nn/distributed/data_parallel.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "haplospin/errors.h"
#include "nn/optimization/adam.h"
#include "nn/random_state.h"
#include "nn/tensor_file.h"

namespace haplospin {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Environment variables for the length of a test.
class Environment {
 public:
  explicit Environment(std::map<std::string, std::string> variables) : variables_(std::move(variables)) {
    for (const auto& [name, value] : variables_) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const auto& [name, value] : variables_) unsetenv(name.c_str());
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::map<std::string, std::string> variables_;
};

TEST(ProcessPlace, IsOneProcessByDefault) { EXPECT_EQ(ProcessPlaceFromEnvironment().world_size, 1); }

TEST(ProcessPlace, ReadsTorchrunsVariables) {
  const Environment environment(
      {{"WORLD_SIZE", "8"}, {"RANK", "5"}, {"LOCAL_RANK", "1"}, {"MASTER_ADDR", "node0"}, {"MASTER_PORT", "1234"}});
  const ProcessPlace place = ProcessPlaceFromEnvironment();
  EXPECT_EQ(place.world_size, 8);
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.address, "node0");
  EXPECT_EQ(place.port, 1234);
}

TEST(ProcessPlace, RejectsContradictions) {
  for (const std::map<std::string, std::string>& variables :
       {std::map<std::string, std::string>{{"WORLD_SIZE", "2"}},
        {{"WORLD_SIZE", "2"}, {"RANK", "2"}},
        {{"WORLD_SIZE", "0"}},
        {{"WORLD_SIZE", "two"}},
        {{"WORLD_SIZE", "2"}, {"RANK", "0"}, {"MASTER_PORT", "70000"}}}) {
    const Environment environment(variables);
    EXPECT_THAT([] { ProcessPlaceFromEnvironment(); }, ThrowsMessage<InputError>(HasSubstr("start with torchrun")));
  }
}

TEST(DataParallel, OneProcessSendsNothing) {
  DataParallel processes({}, torch::kCPU);
  torch::nn::Linear layer(2, 2);
  layer->weight.mutable_grad() = torch::ones({2, 2});
  const torch::Tensor weight = layer->weight.detach().clone();
  processes.ShareState(*layer);
  processes.AverageGradients(TrainableParameters(*layer));
  EXPECT_TRUE(torch::equal(layer->weight, weight));
  EXPECT_TRUE(torch::equal(layer->weight.grad(), torch::ones({2, 2})));
  EXPECT_EQ(processes.Average(3.5), 3.5);
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
    processes.AverageGradients(optimizer.parameters());
    optimizer.Step(0.01);
  }
}

// What each process of the test below runs; it gets its place from the environment.
TEST(DataParallel, DISABLED_Process) {
  const ProcessPlace place = ProcessPlaceFromEnvironment();
  DataParallel processes(place, torch::kCPU, 60);
  SeedGenerators(static_cast<uint64_t>(place.rank));
  torch::nn::Sequential model = MakeModel();  // differs between the processes
  processes.ShareState(*model);
  Train(model, processes, place.rank * kRowsEach, kRowsEach);
  const double mean_rank = processes.Average(place.rank);
  WriteTensorFile(std::getenv("TEST_OUTPUT") + std::to_string(place.rank), ModuleState(*model),
                  {{"mean_rank", std::to_string(mean_rank)}});
}

int FreePort() {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  EXPECT_EQ(bind(descriptor, reinterpret_cast<sockaddr*>(&address), length), 0);
  EXPECT_EQ(getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length), 0);
  close(descriptor);
  return ntohs(address.sin_port);
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
    EXPECT_EQ(std::stod(file.Metadata("mean_rank")), 0.5);
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
              ThrowsMessage<InputError>(HasSubstr("process 1 of 2 could not meet the others at 127.0.0.1")));
}

}  // namespace
}  // namespace haplospin
