#include "core/little_endian.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

TEST(LittleEndian, TakesTheLowestByteFirst) {
  EXPECT_EQ(LittleEndian(""), 0u);
  EXPECT_EQ(LittleEndian("\xff"), 255u);
  EXPECT_EQ(LittleEndian("\x01\x80\x03"), 0x038001u);
  EXPECT_EQ(LittleEndian("\xff\xff\xff\xff\xff\xff\xff\xff"), UINT64_MAX);
}

}  // namespace
}  // namespace haplospin
