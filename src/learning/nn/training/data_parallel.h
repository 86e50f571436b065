// Data-parallel training: several processes with the same weights, each with its share of a step's samples, average
// their gradients with LibTorch's collectives (Gloo on the CPU, NCCL on CUDA devices).
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <vector>

#include "learning/nn/optimization/optimizer.h"
#include "learning/nn/training_options.h"

namespace haplospin {

// Returns whether this build can train with several processes on such devices.
bool CollectivesAvailable(torch::DeviceType device);

// The processes of one run. All of them must call the same functions in the same order. With one process, nothing is
// sent. Throws InputError where the connection to another process is lost.
class DataParallel {
 public:
  // Waits until all processes have connected. Throws InputError if they do not within the timeout, or if this build or
  // LibTorch does not have the backend for the device.
  DataParallel(const ProcessPlace& place, torch::Device device, int timeout_seconds = 300);
  ~DataParallel();
  DataParallel(const DataParallel&) = delete;
  DataParallel& operator=(const DataParallel&) = delete;

  int rank() const { return place_.rank; }
  int world_size() const { return place_.world_size; }

  // Sends rank 0's parameters and buffers to all processes. Call it once, before training.
  void ShareState(torch::nn::Module& module);

  // Replaces each gradient by the sum over the processes of share x gradient; the shares sum to 1. A parameter has a
  // gradient afterwards where any process had one. Call it between the backward pass and the optimizer's step.
  void AverageGradients(const std::vector<NamedParameter>& parameters, double share);

  // The sum of each value over the processes.
  std::vector<double> Sum(const std::vector<double>& values);

  // Returns rank 0's value in every process.
  double FromRankZero(double value);

 private:
  ProcessPlace place_;
  torch::Device device_;
  class Group;
  std::unique_ptr<Group> group_;  // null where there is one process
};

}  // namespace haplospin
