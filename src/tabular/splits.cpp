#include "tabular/splits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr uint32_t kNumericStrata = 5;

}  // namespace

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
  std::vector<std::pair<double, size_t>> at;  // where in [0, 1) each row goes
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
  std::vector<size_t> part_of(strata.size());
  size_t next = 0;  // continues from stratum to stratum, so that the remainders do not accumulate in one part
  for (auto& [stratum, group] : members) {
    random.Shuffle(std::span(group));
    for (const size_t row : group) part_of[row] = next++ % parts;
  }
  return part_of;
}

}  // namespace haplospin
