#include "learning/tables/determining_columns.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace haplospin {
namespace {

constexpr size_t kMinRows = 20;
constexpr double kMinEvidence = 10;  // nats beyond what naming a value of the target for each value of a column takes

double Value(const Column& column, size_t row) {
  return column.IsNumeric() ? column.numbers[row] : static_cast<double>(column.codes[row]);
}

struct Pair {
  double feature = 0, target = 0;
};

std::vector<Pair> SortedPairs(const Column& feature, const Column& target, size_t rows) {
  std::vector<Pair> pairs;
  for (size_t row = 0; row < rows; ++row) {
    if (feature.HasValue(row) && target.HasValue(row)) pairs.push_back({Value(feature, row), Value(target, row)});
  }
  std::ranges::sort(pairs, {}, &Pair::feature);
  return pairs;
}

// The entropy of the target times the number of rows, in nats.
double Information(const std::vector<Pair>& pairs) {
  std::map<double, size_t> counts;
  for (const Pair& pair : pairs) ++counts[pair.target];
  double sum = 0;
  for (const auto& [value, count] : counts) {
    const auto n = static_cast<double>(count);
    sum -= n * std::log(n / static_cast<double>(pairs.size()));
  }
  return sum;
}

bool Determines(const Column& feature, const Column& target, size_t rows) {
  const std::vector<Pair> pairs = SortedPairs(feature, target, rows);
  if (pairs.size() < kMinRows) return false;
  size_t values = 1;
  bool rises = target.IsNumeric() && feature.IsNumeric(), falls = rises;
  for (size_t i = 1; i < pairs.size(); ++i) {
    const double change = pairs[i].target - pairs[i - 1].target;
    if (pairs[i].feature == pairs[i - 1].feature) {
      if (change != 0) return false;
      continue;
    }
    ++values;
    rises = rises && change >= 0;
    falls = falls && change <= 0;
  }
  if ((rises || falls) && values >= kMinRows) return true;
  const double cost = static_cast<double>(values) * std::log(static_cast<double>(pairs.size()));
  return Information(pairs) > kMinEvidence + cost;
}

}  // namespace

std::vector<std::string> DeterminingColumns(const Table& table, const std::string& target) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) {
    if (column.name != target && Determines(column, *table.Find(target), table.rows())) names.push_back(column.name);
  }
  return names;
}

}  // namespace haplospin
