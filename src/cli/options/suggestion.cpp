#include "cli/options/suggestion.h"

#include <algorithm>
#include <numeric>

namespace haplospin {
namespace {

// Levenshtein distance: insertions, deletions and substitutions.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Suggestion(const std::string& typed, const std::vector<std::string>& names) {
  std::string closest;
  size_t smallest = std::max<size_t>(1, typed.size() / 3) + 1;
  for (const std::string& name : names) {
    const size_t distance = EditDistance(typed, name);
    if (distance < smallest) {
      smallest = distance;
      closest = name;
    }
  }
  return closest.empty() ? "" : "; did you mean " + closest + "?";
}

}  // namespace haplospin
