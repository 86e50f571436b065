#include "tabular/error_model.h"

namespace haplospin {
namespace {

using torch::Tensor;

constexpr int64_t kMinErrorRows = 20;    // fewer rows give the same deviation for all rows
constexpr double kMinErrorShare = 1e-3;  // smallest error, as a share of the typical one

}  // namespace

ErrorModel::ErrorModel(const Attributes& attributes, const Tensor& is_target)
    : is_number_(NumericTargets(attributes, is_target)),
      logarithm_(register_module("logarithm", std::make_shared<LinearModel>(attributes, is_target))) {
  factor_ = register_buffer("factor", torch::ones({std::ssize(attributes)}));
  least_ = register_buffer("least", torch::zeros({std::ssize(attributes)}));
  most_ = register_buffer("most", torch::zeros({std::ssize(attributes)}));
}

void ErrorModel::Fit(const EncodedTable& rows, const Tensor& predictions) {
  const torch::NoGradGuard no_grad;
  if (!is_number_.any().item<bool>()) return;
  const Tensor errors = (predictions.select(2, 0) - rows.values).abs();
  const Tensor typical = errors.square().mean(0).sqrt();
  const Tensor logarithms = torch::maximum(errors, typical * kMinErrorShare + 1e-12).log();
  const Tensor is_number = is_number_.to(errors.device());
  if (rows.rows() >= kMinErrorRows) logarithm_->Fit({torch::where(is_number, logarithms, rows.values), rows.missing});
  const Tensor fitted = logarithm_->forward(rows.Masked()).select(2, 0);
  least_.copy_(std::get<0>(fitted.min(0)));
  most_.copy_(std::get<0>(fitted.max(0)));
  factor_.copy_(torch::where(is_number, (errors / fitted.exp()).square().mean(0).sqrt().clamp_min(1e-6),
                             torch::ones_like(typical)));
}

Tensor ErrorModel::Deviations(const MaskedTable& rows) {
  const Tensor fitted = logarithm_->forward(rows).select(2, 0);
  const Tensor deviation = torch::minimum(torch::maximum(fitted, least_), most_).exp() * factor_;
  return torch::where(is_number_.to(deviation.device()), deviation, torch::ones_like(deviation));
}

}  // namespace haplospin
