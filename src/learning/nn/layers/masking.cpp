#include "learning/nn/layers/masking.h"

#include "haplospin/errors.h"

namespace haplospin {
namespace {

torch::Tensor DrawEach(const torch::Tensor& like, double probability) {
  return torch::rand(like.sizes(), like.options().dtype(torch::kFloat32)) < probability;
}

// A value for each entry of [n, d]: a uniform class, or a standard normal number.
torch::Tensor RandomValues(const torch::Tensor& like, const Attributes& attributes) {
  torch::Tensor classes = torch::empty({static_cast<int64_t>(attributes.size())}, torch::kFloat64);
  for (size_t j = 0; j < attributes.size(); ++j) {
    classes[static_cast<int64_t>(j)] = static_cast<double>(attributes[j].classes);
  }
  classes = classes.to(like.options());
  const torch::Tensor uniform_class = torch::minimum((torch::rand_like(like) * classes).floor(), classes - 1);
  return torch::where(classes > 0, uniform_class, torch::randn_like(like));
}

}  // namespace

MaskedTable Unmasked(const torch::Tensor& values) {
  const torch::Tensor none = torch::zeros_like(values, torch::kBool);
  return {values, none, none};
}

void Hide(MaskedTable& table, const torch::Tensor& entries) {
  table.values = table.values.masked_fill(entries, 0.0);
  table.masked = table.masked | entries;
}

void MaskAtRandom(MaskedTable& table, const Attributes& attributes, const torch::Tensor& eligible, double probability,
                  double randomized_share) {
  HS_ASSERT(probability >= 0.0 && probability <= 1.0);
  HS_ASSERT(static_cast<int64_t>(attributes.size()) == table.values.size(1));
  const torch::Tensor selected = DrawEach(table.values, probability) & eligible;
  table.in_loss = table.in_loss | selected;
  if (probability == 1.0) return Hide(table, selected);
  const torch::Tensor randomized = selected & DrawEach(table.values, randomized_share);
  table.values = torch::where(randomized, RandomValues(table.values, attributes), table.values);
  Hide(table, selected & ~randomized);
}

void MaskChunks(MaskedTable& table, const torch::Tensor& rows, const torch::Tensor& columns, double probability) {
  HS_ASSERT(probability >= 0.0 && probability <= 1.0);
  const torch::Tensor selected = (DrawEach(rows, probability) & rows).unsqueeze(1) & columns.unsqueeze(0);
  table.in_loss = table.in_loss | selected;
  Hide(table, selected);
}

}  // namespace haplospin
