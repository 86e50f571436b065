// The columns of a table as model inputs. A table is a tensor of values [n, d]: the class (0, 1, ...) of a categorical
// attribute, or the standardized value of a continuous one.
#pragma once

#include <cstdint>
#include <vector>

namespace haplospin {

struct Attribute {
  int64_t classes = 0;  // 0: continuous
  bool IsContinuous() const { return classes == 0; }
};

using Attributes = std::vector<Attribute>;

}  // namespace haplospin
