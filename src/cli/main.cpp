#include <cstdio>

#include "haplospin/core/version.h"

int main() {
  std::printf("haplospin %s\n", haplospin::kVersion);
  return 0;
}
