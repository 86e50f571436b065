#include "core/zstd_frame.h"

#include <gtest/gtest.h>

#include "core/random.h"

namespace haplospin {
namespace {

std::string SomeBytes(size_t size, RandomStream& random) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.UniformInt(4));
  return bytes;
}

TEST(ZstdFrameTest, GivesTheContentBack) {
  RandomStream random(1);
  FrameDecompressor decompressor;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{1000}, size_t{300'000}, size_t{17}}) {
    const std::string bytes = SomeBytes(size, random);
    const std::string frame = CompressFrame(bytes, 1);
    EXPECT_LT(frame.size(), bytes.size() / 2 + 30);
    EXPECT_EQ(decompressor.Decompress(frame, size), bytes);
  }
}

TEST(ZstdFrameTest, RejectsEveryDamagedByteLengthAndSize) {
  RandomStream random(2);
  const std::string bytes = SomeBytes(200, random);
  const std::string frame = CompressFrame(bytes, 1);
  FrameDecompressor decompressor;
  for (size_t i = 0; i < frame.size(); ++i) {
    std::string damaged = frame;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x21);
    EXPECT_NE(decompressor.Decompress(damaged, bytes.size()), bytes) << "byte " << i;
    EXPECT_EQ(decompressor.Decompress(std::string_view(frame).substr(0, i), bytes.size()), std::nullopt) << i;
  }
  EXPECT_EQ(decompressor.Decompress(frame + "x", bytes.size()), std::nullopt);
  EXPECT_EQ(decompressor.Decompress(frame, bytes.size() - 1), std::nullopt);
  EXPECT_EQ(decompressor.Decompress(frame, bytes.size() + 1), std::nullopt);
}

}  // namespace
}  // namespace haplospin
