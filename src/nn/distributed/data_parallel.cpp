#include "nn/distributed/data_parallel.h"

#include <map>

#include "nn/distributed/collectives.h"
#include "nn/named_tensors.h"

namespace haplospin {
namespace {

// All tensors of one type in one buffer, so that many small ones cost one message.
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

DataParallel::DataParallel(const ProcessPlace& place, torch::Device device, int timeout_seconds)
    : place_(place), device_(device) {
  if (place.world_size > 1) collectives_ = std::make_unique<Collectives>(place, device, timeout_seconds);
}

DataParallel::~DataParallel() = default;

void DataParallel::ShareState(torch::nn::Module& module) {
  if (!collectives_) return;
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> tensors;
  for (const auto& [name, tensor] : ModuleState(module)) tensors.push_back(tensor);
  for (const auto& [type, group] : ByType(tensors)) {
    torch::Tensor flat = Flatten(group);
    collectives_->Broadcast(flat);
    Unflatten(flat, group);
  }
}

void DataParallel::AverageGradients(const std::vector<NamedParameter>& parameters, double share) {
  if (!collectives_) return;
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
    collectives_->Sum(flat);
    Unflatten(flat, group);
  }
}

std::vector<double> DataParallel::Sum(const std::vector<double>& values) {
  if (!collectives_) return values;
  torch::Tensor sum = torch::tensor(values, torch::kFloat64).to(device_);
  collectives_->Sum(sum);
  sum = sum.cpu();
  return {sum.data_ptr<double>(), sum.data_ptr<double>() + sum.numel()};
}

double DataParallel::FromRankZero(double value) {
  if (!collectives_) return value;
  torch::Tensor sent = torch::full({1}, value, torch::TensorOptions(torch::kFloat64).device(device_));
  collectives_->Broadcast(sent);
  return sent.item<double>();
}

}  // namespace haplospin
