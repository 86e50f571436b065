#include "learning/models/npt.h"

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// A vector with the norm of the class vectors that is orthogonal to all of them, [e].
torch::Tensor MaskVector(const torch::Tensor& classes) {
  const auto [left, lengths, axes] = torch::linalg_svd(classes, /*full_matrices=*/true);
  const torch::Tensor free = axes[-1];
  HS_ASSERT(torch::matmul(classes, free).abs().max().item<double>() < 1e-3);
  return free * classes.norm(2, 1).mean();
}

// A reflection of each of d entries along `direction`, [d e, d e].
torch::Tensor ReflectEntries(const torch::Tensor& direction, int64_t d) {
  const torch::Tensor unit = direction / direction.norm();
  const torch::Tensor reflection = torch::eye(direction.size(0)) - 2 * torch::outer(unit, unit);
  return torch::kron(torch::eye(d), reflection);
}

AttributeEmbeddingOptions WithMaskVector(AttributeEmbeddingOptions options) {
  if (options.class_vectors.defined()) options.mask_vector = MaskVector(options.class_vectors);
  return options;
}

}  // namespace

NptImpl::NptImpl(const TableModelOptions& options) : NptImpl(options, WithMaskVector(EmbeddingOptions(options))) {}

NptImpl::NptImpl(const TableModelOptions& options, const AttributeEmbeddingOptions& embedding)
    : AlternatingNetwork(options, embedding, /*normalize_keys=*/true,
                         [](const MabOptions& mab, bool) { return Sab(mab); }) {
  if (!options.smoothed_classes.defined()) return;
  StartAsSmoother(options.smoothed_classes, embedding.mask_vector, std::ssize(options.attributes));
}

void NptImpl::StartAsSmoother(const torch::Tensor& classes, const torch::Tensor& mask, int64_t d) {
  const torch::Tensor key_map = ReflectEntries(mask, d);
  for (size_t i = 0; i < layers_->size(); ++i) {
    MabStart start{.attended = i == 0 ? 1.0 : 0.1};
    if (i % 2 == 0) {
      start.gain = 3.0;
      start.key_map = key_map;
    }
    layers_->at<SabImpl>(i).StartAsSmoother(start);
  }
  heads_->StartFrom(classes);
}

}  // namespace haplospin
