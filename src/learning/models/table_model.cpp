#include "learning/models/table_model.h"

#include <torch/nn/functional/embedding.h>
#include <torch/nn/init.h>

#include <algorithm>
#include <cmath>
#include <vector>

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

int64_t Outputs(const Attribute& attribute) { return std::max<int64_t>(attribute.classes, 1); }

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

MabOptions PaperMab(const TableModelOptions& options, int64_t query_width, int64_t key_width) {
  return {.query_width = query_width,
          .key_width = key_width,
          .heads = options.heads,
          .attention_dropout = options.attention_dropout,
          .hidden_dropout = options.hidden_dropout,
          .residual_projection = true,
          .scale_by_full_width = true,
          .block_bytes = options.block_bytes};
}

AttributeEmbeddingOptions EmbeddingOptions(const TableModelOptions& options) {
  return {.attributes = options.attributes,
          .width = options.width,
          .share_classes = options.share_classes,
          .long_values = options.long_values,
          .class_vectors = options.smoothed_classes,
          .dropout = options.hidden_dropout};
}

torch::Tensor Unfold(const torch::Tensor& entries) { return entries.flatten(1).unsqueeze(0); }

torch::Tensor Fold(const torch::Tensor& datapoints, int64_t width) {
  return datapoints.squeeze(0).unflatten(1, {-1, width});
}

torch::Tensor XavierTensor(torch::IntArrayRef sizes) {
  torch::Tensor tensor = torch::empty(sizes);
  torch::nn::init::xavier_uniform_(tensor);
  return tensor;
}

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
    for (torch::Tensor* place_weights : {&mask_weights_, &index_, &type_}) place_weights->mul_(kShort);
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
  const torch::Tensor attribute_outputs = outputs.index_select(1, rows_.flatten().to(rows.device()));
  return attribute_outputs.unflatten(1, rows_.sizes()).masked_fill(absent_.to(rows.device()), kAbsentLogit);
}

TableLosses TableLoss(const torch::Tensor& predictions, const torch::Tensor& truth, const torch::Tensor& in_loss,
                      const torch::Tensor& is_target, const Attributes& attributes) {
  const bool is_double = predictions.scalar_type() == torch::kFloat64;
  const torch::Tensor losses =
      EntryLosses(predictions.to(is_double ? torch::kFloat64 : torch::kFloat32), truth, attributes);
  return {MeanOver(losses, in_loss & is_target), MeanOver(losses, in_loss & ~is_target)};
}

}  // namespace haplospin
