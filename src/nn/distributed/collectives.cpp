#include "nn/distributed/collectives.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "haplospin/errors.h"
#include "nn/distributed/collective_backends.h"

namespace haplospin {

bool CollectivesAvailable(torch::DeviceType device) { return device == torch::kCUDA ? kHasNccl : kHasGloo; }

struct Collectives::Group {
  CollectiveBackend backend;
};

Collectives::Collectives(const ProcessPlace& place, torch::Device device, int timeout_seconds) {
  const std::chrono::seconds timeout(timeout_seconds);
  if (!CollectivesAvailable(device.type())) {
    throw InputError(
        fmt::format("this program was built without {0}: run one process, or build it where {0}'s headers are",
                    device.is_cuda() ? "NCCL" : "Gloo"));
  }
  try {
    c10d::TCPStoreOptions options;
    options.port = place.port;
    options.isServer = place.rank == 0;
    options.numWorkers = place.world_size;
    options.timeout = timeout;
    const auto store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
    group_ = std::make_unique<Group>(Group{device.is_cuda() ? MakeNccl(store, place.rank, place.world_size, timeout)
                                                            : MakeGloo(store, place.rank, place.world_size, timeout)});
  } catch (const std::exception& error) {
    // LibTorch puts a backtrace below the first line.
    const std::string_view what = error.what();
    throw InputError(fmt::format("process {} of {} could not meet the others at {}:{}: {}", place.rank,
                                 place.world_size, place.address, place.port, what.substr(0, what.find('\n'))));
  }
}

Collectives::~Collectives() = default;

void Collectives::Sum(torch::Tensor& tensor) {
  std::vector<torch::Tensor> tensors{tensor};
  group_->backend->allreduce(tensors)->wait();
}

void Collectives::Broadcast(torch::Tensor& tensor) {
  std::vector<torch::Tensor> tensors{tensor};
  group_->backend->broadcast(tensors)->wait();
}

}  // namespace haplospin
