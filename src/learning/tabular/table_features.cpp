#include "learning/tabular/table_features.h"

#include <algorithm>

namespace haplospin {
namespace {

constexpr int64_t kMaxColumns = 600;  // limit because the square of this number is decomposed

}  // namespace

TableFeatures::TableFeatures(const Attributes& attributes, const torch::Tensor& is_target, int64_t quantiles) {
  const torch::Tensor targets = is_target.cpu();
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    if (targets[j].item<bool>()) continue;
    const Attribute& attribute = attributes[static_cast<size_t>(j)];
    if (attribute.IsContinuous()) {
      numbers_.push_back(j);
    } else {
      categories_.push_back({j, attribute.classes});
    }
  }
  const int64_t numbers = std::ssize(numbers_);
  quantiles_ = numbers * (2 + quantiles) <= kMaxColumns ? quantiles : 0;
  width_ = numbers * (2 + quantiles_);
  std::ranges::stable_sort(categories_, {}, &Category::classes);
  size_t kept = 0;
  while (kept < categories_.size() && width_ + categories_[kept].classes + 1 <= kMaxColumns) {
    width_ += categories_[kept++].classes + 1;
  }
  categories_.resize(kept);
  low_ = register_buffer("low", torch::zeros({numbers}));
  high_ = register_buffer("high", torch::zeros({numbers}));
  knots_ = register_buffer("knots", torch::zeros({numbers, quantiles_}));
}

void TableFeatures::Fit(const EncodedTable& rows) {
  const torch::NoGradGuard no_grad;
  for (int64_t k = 0; k < std::ssize(numbers_); ++k) {
    const int64_t j = numbers_[static_cast<size_t>(k)];
    const torch::Tensor present = rows.values.select(1, j).masked_select(~rows.missing.select(1, j));
    if (present.size(0) == 0) continue;
    const torch::Tensor sorted = std::get<0>(present.sort());
    const int64_t last = sorted.size(0) - 1;
    low_[k] = sorted[0];
    high_[k] = sorted[last];
    for (int64_t i = 0; i < quantiles_; ++i) knots_[k][i] = sorted[last * (i + 1) / (quantiles_ + 1)];
  }
}

torch::Tensor TableFeatures::forward(const torch::Tensor& values, const torch::Tensor& missing) const {
  std::vector<torch::Tensor> parts = {torch::zeros({values.size(0), 0}, values.options())};
  if (!numbers_.empty()) {
    const torch::Tensor at = torch::tensor(numbers_, torch::kInt64).to(values.device());
    const torch::Tensor absent = missing.index_select(1, at).to(values.scalar_type());
    const torch::Tensor present = 1 - absent;
    const torch::Tensor x = torch::minimum(torch::maximum(values.index_select(1, at), low_), high_);
    parts.push_back(x * present);
    parts.push_back(absent);
    parts.push_back(((x.unsqueeze(2) - knots_).clamp_min(0) * present.unsqueeze(2)).flatten(1));
  }
  for (const Category& category : categories_) {
    const torch::Tensor absent = missing.select(1, category.attribute).unsqueeze(1);
    const torch::Tensor is_class = values.select(1, category.attribute).unsqueeze(1) ==
                                   torch::arange(category.classes, values.options()).unsqueeze(0);
    parts.push_back((is_class & ~absent).to(values.scalar_type()));
    parts.push_back(absent.to(values.scalar_type()));
  }
  return torch::cat(parts, 1);
}

}  // namespace haplospin
