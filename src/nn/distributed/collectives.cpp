#include "nn/distributed/collectives.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "haplospin/errors.h"
#include "nn/distributed/collective_backends.h"

namespace haplospin {

bool CollectivesAvailable(torch::DeviceType device) { return device == torch::kCUDA ? kHasNccl : kHasGloo; }

namespace {

// The others wait for rank 0 while it validates or writes; a process that ends closes its connections.
constexpr std::chrono::hours kLongestWait(24);

// LibTorch puts a backtrace below it.
std::string FirstLine(const std::exception& error) {
  const std::string_view what = error.what();
  return std::string(what.substr(0, what.find('\n')));
}

}  // namespace

struct Collectives::Group {
  ProcessPlace place;
  CollectiveBackend backend;

  template <typename Start>
  void Wait(const Start& start) {
    try {
      start(*backend)->wait();
    } catch (const std::exception& error) {
      throw InputError(fmt::format("process {} of {} lost the connection to another, whose message says why: {}",
                                   place.rank, place.world_size, FirstLine(error)));
    }
  }
};

Collectives::Collectives(const ProcessPlace& place, torch::Device device, int timeout_seconds) {
  const std::chrono::seconds timeout(timeout_seconds);
  if (!CollectivesAvailable(device.type())) {
    throw InputError(fmt::format(
        "this program was built without {0}: run one process, or build it with the headers of {0} installed",
        device.is_cuda() ? "NCCL" : "Gloo"));
  }
  try {
    c10d::TCPStoreOptions options;
    options.port = place.port;
    options.isServer = place.rank == 0;
    options.numWorkers = place.world_size;
    options.timeout = timeout;
    const auto store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
    group_ = std::make_unique<Group>(Group{place, device.is_cuda()
                                                      ? MakeNccl(store, place.rank, place.world_size, kLongestWait)
                                                      : MakeGloo(store, place.rank, place.world_size, kLongestWait)});
  } catch (const std::exception& error) {
    throw InputError(fmt::format("process {} of {} could not connect to the others at {}:{}: {}", place.rank,
                                 place.world_size, place.address, place.port, FirstLine(error)));
  }
}

Collectives::~Collectives() = default;

void Collectives::Sum(torch::Tensor& tensor) {
  std::vector<torch::Tensor> tensors{tensor};
  group_->Wait([&](auto& backend) { return backend.allreduce(tensors); });
}

void Collectives::Broadcast(torch::Tensor& tensor) {
  std::vector<torch::Tensor> tensors{tensor};
  group_->Wait([&](auto& backend) { return backend.broadcast(tensors); });
}

}  // namespace haplospin
