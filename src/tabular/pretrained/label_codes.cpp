#include "tabular/pretrained/label_codes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace haplospin {

std::vector<int64_t> DrawLabelCode(int64_t classes, int64_t most, RandomStream& random) {
  std::vector<int64_t> code(static_cast<size_t>(classes));
  std::iota(code.begin(), code.end(), int64_t{0});
  random.Shuffle(std::span(code));
  for (int64_t& digit : code) digit %= most;
  return code;
}

int64_t CodeLength(int64_t classes, int64_t most) {
  if (classes <= most) return 1;
  const double digits = std::log(static_cast<double>(classes)) / std::log(static_cast<double>(most));
  return 3 * static_cast<int64_t>(std::ceil(digits)) + 2;
}

}  // namespace haplospin
