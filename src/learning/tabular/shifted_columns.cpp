#include "learning/tabular/shifted_columns.h"

#include <algorithm>
#include <cmath>

namespace haplospin {
namespace {

constexpr int64_t kKnownRows = 2000;     // evenly spaced ones, where there are more
constexpr double kChanceOfEmpty = 0.01;  // chance of so many empty rows at the share of the known ones
constexpr size_t kMinKnown = 10, kMinNew = 10;
constexpr double kMaxDistance = 0.8;  // largest distance of the distribution functions (Kolmogorov and Smirnov)

}  // namespace

ShiftedColumns::ShiftedColumns(const EncodedTable& all, const Attributes& attributes, const torch::Tensor& is_target) {
  const int64_t stride = std::max<int64_t>(1, all.rows() / kKnownRows);
  const EncodedTable known =
      all.Rows(torch::arange(0, all.rows(), stride, torch::TensorOptions(all.values.device()))).To(torch::kCPU);
  const auto targets = is_target.to(torch::kCPU).contiguous();
  const auto values = known.values.accessor<float, 2>();
  const auto missing = known.missing.accessor<bool, 2>();
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    if (targets[j].item<bool>()) continue;
    Known column{.column = j};
    double absent = 0.5;
    for (int64_t row = 0; row < known.rows(); ++row) {
      if (missing[row][j]) {
        ++absent;
      } else if (attributes[static_cast<size_t>(j)].IsContinuous()) {
        column.sorted.push_back(values[row][j]);
      }
    }
    column.missing = absent / static_cast<double>(known.rows() + 1);
    std::ranges::sort(column.sorted);
    column.counts.resize(column.sorted.size() + 1);
    columns_.push_back(std::move(column));
  }
}

void ShiftedColumns::Add(const EncodedTable& given) {
  const EncodedTable rows = given.To(torch::kCPU);
  const auto values = rows.values.accessor<float, 2>();
  const auto missing = rows.missing.accessor<bool, 2>();
  rows_ += rows.rows();
  for (Known& column : columns_) {
    const size_t n = column.sorted.size(), edge = n / 100;
    const float spread = n < kMinKnown ? 0 : column.sorted[n - 1 - edge] - column.sorted[edge];
    for (int64_t row = 0; row < rows.rows(); ++row) {
      if (missing[row][column.column]) continue;
      const float value = values[row][column.column];
      column.low = column.present == 0 ? value : std::min(column.low, value);
      column.high = column.present == 0 ? value : std::max(column.high, value);
      ++column.present;
      if (n < kMinKnown) continue;
      ++column.counts[static_cast<size_t>(std::ranges::upper_bound(column.sorted, value) - column.sorted.begin())];
      if (value < column.sorted.front() - spread || value > column.sorted.back() + spread) ++column.far;
    }
  }
}

bool ShiftedColumns::IsElsewhere(const Known& column) {
  const size_t n = column.sorted.size();
  if (n < kMinKnown || column.present == 0 || column.sorted.front() == column.sorted.back()) return false;
  if (2 * column.far >= column.present) return true;
  double distance = 0;
  size_t below = 0;
  for (size_t i = 0; i < n; ++i) {  // `below` new rows are lower than the known number i
    below += column.counts[i];
    const double share = static_cast<double>(below) / static_cast<double>(column.present);
    distance = std::max({distance, share - static_cast<double>(i) / static_cast<double>(n),
                         static_cast<double>(i + 1) / static_cast<double>(n) - share});
  }
  return column.present >= kMinNew && distance >= kMaxDistance;
}

std::vector<ColumnShift> ShiftedColumns::Find() const {
  std::vector<ColumnShift> shifts;
  for (const Known& column : columns_) {
    const bool is_empty =
        rows_ > 0 && column.present == 0 && std::pow(column.missing, static_cast<double>(rows_)) < kChanceOfEmpty;
    if (!is_empty && !IsElsewhere(column)) continue;
    ColumnShift shift{.column = column.column, .is_empty = is_empty, .low = column.low, .high = column.high};
    if (!column.sorted.empty()) {
      shift.known_low = column.sorted.front();
      shift.known_high = column.sorted.back();
    }
    shifts.push_back(shift);
  }
  return shifts;
}

}  // namespace haplospin
