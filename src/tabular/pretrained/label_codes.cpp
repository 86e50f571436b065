#include "tabular/pretrained/label_codes.h"

#include <algorithm>
#include <cmath>

#include "core/random.h"

namespace haplospin {

std::vector<int64_t> DrawLabelCode(int64_t classes, int64_t max_classes, RandomStream& random) {
  auto code = RandomOrder<int64_t>(classes, random);
  for (int64_t& digit : code) digit %= max_classes;
  return code;
}

int64_t CodeLength(int64_t classes, int64_t max_classes) {
  if (classes <= max_classes) return 1;
  const double digits = std::log(static_cast<double>(classes)) / std::log(static_cast<double>(max_classes));
  return 3 * static_cast<int64_t>(std::ceil(digits)) + 2;
}

}  // namespace haplospin
