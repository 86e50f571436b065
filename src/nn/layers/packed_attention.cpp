#include "nn/layers/packed_attention.h"

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>

#include "haplospin/errors.h"
#include "nn/layers/attention_kernels.h"

namespace haplospin {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Head `head` of entry `b`.
HeadRows RowsOf(const Tensor& tensor, int64_t b, int64_t head, int64_t width) {
  const int64_t n = tensor.size(1), w = tensor.size(2);
  return {tensor.data_ptr<float>() + b * n * w + head * width, n, w};
}

MutableHeadRows MutableRowsOf(const Tensor& tensor, int64_t b, int64_t head, int64_t width) {
  return {tensor.data_ptr<float>() + b * tensor.size(1) * tensor.size(2) + head * width, tensor.size(2)};
}

// Calls run(b, head) for all of them, in parallel where that is more than a little work.
template <typename Run>
void ForEachHead(const Tensor& queries, const Tensor& keys, int64_t heads, const Run& run) {
  const int64_t work = queries.size(1) * keys.size(1) * queries.size(2) / heads;
  const int64_t grain = std::max<int64_t>(1, 100000 / std::max<int64_t>(1, work));
  at::parallel_for(0, queries.size(0) * heads, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) run(i / heads, i % heads);
  });
}

class PackedAttentionFunction : public torch::autograd::Function<PackedAttentionFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& given_queries, const Tensor& given_keys,
                        const Tensor& given_values, int64_t heads, double scale) {
    const Tensor queries = given_queries.contiguous(), keys = given_keys.contiguous(),
                 values = given_values.contiguous();
    const HeadSizes sizes{queries.size(2) / heads, static_cast<float>(scale)};
    Tensor out = torch::empty_like(queries);
    ForEachHead(queries, keys, heads, [&](int64_t b, int64_t head) {
      AttendHead(RowsOf(queries, b, head, sizes.width), RowsOf(keys, b, head, sizes.width),
                 RowsOf(values, b, head, sizes.width), sizes, MutableRowsOf(out, b, head, sizes.width));
    });
    context->save_for_backward({queries, keys, values});
    context->saved_data["heads"] = heads;
    context->saved_data["scale"] = scale;
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &queries = saved[0], &keys = saved[1], &values = saved[2];
    const int64_t heads = context->saved_data["heads"].toInt();
    const HeadSizes sizes{queries.size(2) / heads, static_cast<float>(context->saved_data["scale"].toDouble())};
    const Tensor of_out = gradients[0].contiguous();
    Tensor of_queries = torch::empty_like(queries), of_keys = torch::empty_like(keys),
           of_values = torch::empty_like(values);
    ForEachHead(queries, keys, heads, [&](int64_t b, int64_t head) {
      AttendHeadBackward(RowsOf(queries, b, head, sizes.width), RowsOf(keys, b, head, sizes.width),
                         RowsOf(values, b, head, sizes.width), sizes, RowsOf(of_out, b, head, sizes.width),
                         {MutableRowsOf(of_queries, b, head, sizes.width), MutableRowsOf(of_keys, b, head, sizes.width),
                          MutableRowsOf(of_values, b, head, sizes.width)});
    });
    return {of_queries, of_keys, of_values, Tensor(), Tensor()};
  }
};

}  // namespace

bool CanPackAttention(const torch::Tensor& queries) {
  return queries.is_cpu() && queries.scalar_type() == torch::kFloat32;
}

torch::Tensor PackedAttention(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& values,
                              int64_t heads, double scale) {
  HS_ASSERT(queries.dim() == 3 && keys.dim() == 3 && keys.sizes() == values.sizes() && keys.size(1) > 0);
  HS_ASSERT(queries.size(2) == keys.size(2) && queries.size(0) == keys.size(0) && queries.size(2) % heads == 0);
  return PackedAttentionFunction::apply(queries, keys, values, heads, scale);
}

}  // namespace haplospin
