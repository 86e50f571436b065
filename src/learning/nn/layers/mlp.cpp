#include "learning/nn/layers/mlp.h"

#include "haplospin/errors.h"

namespace haplospin {

MlpImpl::MlpImpl(const MlpOptions& options) {
  HS_ASSERT(options.input > 0 && options.hidden > 0 && options.output > 0 && options.hidden_layers >= 1);
  layers_ = register_module("layers", torch::nn::ModuleList());
  int64_t width = options.input;
  for (int64_t i = 0; i < options.hidden_layers; ++i) {
    layers_->push_back(torch::nn::Linear(width, options.hidden));
    width = options.hidden;
  }
  layers_->push_back(torch::nn::Linear(width, options.output));
}

torch::Tensor MlpImpl::forward(torch::Tensor x) {
  for (size_t i = 0; i < layers_->size(); ++i) {
    if (i > 0) x = torch::relu(x);
    x = layers_->at<torch::nn::LinearImpl>(i).forward(x);
  }
  return x;
}

std::vector<torch::Tensor> MlpImpl::Layers() const {
  std::vector<torch::Tensor> tensors;
  for (const auto& layer : *layers_) {
    const auto& linear = *layer->as<torch::nn::LinearImpl>();
    tensors.push_back(linear.weight);
    tensors.push_back(linear.bias);
  }
  return tensors;
}

}  // namespace haplospin
