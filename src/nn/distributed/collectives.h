// An interface to LibTorch's collectives that does not include their headers.
#pragma once

#include <torch/types.h>

#include <memory>

#include "nn/distributed/data_parallel.h"

namespace haplospin {

class Collectives {
 public:
  // As DataParallel's constructor.
  Collectives(const ProcessPlace& place, torch::Device device, int timeout_seconds);
  ~Collectives();

  void Sum(torch::Tensor& tensor);        // over all processes, for all of them
  void Broadcast(torch::Tensor& tensor);  // from rank 0

 private:
  struct Group;
  std::unique_ptr<Group> group_;
};

}  // namespace haplospin
