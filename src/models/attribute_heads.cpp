#include "models/attribute_heads.h"

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

int64_t Outputs(const Attribute& attribute) { return std::max<int64_t>(attribute.classes, 1); }

}  // namespace

AttributeHeadsImpl::AttributeHeadsImpl(const Attributes& attributes, int64_t width, bool share_classes) {
  HS_ASSERT(!attributes.empty());
  const auto d = static_cast<int64_t>(attributes.size());
  const int64_t max_outputs = Outputs(*std::ranges::max_element(attributes, {}, Outputs));
  rows_ = torch::zeros({d, max_outputs}, torch::kInt64);
  absent_ = torch::ones({d, max_outputs}, torch::kBool);
  int64_t total = 0;
  for (int64_t j = 0; j < d; ++j) {
    const int64_t outputs = Outputs(attributes[static_cast<size_t>(j)]);
    const int64_t first = share_classes ? 0 : total;
    rows_[j].narrow(0, 0, outputs).copy_(torch::arange(first, first + outputs));
    absent_[j].narrow(0, 0, outputs).fill_(false);
    total = first + outputs;
  }
  const double bound = 1.0 / std::sqrt(static_cast<double>(width));
  weights_ = register_parameter("weights", torch::empty({total, width}).uniform_(-bound, bound));
  biases_ = register_parameter("biases", torch::empty({total}).uniform_(-bound, bound));
}

void AttributeHeadsImpl::StartFrom(const torch::Tensor& class_vectors) {
  constexpr double kLogit = 8.0;  // logit of the class whose vector it is
  HS_ASSERT(class_vectors.sizes() == weights_.sizes());
  const torch::NoGradGuard no_grad;
  weights_.copy_(class_vectors * (kLogit / class_vectors.square().sum(1).mean()));
  biases_.zero_();
}

torch::Tensor AttributeHeadsImpl::forward(const torch::Tensor& entries) {
  const torch::Tensor rows = rows_.flatten().to(entries.device());
  const torch::Tensor weights = weights_.index_select(0, rows).view({rows_.size(0), rows_.size(1), weights_.size(1)});
  const torch::Tensor biases = biases_.index_select(0, rows).view_as(rows_);
  const torch::Tensor products = torch::matmul(entries.transpose(0, 1), weights.transpose(1, 2)).transpose(0, 1);
  return (products + biases).masked_fill(absent_.to(entries.device()), kAbsentLogit);
}

torch::Tensor AttributeHeadsImpl::FromRows(const torch::Tensor& rows) {
  const torch::Tensor outputs = torch::linear(rows, weights_, biases_);  // [n, sum of classes]
  const torch::Tensor of_attributes = outputs.index_select(1, rows_.flatten().to(rows.device()));
  return of_attributes.unflatten(1, rows_.sizes()).masked_fill(absent_.to(rows.device()), kAbsentLogit);
}

}  // namespace haplospin
