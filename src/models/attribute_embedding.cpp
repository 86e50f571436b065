#include "models/attribute_embedding.h"

#include <torch/nn/functional/embedding.h>

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr double kShort = 0.1;  // norm of index, type and mask vectors, if class vectors are given

bool AllHaveTheSameClasses(const Attributes& attributes) {
  return std::ranges::all_of(attributes, [&](const Attribute& attribute) {
    return !attribute.IsContinuous() && attribute.classes == attributes.front().classes;
  });
}

// Rows initialized as in LibTorch's linear layer with that many inputs.
torch::Tensor LinearRows(int64_t rows, int64_t width, int64_t inputs) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(inputs));
  return torch::empty({rows, width}).uniform_(-bound, bound);
}

}  // namespace

AttributeEmbeddingImpl::AttributeEmbeddingImpl(const AttributeEmbeddingOptions& options) {
  const Attributes& attributes = options.attributes;
  const auto d = static_cast<int64_t>(attributes.size());
  HS_ASSERT(d > 0 && options.width > 0);
  HS_ASSERT(!options.share_classes || AllHaveTheSameClasses(attributes));

  const auto value_rows = [&](int64_t rows, int64_t inputs) {
    return options.long_values ? torch::randn({rows, options.width}) : LinearRows(rows, options.width, inputs);
  };

  std::vector<torch::Tensor> class_rows, number_rows, mask_rows;
  std::vector<int64_t> first_class, number_row;
  std::vector<float> is_number;
  int64_t classes = 0;
  int64_t numbers = 0;
  for (const Attribute& attribute : attributes) {
    first_class.push_back(options.share_classes ? 0 : classes);
    number_row.push_back(numbers);
    is_number.push_back(attribute.IsContinuous() ? 1.0f : 0.0f);
    if (options.share_classes && !class_rows.empty()) continue;
    const int64_t inputs = std::max<int64_t>(attribute.classes, 1) + 1;
    if (attribute.IsContinuous()) {
      number_rows.push_back(value_rows(1, inputs));
      ++numbers;
    } else {
      class_rows.push_back(value_rows(attribute.classes, inputs));
      classes += attribute.classes;
    }
    mask_rows.push_back(LinearRows(1, options.width, inputs));
  }
  has_classes_ = !class_rows.empty();
  has_numbers_ = !number_rows.empty();
  if (has_classes_) class_weights_ = register_parameter("class_weights", torch::cat(class_rows));
  if (has_numbers_) number_weights_ = register_parameter("number_weights", torch::cat(number_rows));
  mask_weights_ = register_parameter("mask_weights", torch::cat(mask_rows));
  index_ = register_parameter("index", torch::randn({d, options.width}) * options.place_deviation);
  type_ = register_parameter("type", torch::randn({2, options.width}) * options.place_deviation);
  if (options.class_vectors.defined()) {
    HS_ASSERT(options.share_classes && class_weights_.sizes() == options.class_vectors.sizes());
    const torch::NoGradGuard no_grad;
    class_weights_.copy_(options.class_vectors);
    for (torch::Tensor* of_place : {&mask_weights_, &index_, &type_}) of_place->mul_(kShort);
    if (options.mask_vector.defined()) mask_weights_.copy_(options.mask_vector);
  }
  first_class_ = torch::tensor(first_class);
  is_number_ = torch::tensor(is_number);
  // Past the last row for trailing categorical attributes: any row can be used, because it is multiplied by 0.
  number_row_ = torch::tensor(number_row).clamp_max(std::max<int64_t>(numbers - 1, 0));
  dropout_ = register_module("dropout", Dropout(options.dropout));
}

torch::Tensor AttributeEmbeddingImpl::EmbedClasses(const torch::Tensor& values, const torch::Tensor& visible_class) {
  // Entries that are not a visible class use any existing row, which is multiplied by 0.
  const torch::Tensor rows = first_class_.to(values.device()) + (values * visible_class).to(torch::kInt64);
  return torch::embedding(class_weights_, rows.clamp_max(class_weights_.size(0) - 1)) * visible_class.unsqueeze(-1);
}

torch::Tensor AttributeEmbeddingImpl::forward(const MaskedTable& table) {
  const torch::Tensor masked = table.masked.to(index_.scalar_type());
  const torch::Tensor is_number = is_number_.to(index_.options());
  const torch::Tensor types = type_.index_select(0, is_number.to(torch::kInt64));
  torch::Tensor embedded = masked.unsqueeze(-1) * mask_weights_ + index_ + types;
  if (has_classes_) embedded = embedded + EmbedClasses(table.values, (1 - masked) * (1 - is_number));
  if (has_numbers_) {
    const torch::Tensor visible_numbers = table.values * (1 - masked) * is_number;
    const torch::Tensor weights = number_weights_.index_select(0, number_row_.to(index_.device()));
    embedded = embedded + visible_numbers.unsqueeze(-1) * weights;
  }
  return dropout_(embedded);
}

}  // namespace haplospin
