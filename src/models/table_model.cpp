#include "models/table_model.h"

#include <torch/nn/init.h>

namespace haplospin {

MabOptions PaperMab(const TableModelOptions& options, int64_t query_width, int64_t key_width) {
  return {.query_width = query_width,
          .key_width = key_width,
          .heads = options.heads,
          .attention_dropout = options.attention_dropout,
          .hidden_dropout = options.hidden_dropout,
          .residual_projection = true,
          .scale_by_full_width = true,
          .block_bytes = options.block_bytes};
}

torch::Tensor Unfold(const torch::Tensor& entries) { return entries.flatten(1).unsqueeze(0); }

torch::Tensor Fold(const torch::Tensor& datapoints, int64_t width) {
  return datapoints.squeeze(0).unflatten(1, {-1, width});
}

torch::Tensor XavierTensor(torch::IntArrayRef sizes) {
  torch::Tensor tensor = torch::empty(sizes);
  torch::nn::init::xavier_uniform_(tensor);
  return tensor;
}

}  // namespace haplospin
