#include "learning/tabular/splits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr uint32_t kNumericStrata = 5;
constexpr int64_t kMinRows = 10;
constexpr uint64_t kContextStream = 4;  // key of the random draws

}  // namespace

std::vector<size_t> LabeledRows(const Table& table, const std::vector<std::string>& targets) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < table.rows(); ++row) {
    const auto has_value = [&](const std::string& name) { return table.Find(name)->HasValue(row); };
    if (std::ranges::all_of(targets, has_value)) rows.push_back(row);
  }
  return rows;
}

void CheckTargets(const Table& table, const std::vector<std::string>& targets, const std::vector<size_t>& labeled) {
  for (const std::string& name : targets) {
    if (table.Find(name)->missing < table.rows()) continue;
    throw InputError(fmt::format("{}: target '{}' has no values; give another --target", table.path, name));
  }
  if (std::ssize(labeled) < kMinRows) {
    throw InputError(
        fmt::format("{}: {} rows with all targets; at least {} are needed", table.path, labeled.size(), kMinRows));
  }
  for (const std::string& name : targets) {
    const Column& column = *table.Find(name);
    const auto same = [&](size_t row) {
      return column.IsNumeric() ? column.numbers[row] == column.numbers[labeled[0]]
                                : column.codes[row] == column.codes[labeled[0]];
    };
    if (std::ranges::all_of(labeled, same)) {
      throw InputError(
          fmt::format("{}: target '{}' has the same value in every row; there is nothing to learn", table.path, name));
    }
  }
}

std::vector<uint32_t> Strata(const Column& target) {
  std::vector<uint32_t> strata;
  if (!target.IsNumeric()) {
    for (const int32_t code : target.codes) strata.push_back(static_cast<uint32_t>(code + 1));
    return strata;
  }
  std::vector<double> sorted;
  for (const double number : target.numbers) {
    if (!std::isnan(number)) sorted.push_back(number);
  }
  std::ranges::sort(sorted);
  for (const double number : target.numbers) {
    const auto below = static_cast<size_t>(std::ranges::lower_bound(sorted, number) - sorted.begin());
    strata.push_back(std::isnan(number) ? 0 : 1 + static_cast<uint32_t>(below * kNumericStrata / sorted.size()));
  }
  return strata;
}

std::vector<size_t> StratifiedOrder(const std::vector<size_t>& rows, const std::vector<uint32_t>& strata,
                                    RandomStream& random) {
  HS_ASSERT(rows.size() == strata.size());
  std::map<uint32_t, std::vector<size_t>> members;
  for (size_t i = 0; i < rows.size(); ++i) members[strata[i]].push_back(rows[i]);
  std::vector<std::pair<double, size_t>> at;  // a place in [0, 1) for each row
  for (auto& [stratum, group] : members) {
    random.Shuffle(std::span(group));
    for (size_t i = 0; i < group.size(); ++i) {
      at.emplace_back((static_cast<double>(i) + random.Uniform()) / static_cast<double>(group.size()), group[i]);
    }
  }
  std::ranges::sort(at);
  std::vector<size_t> order;
  for (const auto& [place, row] : at) order.push_back(row);
  return order;
}

std::vector<size_t> StratifiedParts(const std::vector<uint32_t>& strata, size_t parts, RandomStream& random) {
  std::map<uint32_t, std::vector<size_t>> members;
  for (size_t i = 0; i < strata.size(); ++i) members[strata[i]].push_back(i);
  std::vector<size_t> row_parts(strata.size());
  size_t next = 0;  // continues from stratum to stratum, so that the remainders do not accumulate in one part
  for (auto& [stratum, group] : members) {
    random.Shuffle(std::span(group));
    for (const size_t row : group) row_parts[row] = next++ % parts;
  }
  return row_parts;
}

std::vector<size_t> ContextRows(const std::vector<size_t>& rows, const std::vector<uint32_t>& table_strata,
                                int64_t max_rows, uint64_t seed) {
  std::vector<size_t> chosen = rows;
  if (std::ssize(rows) > max_rows) {
    std::vector<uint32_t> strata;
    for (const size_t row : rows) strata.push_back(table_strata[row]);
    RandomStream random(seed, {kContextStream});
    chosen = StratifiedOrder(rows, strata, random);
    chosen.resize(static_cast<size_t>(max_rows));
  }
  std::ranges::sort(chosen);
  return chosen;
}

torch::Tensor RowTensor(const std::vector<size_t>& rows, torch::Device device) {
  return torch::tensor(std::vector<int64_t>(rows.begin(), rows.end()), torch::kInt64).to(device);
}

}  // namespace haplospin
