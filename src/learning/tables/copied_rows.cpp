#include "learning/tables/copied_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

namespace haplospin {
namespace {

constexpr size_t kMinNumbers = 20;  // fewer may be equal by chance

// Equal where both are missing, which no two NaN are.
double ComparableValue(const Column& column, size_t row) {
  if (!column.IsNumeric()) return column.codes[row];
  return std::isnan(column.numbers[row]) ? -std::numeric_limits<double>::infinity() : column.numbers[row];
}

size_t CountNumbers(const Column& column) {
  std::unordered_set<double> numbers;
  for (const double number : column.numbers) {
    if (!std::isnan(number)) numbers.insert(number);
  }
  return numbers.size();
}

// The columns, that with the most numbers first: it tells most rows apart.
std::vector<const Column*> ColumnsToCompare(const Table& table, size_t& most_numbers) {
  std::vector<const Column*> columns;
  most_numbers = 0;
  for (const Column& column : table.columns) {
    columns.push_back(&column);
    const size_t numbers = CountNumbers(column);
    if (numbers <= most_numbers) continue;
    most_numbers = numbers;
    std::swap(columns.front(), columns.back());
  }
  return columns;
}

}  // namespace

std::vector<size_t> RowsWithoutCopies(const Table& table) {
  std::vector<size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), size_t{0});
  size_t most_numbers = 0;
  const std::vector<const Column*> columns = ColumnsToCompare(table, most_numbers);
  if (most_numbers < kMinNumbers) return rows;
  const auto differing = [&](size_t a, size_t b) {
    return std::ranges::find_if(
        columns, [&](const Column* column) { return ComparableValue(*column, a) != ComparableValue(*column, b); });
  };
  std::vector<size_t> different = rows;
  std::ranges::stable_sort(different, [&](size_t a, size_t b) {
    const auto column = differing(a, b);
    return column != columns.end() && ComparableValue(**column, a) < ComparableValue(**column, b);
  });
  const auto is_copy = [&](size_t a, size_t b) {
    return columns.front()->HasValue(a) && differing(a, b) == columns.end();
  };
  different.erase(std::ranges::unique(different, is_copy).begin(), different.end());
  if (10 * most_numbers < 9 * different.size()) return rows;
  std::ranges::sort(different);
  return different;
}

}  // namespace haplospin
