#include "haplospin/errors.h"

#include <cstdio>
#include <cstdlib>

namespace haplospin::internal {

void AssertionFailed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "haplospin: internal error: %s:%d: %s does not hold; please report this\n", file, line,
               expression);
  std::abort();
}

}  // namespace haplospin::internal
