#include "nn/layers/attention.h"

#include "haplospin/errors.h"
#include "nn/layers/blocked_attention.h"
#include "nn/layers/dropout.h"
#include "nn/torch_compat.h"

namespace haplospin {
namespace {

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
      return BlockedAttention(
          queries, keys, values,
          {.mask = mask, .scale = scale, .dropout = settings.dropout, .block_bytes = settings.block_bytes});
    default:
      const torch::Tensor weights = AttentionWeights(queries, keys, mask, scale);
      return torch::matmul(settings.dropout > 0.0 ? weights * DropoutFactors(weights, settings.dropout) : weights,
                           values);
  }
}

}  // namespace haplospin
