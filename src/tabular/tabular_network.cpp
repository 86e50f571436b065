#include "tabular/tabular_network.h"

#include <algorithm>
#include <vector>

namespace haplospin {
namespace {

// The smallest scale of residuals: numbers of 32 bits are not precise enough for smaller ones.
constexpr double kMinScale = 1e-4;
constexpr int64_t kQueryRows = 512;  // rows

}  // namespace

ResidualNetwork::ResidualNetwork(std::shared_ptr<ContextNetwork> inner, std::shared_ptr<LinearModel> linear,
                                 const Attributes& attributes, const torch::Tensor& is_target)
    : inner_(register_module("inner", std::move(inner))),
      linear_(std::move(linear)),
      is_number_(NumericTargets(attributes, is_target)) {
  scale_ = register_buffer("scale", torch::ones({std::ssize(attributes)}));
}

void ResidualNetwork::Fit(const EncodedTable& rows) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor residuals = rows.values - linear_->forward(rows.Masked()).select(2, 0);
  const torch::Tensor deviation = (residuals - residuals.mean(0)).square().mean(0).sqrt().clamp_min(kMinScale);
  scale_.copy_(torch::where(is_number_.to(scale_.device()), deviation, torch::ones_like(deviation)));
}

MaskedTable ResidualNetwork::ToResiduals(const MaskedTable& rows, const torch::Tensor& linear) const {
  if (!rows.values.defined()) return rows;
  const torch::Tensor is_seen = is_number_.to(rows.values.device()) & ~rows.masked;
  MaskedTable residuals = rows;
  residuals.values = torch::where(is_seen, (rows.values - linear.select(2, 0)) / scale_, rows.values);
  return residuals;
}

torch::Tensor ResidualNetwork::FromResiduals(const torch::Tensor& predictions, const torch::Tensor& linear) const {
  return linear + predictions * scale_.unsqueeze(1);
}

torch::Tensor ResidualNetwork::Train(const MaskedTable& batch, const MaskedTable& memory,
                                     const torch::Tensor& own_row) {
  const torch::Tensor linear = linear_->forward(batch);
  const MaskedTable stored = memory.values.defined() ? ToResiduals(memory, linear_->forward(memory)) : memory;
  return FromResiduals(inner_->Train(ToResiduals(batch, linear), stored, own_row), linear);
}

EncodedContext ResidualNetwork::Encode(const MaskedTable& rows) {
  return inner_->Encode(ToResiduals(rows, linear_->forward(rows)));
}

torch::Tensor ResidualNetwork::Predict(const EncodedContext& context, const MaskedTable& query) {
  const torch::Tensor linear = linear_->forward(query);
  return FromResiduals(inner_->Predict(context, ToResiduals(query, linear)), linear);
}

torch::Tensor ResidualNetwork::ContextWeights(const EncodedContext& context, const MaskedTable& query) {
  return inner_->ContextWeights(context, ToResiduals(query, linear_->forward(query)));
}

std::shared_ptr<ResidualNetwork> MakeTabularNetwork(const ContextNetworkOptions& options,
                                                    std::shared_ptr<LinearModel> linear, const Attributes& attributes,
                                                    const torch::Tensor& is_target) {
  const ContextNetworkTable table{
      .attributes = attributes, .long_values = true, .normalize_keys = true, .rows_per_block = kSpinRowsPerBlock};
  return std::make_shared<ResidualNetwork>(MakeContextNetwork(options, table), std::move(linear), attributes,
                                           is_target);
}

torch::Tensor PredictInBlocks(ContextNetwork& network, const EncodedContext& context, const EncodedTable& rows,
                              const Attributes& attributes, const torch::Tensor& is_target) {
  std::vector<torch::Tensor> blocks;
  for (int64_t first = 0; first < rows.rows(); first += kQueryRows) {
    const MaskedTable query = rows.Part(first, kQueryRows).Query(is_target);
    blocks.push_back(ToProbabilities(network.Predict(context, query), attributes));
  }
  return torch::cat(blocks);
}

}  // namespace haplospin
