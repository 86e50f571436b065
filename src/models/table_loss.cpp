#include "models/table_loss.h"

#include <algorithm>
#include <vector>

namespace haplospin {
namespace {

torch::Tensor CrossEntropy(const torch::Tensor& predictions, const torch::Tensor& truth) {
  const torch::Tensor log_probabilities = predictions.log_softmax(-1);
  return -log_probabilities.gather(-1, truth.to(torch::kInt64).unsqueeze(-1)).squeeze(-1);
}

// Returns which attributes are continuous, [d].
torch::Tensor IsContinuous(const Attributes& attributes, torch::Device device) {
  std::vector<uint8_t> flags;
  for (const Attribute& attribute : attributes) flags.push_back(attribute.IsContinuous() ? 1 : 0);
  return torch::tensor(flags, torch::kUInt8).to(device, torch::kBool);
}

// The loss of each entry, [n, d].
torch::Tensor EntryLosses(const torch::Tensor& predictions, const torch::Tensor& truth, const Attributes& attributes) {
  const auto continuous = std::ranges::count_if(attributes, &Attribute::IsContinuous);
  if (continuous == 0) return CrossEntropy(predictions, truth);
  torch::Tensor squared_error = (predictions.select(-1, 0) - truth).square();
  if (continuous == std::ssize(attributes)) return squared_error;
  const torch::Tensor is_continuous = IsContinuous(attributes, truth.device());
  // A continuous value is not a class: replace it by one whose loss is not used.
  return torch::where(is_continuous, squared_error, CrossEntropy(predictions, truth.masked_fill(is_continuous, 0.0)));
}

torch::Tensor MeanOver(const torch::Tensor& losses, const torch::Tensor& counted) {
  const torch::Tensor weights = counted.to(losses.scalar_type());
  return (losses * weights).sum() / weights.sum().clamp_min(1.0);
}

}  // namespace

TableLosses TableLoss(const torch::Tensor& predictions, const torch::Tensor& truth, const torch::Tensor& in_loss,
                      const torch::Tensor& is_target, const Attributes& attributes) {
  const bool is_double = predictions.scalar_type() == torch::kFloat64;
  const torch::Tensor losses =
      EntryLosses(predictions.to(is_double ? torch::kFloat64 : torch::kFloat32), truth, attributes);
  return {MeanOver(losses, in_loss & is_target), MeanOver(losses, in_loss & ~is_target)};
}

}  // namespace haplospin
