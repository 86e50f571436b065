#include "core/byte_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/temporary_folder.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(ByteStreamTest, BytesAndIntegersInOrder) {
  const TemporaryFolder folder;
  std::ofstream(folder / "bytes") << "abc\x01\x02\x03\x04";
  ByteStream bytes(folder / "bytes");
  EXPECT_EQ(bytes.Take(3), "abc");
  EXPECT_EQ(bytes.Little<uint16_t>(), 0x201);
  EXPECT_EQ(bytes.Big<uint16_t>(), 0x304);
  EXPECT_TRUE(bytes.AtEnd());
  EXPECT_THAT([&] { bytes.Take(1); }, ThrowsMessage<InputError>(HasSubstr("bytes: truncated")));
}

TEST(ByteStreamTest, WhatCannotBeReadIsNotTheEnd) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { ByteStream(folder.path()).AtEnd(); },
              ThrowsMessage<InputError>(HasSubstr(": cannot read: Is a directory")));
}

}  // namespace
}  // namespace haplospin
