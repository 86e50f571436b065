#include "learning/nn/layers/attention.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/autograd.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "haplospin/errors.h"
#include "learning/nn/layers/dropout.h"
#include "learning/nn/random_state.h"
#include "learning/nn/torch_compat.h"

namespace haplospin {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Blocked attention: its memory does not grow with n m. The backward pass computes the scores of a block again (Rabe
// and Staats, 2021; Dao et al., 2022). It works in place, because the heap would be left with holes by more buffers.
struct BlockedOptions {
  Tensor mask;  // undefined, or bool that broadcasts to [b, heads, n, m]
  double scale = 1.0, dropout = 0.0;
  int64_t block_bytes = 0;
};

// The number of batch entries and queries of a block of scores.
struct BlockSizes {
  int64_t batch, queries;
};

BlockSizes ChooseBlockSizes(const Tensor& queries, const Tensor& keys, int64_t block_bytes, int64_t bytes) {
  const int64_t n = std::max<int64_t>(queries.size(2), 1);
  const int64_t row_bytes = bytes * queries.size(1) * std::max<int64_t>(keys.size(2), 1);
  const int64_t rows = std::max<int64_t>(block_bytes / row_bytes, 1);
  if (rows < n) return {1, rows};
  return {std::clamp<int64_t>(rows / n, 1, std::max<int64_t>(queries.size(0), 1)), n};
}

// The range of a dimension that the i-th block covers.
Tensor Slice(const Tensor& tensor, int64_t dimension, int64_t start, int64_t length) {
  return tensor.narrow(dimension, start, std::min(length, tensor.size(dimension) - start));
}

struct Problem {
  Tensor queries, keys, values;
  Tensor mask;  // undefined, or expanded to [b, heads, n, m]
  double scale, dropout;
  BlockSizes blocks;

  torch::ScalarType SumType() const {
    return queries.scalar_type() == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
  }
};

// A part of the problem: the queries [i, i + ...) of the batch entries [b, b + ...).
struct QueryBlock {
  Tensor queries, keys, values, mask;
};

QueryBlock TakeQueries(const Problem& problem, int64_t b, int64_t i) {
  const auto& blocks = problem.blocks;
  QueryBlock part{Slice(Slice(problem.queries, 0, b, blocks.batch), 2, i, blocks.queries),
                  Slice(problem.keys, 0, b, blocks.batch),
                  Slice(problem.values, 0, b, blocks.batch),
                  {}};
  if (problem.mask.defined()) part.mask = Slice(Slice(problem.mask, 0, b, blocks.batch), 2, i, blocks.queries);
  return part;
}

// The weights of all keys, 0 where a query may attend to none.
Tensor Weights(const Problem& problem, const QueryBlock& part) {
  Tensor weights = torch::matmul(part.queries, part.keys.transpose(-2, -1)).to(problem.SumType()).mul_(problem.scale);
  if (part.keys.size(2) == 0) return weights;
  if (part.mask.defined()) weights.masked_fill_(~part.mask, -kInfinity);
  const Tensor maximum = weights.amax(-1, true);
  weights.sub_(maximum.masked_fill(maximum == -kInfinity, 0.0)).exp_();
  const Tensor sum = weights.sum(-1, true);
  return weights.div_(sum.masked_fill(sum == 0.0, 1.0));
}

// 0 where a weight is dropped, 1 / (1 - dropout) where it stays; undefined without dropout.
Tensor DrawDropout(const Problem& problem, const Tensor& like) {
  return problem.dropout > 0.0 ? DropoutFactors(like, problem.dropout) : Tensor();
}

Tensor AttendAll(const Problem& problem) {
  auto shape = problem.queries.sizes().vec();
  shape.back() = problem.values.size(3);
  Tensor output = torch::zeros(shape, problem.queries.options());
  for (int64_t b = 0; b < shape[0]; b += problem.blocks.batch) {
    for (int64_t i = 0; i < shape[2]; i += problem.blocks.queries) {
      const QueryBlock part = TakeQueries(problem, b, i);
      Tensor weights = Weights(problem, part);
      if (const Tensor kept = DrawDropout(problem, weights); kept.defined()) weights.mul_(kept);
      Slice(Slice(output, 0, b, problem.blocks.batch), 2, i, problem.blocks.queries)
          .copy_(torch::matmul(weights.to(part.values.scalar_type()), part.values));
    }
  }
  return output;
}

struct Gradients {
  Tensor queries, keys, values;
};

// `output` and `output_gradient` belong to the query block; `sums` to the whole problem's batch entries.
// With P the weights, O the output: dV = P^T dO, dP = dO V^T, dS = P * (dP - rowsum(dO * O)), dQ = dS K, dK = dS^T Q.
void AddQueryBlockGradients(const Problem& problem, const QueryBlock& part, const Tensor& output,
                            const Tensor& output_gradient, const Gradients& sums) {
  const auto type = problem.SumType();
  const Tensor gradient = output_gradient.to(type);
  const Tensor row_sum = (gradient * output.to(type)).sum(-1, true);
  const Tensor weights = Weights(problem, part);
  const Tensor kept = DrawDropout(problem, weights);
  const Tensor used_weights = kept.defined() ? weights * kept : weights;
  sums.values.add_(torch::matmul(used_weights.transpose(-2, -1), gradient));
  Tensor weight_gradient = torch::matmul(gradient, part.values.to(type).transpose(-2, -1));
  if (kept.defined()) weight_gradient.mul_(kept);
  const Tensor score_gradient = weight_gradient.sub_(row_sum).mul_(weights).mul_(problem.scale);
  sums.queries.add_(torch::matmul(score_gradient, part.keys.to(type)));
  sums.keys.add_(torch::matmul(score_gradient.transpose(-2, -1), part.queries.to(type)));
}

Gradients BackwardAll(const Problem& problem, const Tensor& output, const Tensor& output_gradient) {
  const auto type = problem.SumType();
  const auto& blocks = problem.blocks;
  const Gradients gradients{torch::zeros_like(problem.queries, type), torch::zeros_like(problem.keys, type),
                            torch::zeros_like(problem.values, type)};
  for (int64_t b = 0; b < problem.queries.size(0); b += blocks.batch) {
    for (int64_t i = 0; i < problem.queries.size(2); i += blocks.queries) {
      const auto take = [&](const Tensor& t) { return Slice(Slice(t, 0, b, blocks.batch), 2, i, blocks.queries); };
      const Gradients part{take(gradients.queries), Slice(gradients.keys, 0, b, blocks.batch),
                           Slice(gradients.values, 0, b, blocks.batch)};
      AddQueryBlockGradients(problem, TakeQueries(problem, b, i), take(output), take(output_gradient), part);
    }
  }
  return gradients;
}

Problem Describe(const Tensor& queries, const Tensor& keys, const Tensor& values, const BlockedOptions& options) {
  Problem problem{queries, keys, values, {}, options.scale, options.dropout, {}};
  if (options.mask.defined()) {
    problem.mask = options.mask.expand({queries.size(0), queries.size(1), queries.size(2), keys.size(2)});
  }
  const int64_t bytes = problem.SumType() == torch::kFloat64 ? 8 : 4;
  problem.blocks = ChooseBlockSizes(queries, keys, options.block_bytes, bytes);
  return problem;
}

struct BlockedAttentionFunction : torch::autograd::Function<BlockedAttentionFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& queries, const Tensor& keys, const Tensor& values,
                        const BlockedOptions& options) {
    // The forward and the backward pass choose their types themselves, so that both compute the same blocks.
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    const Tensor generator = options.dropout > 0.0 ? GeneratorState(queries.device()) : Tensor();
    Tensor output = AttendAll(Describe(queries, keys, values, options));
    context->save_for_backward({queries, keys, values, options.mask, output, generator});
    context->saved_data["scale"] = options.scale;
    context->saved_data["dropout"] = options.dropout;
    context->saved_data["block_bytes"] = options.block_bytes;
    return output;
  }

  static variable_list backward(AutogradContext* context, variable_list output_gradients) {
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    const variable_list saved = context->get_saved_variables();
    const BlockedOptions options{.mask = saved[3],
                                 .scale = context->saved_data["scale"].toDouble(),
                                 .dropout = context->saved_data["dropout"].toDouble(),
                                 .block_bytes = context->saved_data["block_bytes"].toInt()};
    std::optional<GeneratorRewound> rewound;
    if (options.dropout > 0.0) rewound.emplace(saved[0].device(), saved[5]);
    const Gradients gradients =
        BackwardAll(Describe(saved[0], saved[1], saved[2], options), saved[4], output_gradients[0]);
    return {gradients.queries.to(saved[0].scalar_type()), gradients.keys.to(saved[1].scalar_type()),
            gradients.values.to(saved[2].scalar_type()), Tensor()};
  }
};

int64_t ScoreBytes(const torch::Tensor& queries, const torch::Tensor& keys) {
  return queries.size(0) * queries.size(1) * queries.size(2) * keys.size(2) * queries.element_size();
}

// LibTorch's attention on the CPU holds all scores when there is dropout, and so does CUDA's in double.
bool FusedSavesMemory(const torch::Tensor& queries, double dropout) {
  if (!compat::kHasFusedAttention) return false;
  return queries.is_cuda() ? queries.scalar_type() != torch::kFloat64 : dropout == 0.0;
}

AttentionKernel Choose(const torch::Tensor& queries, const torch::Tensor& keys, const AttentionSettings& settings) {
  if (settings.kernel != AttentionKernel::kAuto) return settings.kernel;
  if (FusedSavesMemory(queries, settings.dropout)) return AttentionKernel::kFused;
  return ScoreBytes(queries, keys) <= settings.block_bytes ? AttentionKernel::kPlain : AttentionKernel::kBlocked;
}

torch::Tensor FusedAttention(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& values,
                             const torch::Tensor& mask, double scale, double dropout) {
  if (!mask.defined()) return compat::FusedAttention(queries, keys, values, mask, dropout, scale);
  // A row without keys would be a softmax over nothing: let it attend to everything and discard the result.
  const torch::Tensor attends = mask.any(-1, /*keepdim=*/true);
  const torch::Tensor result = compat::FusedAttention(queries, keys, values, mask | ~attends, dropout, scale);
  return result.masked_fill(~attends, 0.0);
}

}  // namespace

torch::Tensor AttentionWeights(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& mask,
                               double scale) {
  const torch::Tensor scores = torch::matmul(queries, keys.transpose(-2, -1)) * scale;
  if (!mask.defined()) return scores.softmax(-1);
  // The lowest finite number rather than minus infinity: a row without keys then has finite gradients, which are
  // discarded.
  const double lowest =
      scores.scalar_type() == torch::kFloat64 ? std::numeric_limits<double>::lowest() : -3e38;  // bfloat16 holds it too
  return scores.masked_fill(~mask, lowest).softmax(-1).masked_fill(~mask, 0.0);
}

torch::Tensor Attention(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& values,
                        const torch::Tensor& mask, double scale, const AttentionSettings& settings) {
  HS_ASSERT(queries.dim() == 4 && keys.dim() == 4 && values.dim() == 4);
  switch (Choose(queries, keys, settings)) {
    case AttentionKernel::kFused:
      return FusedAttention(queries, keys, values, mask, scale, settings.dropout);
    case AttentionKernel::kBlocked:
      HS_ASSERT(settings.dropout >= 0.0 && settings.dropout < 1.0 && settings.block_bytes > 0);
      return BlockedAttentionFunction::apply(
          queries, keys, values,
          BlockedOptions{
              .mask = mask, .scale = scale, .dropout = settings.dropout, .block_bytes = settings.block_bytes});
    default:
      const torch::Tensor weights = AttentionWeights(queries, keys, mask, scale);
      return torch::matmul(settings.dropout > 0.0 ? weights * DropoutFactors(weights, settings.dropout) : weights,
                           values);
  }
}

torch::Tensor SplitHeads(const torch::Tensor& projected, int64_t heads) {
  return projected.unflatten(-1, {heads, projected.size(-1) / heads}).transpose(1, 2).contiguous();
}

}  // namespace haplospin
