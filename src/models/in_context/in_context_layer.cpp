#include "models/in_context/in_context_layer.h"

#include "models/table_model.h"

namespace haplospin {
namespace {

MabOptions BlockOptions(const InContextLayerOptions& options) {
  return {.query_width = options.width,
          .key_width = options.width,
          .heads = options.heads,
          .feed_forward_expansion = 2,
          .norm_epsilon = 1e-5,
          .normalize_keys = true,
          .packed_attention = true};
}

// [b, n, d + 1, e] -> [b (d + 1), n, e]
torch::Tensor ByColumn(const torch::Tensor& cells) { return cells.transpose(1, 2).contiguous().flatten(0, 1); }

}  // namespace

InContextLayerImpl::InContextLayerImpl(const InContextLayerOptions& options) {
  const MabOptions block = BlockOptions(options);
  inducing_points_ = register_parameter("inducing_points", XavierTensor({options.inducing_points, options.width}));
  between_columns_ = register_module("between_columns", Mab(block));
  gather_ = register_module("gather", Mab(block));
  read_points_ = register_module("read_points", Mab(block));
  read_labels_ = register_module("read_labels", Mab(block));
}

torch::Tensor InContextLayerImpl::BetweenColumns(const torch::Tensor& cells) {
  const torch::Tensor rows = cells.flatten(0, 1);
  return between_columns_(rows, rows).view(cells.sizes());
}

torch::Tensor InContextLayerImpl::Gather(const torch::Tensor& cells) {
  const torch::Tensor columns = ByColumn(cells);
  return gather_(inducing_points_.expand({columns.size(0), -1, -1}), columns);
}

torch::Tensor InContextLayerImpl::ReadPoints(const torch::Tensor& cells, const torch::Tensor& points) {
  const torch::Tensor columns = read_points_(ByColumn(cells), points);
  return columns.unflatten(0, {cells.size(0), cells.size(2)}).transpose(1, 2).contiguous();
}

torch::Tensor InContextLayerImpl::ReadLabels(const torch::Tensor& cells, const torch::Tensor& labels) {
  const int64_t d = cells.size(2) - 1;
  const torch::Tensor own = read_labels_(cells.select(2, d).contiguous(), labels);
  return torch::cat({cells.narrow(2, 0, d), own.unsqueeze(2)}, 2);
}

}  // namespace haplospin
