#include "haplospin/errors.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

TEST(Errors, AssertNamesTheConditionAndAborts) {
  EXPECT_DEATH(HS_ASSERT(1 + 1 == 3), "internal error: .*errors_test.cpp:[0-9]+: 1 \\+ 1 == 3 does not hold");
}

TEST(Errors, AssertEvaluatesItsConditionOnce) {
  int count = 0;
  HS_ASSERT(++count == 1);
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace haplospin
