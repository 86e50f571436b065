#include "learning/nn/training/data_parallel.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "haplospin/errors.h"
#include "learning/nn/named_tensors.h"
#include "learning/nn/torch_compat.h"

// The headers of Gloo (Debian: libgloo-dev), and those of NCCL and CUDA, are needed to see LibTorch's backends;
// CMakeLists.txt looks for them.
#if HAPLOSPIN_GLOO
#define USE_C10D_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif
#if HAPLOSPIN_NCCL
#define USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

namespace haplospin {

bool CollectivesAvailable(torch::DeviceType device) { return device == torch::kCUDA ? HAPLOSPIN_NCCL : HAPLOSPIN_GLOO; }

namespace {

using CollectiveBackend = c10::intrusive_ptr<compat::CollectiveBackend>;
using Store = c10::intrusive_ptr<c10d::Store>;

// The others wait for rank 0 while it validates or writes; a process that ends closes its connections.
constexpr std::chrono::hours kLongestWait(24);

// The message without the backtrace that LibTorch adds.
std::string FirstLine(const std::exception& error) {
  const std::string_view what = error.what();
  return std::string(what.substr(0, what.find('\n')));
}

CollectiveBackend MakeGloo([[maybe_unused]] const Store& store, [[maybe_unused]] const ProcessPlace& place) {
#if HAPLOSPIN_GLOO
  const auto options = c10d::ProcessGroupGloo::Options::create(kLongestWait);
  options->threads = 2;
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");  // the variable of torch.distributed
  options->devices.push_back(interface != nullptr ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
                                                  : c10d::ProcessGroupGloo::createDefaultDevice());
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, place.rank, place.world_size, options);
#else
  return {};
#endif
}

CollectiveBackend MakeNccl([[maybe_unused]] const Store& store, [[maybe_unused]] const ProcessPlace& place) {
#if HAPLOSPIN_NCCL
  const auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = kLongestWait;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, place.rank, place.world_size, options);
#else
  return {};
#endif
}

// Puts tensors of one type into one buffer, so that many small ones cost one message.
torch::Tensor Flatten(const std::vector<torch::Tensor>& tensors) {
  std::vector<torch::Tensor> flat;
  for (const torch::Tensor& tensor : tensors) flat.push_back(tensor.reshape(-1));
  return torch::cat(flat);
}

void Unflatten(const torch::Tensor& flat, const std::vector<torch::Tensor>& tensors) {
  int64_t start = 0;
  for (const torch::Tensor& tensor : tensors) {
    tensor.copy_(flat.narrow(0, start, tensor.numel()).view_as(tensor));
    start += tensor.numel();
  }
}

std::map<torch::ScalarType, std::vector<torch::Tensor>> ByType(const std::vector<torch::Tensor>& tensors) {
  std::map<torch::ScalarType, std::vector<torch::Tensor>> groups;
  for (const torch::Tensor& tensor : tensors) groups[tensor.scalar_type()].push_back(tensor);
  return groups;
}

}  // namespace

class DataParallel::Group {
 public:
  Group(const ProcessPlace& place, torch::Device device, int timeout_seconds);

  void Sum(torch::Tensor& tensor) {  // over all processes, for all of them
    std::vector<torch::Tensor> tensors{tensor};
    Wait([&](auto& backend) { return backend.allreduce(tensors); });
  }

  void Broadcast(torch::Tensor& tensor) {  // rank 0's values
    std::vector<torch::Tensor> tensors{tensor};
    Wait([&](auto& backend) { return backend.broadcast(tensors); });
  }

 private:
  template <typename Start>
  void Wait(const Start& start) {
    try {
      start(*backend_)->wait();
    } catch (const std::exception& error) {
      throw InputError(fmt::format("process {} of {} lost the connection to another, whose message says why: {}",
                                   place_.rank, place_.world_size, FirstLine(error)));
    }
  }

  ProcessPlace place_;
  CollectiveBackend backend_;
};

DataParallel::Group::Group(const ProcessPlace& place, torch::Device device, int timeout_seconds) : place_(place) {
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
    options.timeout = std::chrono::seconds(timeout_seconds);
    const auto store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
    backend_ = device.is_cuda() ? MakeNccl(store, place) : MakeGloo(store, place);
  } catch (const std::exception& error) {
    throw InputError(fmt::format("process {} of {} could not connect to the others at {}:{}: {}", place.rank,
                                 place.world_size, place.address, place.port, FirstLine(error)));
  }
}

DataParallel::DataParallel(const ProcessPlace& place, torch::Device device, int timeout_seconds)
    : place_(place), device_(device) {
  if (place.world_size > 1) group_ = std::make_unique<Group>(place, device, timeout_seconds);
}

DataParallel::~DataParallel() = default;

void DataParallel::ShareState(torch::nn::Module& module) {
  if (!group_) return;
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> tensors;
  for (const auto& [name, tensor] : ModuleState(module)) tensors.push_back(tensor);
  for (const auto& [type, group] : ByType(tensors)) {
    torch::Tensor flat = Flatten(group);
    group_->Broadcast(flat);
    Unflatten(flat, group);
  }
}

void DataParallel::AverageGradients(const std::vector<NamedParameter>& parameters, double share) {
  if (!group_) return;
  std::vector<double> has_gradient;
  for (const NamedParameter& parameter : parameters) has_gradient.push_back(parameter.tensor.grad().defined() ? 1 : 0);
  has_gradient = Sum(has_gradient);
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> gradients;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (has_gradient[i] == 0) continue;
    torch::Tensor parameter = parameters[i].tensor;
    if (!parameter.grad().defined()) parameter.mutable_grad() = torch::zeros_like(parameter);
    gradients.push_back(parameter.grad());
  }
  for (const auto& [type, group] : ByType(gradients)) {
    torch::Tensor flat = Flatten(group).mul_(share);
    group_->Sum(flat);
    Unflatten(flat, group);
  }
}

std::vector<double> DataParallel::Sum(const std::vector<double>& values) {
  if (!group_) return values;
  torch::Tensor sum = torch::tensor(values, torch::kFloat64).to(device_);
  group_->Sum(sum);
  sum = sum.cpu();
  return {sum.data_ptr<double>(), sum.data_ptr<double>() + sum.numel()};
}

double DataParallel::FromRankZero(double value) {
  if (!group_) return value;
  torch::Tensor sent = torch::full({1}, value, torch::TensorOptions(torch::kFloat64).device(device_));
  group_->Broadcast(sent);
  return sent.item<double>();
}

}  // namespace haplospin
