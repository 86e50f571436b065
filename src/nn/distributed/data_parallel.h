// Data-parallel training: several processes, each with its share of the rows and the same weights, average their
// gradients with LibTorch's collectives (Gloo on the CPU, NCCL on CUDA devices).
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nn/optimization/optimizer.h"

namespace haplospin {

class Collectives;

// Where a process stands among those of one run.
struct ProcessPlace {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;  // among those on this machine: the CUDA device to take
  std::string address = "localhost";
  uint16_t port = 29500;
};

// Reads RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT as torchrun sets them; one process where WORLD_SIZE
// is unset. Throws InputError where they contradict each other or are not numbers.
ProcessPlace ProcessPlaceFromEnvironment();

// Whether this build can train with several processes on such devices.
bool CollectivesAvailable(torch::DeviceType device);

// The processes of one run. All of them must call the same functions in the same order, and have gradients for the same
// parameters. With one process, nothing is sent.
class DataParallel {
 public:
  // Waits until all processes have joined. Throws InputError where they cannot meet within the time given, or where
  // this build or LibTorch lacks the backend that the device needs.
  DataParallel(const ProcessPlace& place, torch::Device device, int timeout_seconds = 300);
  ~DataParallel();
  DataParallel(const DataParallel&) = delete;
  DataParallel& operator=(const DataParallel&) = delete;

  int rank() const { return place_.rank; }
  int world_size() const { return place_.world_size; }

  // Rank 0's parameters and buffers for all; call it once, before training.
  void ShareState(torch::nn::Module& module);

  // The mean over the processes; call it between the backward pass and the optimiser's step.
  void AverageGradients(const std::vector<NamedParameter>& parameters);

  // The mean of one number, such as a loss.
  double Average(double value);

 private:
  ProcessPlace place_;
  torch::Device device_;
  std::unique_ptr<Collectives> collectives_;  // none where there is one process
};

}  // namespace haplospin
