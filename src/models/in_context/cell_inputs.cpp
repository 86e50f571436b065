#include "models/in_context/cell_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "core/random.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr uint64_t kColumn = 31, kCategory = 32;  // keys of random streams
constexpr float kFarthest = 6.0f;                 // standard deviations

// The standardized number and its rank, from -1 to 1, each in several forms: [3 + 2 kWaves].
void WriteNumber(float number, float rank, float* to) {
  *to++ = std::clamp(number, -kFarthest, kFarthest);
  *to++ = std::asinh(number);
  *to++ = rank;
  for (int64_t k = 0; k < kWaves; ++k) {
    const float angle = std::numbers::pi_v<float> * rank * static_cast<float>(1 << k);
    *to++ = std::sin(angle);
    *to++ = std::cos(angle);
  }
}

// What standardizes the numbers of a column, and their order.
class ColumnScale {
 public:
  explicit ColumnScale(std::vector<float> known) : sorted_(std::move(known)) {
    std::ranges::sort(sorted_);
    if (sorted_.empty()) return;
    const auto n = static_cast<double>(sorted_.size());
    const double mean = std::accumulate(sorted_.begin(), sorted_.end(), 0.0) / n;
    double squares = 0;
    for (const float x : sorted_) squares += (x - mean) * (x - mean);
    mean_ = static_cast<float>(mean);
    const auto deviation = static_cast<float>(std::sqrt(squares / n));
    if (deviation > 1e-6f * std::abs(mean_)) deviation_ = deviation;
  }

  float Standardized(float x) const { return (x - mean_) / deviation_; }

  // -1 below all, 1 above all; equal numbers have the rank of their middle.
  float Rank(float x) const {
    if (sorted_.empty()) return 0;
    const auto [low, high] = std::equal_range(sorted_.begin(), sorted_.end(), x);
    const auto below = static_cast<float>((low - sorted_.begin()) + (high - sorted_.begin()));
    return below / static_cast<float>(sorted_.size()) - 1;
  }

 private:
  std::vector<float> sorted_;
  float mean_ = 0, deviation_ = 1;
};

std::vector<float> Normals(RandomStream& random, int64_t count) {
  std::vector<float> numbers(static_cast<size_t>(count));
  for (float& x : numbers) x = static_cast<float>(random.Normal());
  return numbers;
}

}  // namespace

class CellEncoder::Column {
 public:
  Column(const TaskTable& table, int64_t column, uint64_t seed)
      : classes_(table.columns[static_cast<size_t>(column)].classes), scale_({}) {
    RandomStream random(seed, {kColumn, static_cast<uint64_t>(column)});
    code_ = Normals(random, kCodeInputs);
    order_ = RandomOrder<float>(classes_, random);
    for (int64_t category = 0; category < classes_; ++category) {
      RandomStream of_category(seed, {kCategory, static_cast<uint64_t>(column), static_cast<uint64_t>(category)});
      category_codes_.push_back(Normals(of_category, kCodeInputs));
    }
    const auto values = table.values.accessor<float, 2>();
    const auto missing = table.missing.accessor<bool, 2>();
    std::vector<float> known;
    for (int64_t row = 0; row < table.context; ++row) {
      if (!missing[row][column]) known.push_back(Number(values[row][column]));
    }
    scale_ = ColumnScale(std::move(known));
  }

  void Write(float value, bool is_missing, float* to) const {
    std::fill_n(to, kCellInputs, 0.0f);
    std::ranges::copy(code_, to + kColumnCodeInput);
    to[kIsCategoryInput] = classes_ > 0 ? 1.0f : 0.0f;
    if (is_missing) {
      to[kMissingInput] = 1;
      return;
    }
    const float number = Number(value);
    WriteNumber(scale_.Standardized(number), scale_.Rank(number), to);
    if (classes_ > 0) std::ranges::copy(category_codes_[Category(value)], to + kCategoryCodeInput);
  }

 private:
  size_t Category(float value) const {
    const auto category = static_cast<int64_t>(value);
    HS_ASSERT(category >= 0 && category < classes_);
    return static_cast<size_t>(category);
  }
  float Number(float value) const { return classes_ > 0 ? order_[Category(value)] : value; }

  int64_t classes_ = 0;
  ColumnScale scale_;
  std::vector<float> code_, order_;  // of categories, by which they are numbers
  std::vector<std::vector<float>> category_codes_;
};

CellEncoder::CellEncoder(const TaskTable& table, uint64_t seed) {
  HS_ASSERT(std::ssize(table.columns) == table.values.size(1) && table.context <= table.values.size(0));
  for (int64_t j = 0; j < std::ssize(table.columns); ++j) columns_.emplace_back(table, j, seed);
}

CellEncoder::~CellEncoder() = default;
CellEncoder::CellEncoder(CellEncoder&&) noexcept = default;

torch::Tensor CellEncoder::Encode(const torch::Tensor& given_values, const torch::Tensor& given_missing) const {
  const int64_t n = given_values.size(0), d = std::ssize(columns_);
  HS_ASSERT(given_values.size(1) == d && given_missing.sizes() == given_values.sizes());
  const torch::Tensor values = given_values.contiguous(), missing = given_missing.contiguous();
  torch::Tensor inputs = torch::empty({n, d, kCellInputs});
  const auto* value = values.data_ptr<float>();
  const auto* is_missing = missing.data_ptr<bool>();
  auto* to = inputs.data_ptr<float>();
  for (int64_t cell = 0; cell < n * d; ++cell, to += kCellInputs) {
    columns_[static_cast<size_t>(cell % d)].Write(value[cell], is_missing[cell], to);
  }
  return inputs;
}

torch::Tensor CellInputs(const TaskTable& table, uint64_t seed) {
  return CellEncoder(table, seed).Encode(table.values, table.missing);
}

torch::Tensor LabelInputs(const torch::Tensor& labels, int64_t classes) {
  const int64_t n = labels.size(0);
  torch::Tensor inputs = UnknownLabelInputs(classes).repeat({n, 1});
  const torch::Tensor given = labels.to(torch::kFloat32).contiguous();
  auto* to = inputs.data_ptr<float>();
  for (int64_t i = 0; i < n; ++i, to += kLabelInputs) {
    const float label = given.data_ptr<float>()[i];
    to[kLabelInputs - 1] = 0;
    if (classes > 0) {
      HS_ASSERT(label >= 0 && label < static_cast<float>(kMaxClasses));
      to[static_cast<size_t>(label)] = 1;
      continue;
    }
    const float squashed = std::tanh(label / 2);
    const std::array<float, 8> forms = {std::clamp(label, -kFarthest, kFarthest),
                                        std::asinh(label),
                                        squashed,
                                        std::sin(std::numbers::pi_v<float> * squashed),
                                        std::cos(std::numbers::pi_v<float> * squashed),
                                        std::sin(2 * std::numbers::pi_v<float> * squashed),
                                        std::cos(2 * std::numbers::pi_v<float> * squashed),
                                        std::sin(4 * std::numbers::pi_v<float> * squashed)};
    std::ranges::copy(forms, to + kMaxClasses);
  }
  return inputs;
}

torch::Tensor UnknownLabelInputs(int64_t classes) {
  HS_ASSERT(classes <= kMaxClasses);
  torch::Tensor inputs = torch::zeros({1, kLabelInputs});
  inputs[0][kLabelInputs - 3] = classes > 0 ? 1 : 0;
  inputs[0][kLabelInputs - 2] = static_cast<double>(classes) / kMaxClasses;
  inputs[0][kLabelInputs - 1] = 1;
  return inputs;
}

}  // namespace haplospin
