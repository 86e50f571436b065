#include "core/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "core/file_contents.h"
#include "core/random.h"
#include "core/temporary_folder.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SafetensorsTest : public testing::Test {
 protected:
  void WriteBytes(const std::string& bytes) const {
    std::filesystem::remove(path_);  // overwriting makes some file systems wait for the disk
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  // A file of this header and `data_bytes` zeros.
  void WriteFile(const std::string& header, size_t data_bytes) const {
    uint64_t length = header.size();
    std::string bytes(sizeof(length), '\0');
    std::memcpy(bytes.data(), &length, sizeof(length));
    WriteBytes(bytes + header + std::string(data_bytes, '\0'));
  }

  std::string ReadError() const {
    return ErrorOf([&] { ReadSafetensors(path_); });
  }

  static std::string ErrorOf(const std::function<void()>& action) {
    try {
      action();
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  static Safetensors Example() {
    Safetensors example;
    example.metadata = {{"architecture", "ipnp 1"}, {"command", "train \"x\" \n é"}};
    example.tensors["weight"] = {{2, 3}, std::vector<float>{1, -2.5f, 3e-30f, 0, -0.0f, 7}};
    example.tensors["counts"] = {{3}, std::vector<int64_t>{-1, 0, INT64_MAX}};
    example.tensors["flags"] = {{5}, std::vector<uint8_t>{0, 1, 2, 254, 255}};
    example.tensors["scalar"] = {{}, std::vector<float>{42}};
    example.tensors["empty"] = {{4, 0}, std::vector<float>{}};
    return example;
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "weights.safetensors";
};

TEST_F(SafetensorsTest, MetadataThatIsNotUtf8IsReplaced) {
  Safetensors contents = Example();
  contents.metadata["command"] = "train \xff.csv";
  WriteSafetensors(path_, contents);
  EXPECT_EQ(ReadSafetensors(path_).Metadata("command"), "train \xef\xbf\xbd.csv");
}

TEST_F(SafetensorsTest, ReadsBackWhatWasWritten) {
  const Safetensors example = Example();
  WriteSafetensors(path_, example);
  const Safetensors read = ReadSafetensors(path_);
  EXPECT_EQ(read.metadata, example.metadata);
  ASSERT_EQ(read.tensors.size(), example.tensors.size());
  for (const auto& [name, tensor] : example.tensors) {
    EXPECT_EQ(read.tensors.at(name).shape, tensor.shape) << name;
    EXPECT_EQ(read.tensors.at(name).values, tensor.values) << name;
  }
}

TEST_F(SafetensorsTest, KeepsEveryBitOfAFloat) {
  RandomStream stream(1);
  std::vector<float> values(1000);
  for (float& value : values) {
    const auto bits = static_cast<uint32_t>(stream());
    std::memcpy(&value, &bits, sizeof(bits));
  }
  Safetensors contents;
  contents.tensors["x"] = {{1000}, values};
  WriteSafetensors(path_, contents);
  const Safetensors read = ReadSafetensors(path_);
  EXPECT_EQ(std::memcmp(read.Floats("x", {1000}).data(), values.data(), 4000), 0);
}

TEST_F(SafetensorsTest, SameContentsSameBytes) {
  WriteSafetensors(path_, Example());
  const std::string first = Contents(path_);
  WriteSafetensors(path_, Example());
  EXPECT_EQ(Contents(path_), first);
}

// The format's own example in its documentation, written by hand.
TEST_F(SafetensorsTest, ReadsAFileOfAnotherProgram) {
  WriteFile(R"({"b":{"dtype":"F32","shape":[1,2],"data_offsets":[3,11]},"a":{"dtype":"U8","shape":[3],)"
            R"("data_offsets":[0,3]},"__metadata__":{"format":"pt"}}   )",
            11);
  const Safetensors read = ReadSafetensors(path_);
  EXPECT_EQ(read.Bytes("a", {3}), std::vector<uint8_t>(3));
  EXPECT_EQ(read.Floats("b", {1, 2}), std::vector<float>(2));
  EXPECT_EQ(read.Metadata("format"), "pt");
}

TEST_F(SafetensorsTest, TensorsAreAligned) {
  Safetensors contents;
  contents.tensors["a"] = {{3}, std::vector<uint8_t>{1, 2, 3}};
  contents.tensors["b"] = {{1}, std::vector<float>{1}};
  contents.tensors["c"] = {{1}, std::vector<int64_t>{1}};
  WriteSafetensors(path_, contents);
  const std::string bytes = Contents(path_);
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  EXPECT_EQ(length % 8, 0u);
  EXPECT_THAT(bytes, HasSubstr(R"("data_offsets":[0,8])"));
  EXPECT_THAT(bytes, HasSubstr(R"("data_offsets":[8,12])"));
  EXPECT_THAT(bytes, HasSubstr(R"("data_offsets":[12,15])"));
}

TEST_F(SafetensorsTest, AskingForWhatIsNotThereNamesIt) {
  WriteSafetensors(path_, Example());
  const Safetensors read = ReadSafetensors(path_);
  EXPECT_THAT(ErrorOf([&] { read.Floats("bias", {2}); }), AllOf(HasSubstr(path_), HasSubstr("bias is missing")));
  EXPECT_THAT(ErrorOf([&] { read.Floats("weight", {3, 2}); }), HasSubstr("weight is F32 [2, 3], but F32 [3, 2]"));
  EXPECT_THAT(ErrorOf([&] { read.Bytes("weight", {2, 3}); }), HasSubstr("weight is F32 [2, 3], but U8 [2, 3]"));
  EXPECT_THAT(ErrorOf([&] { read.Metadata("version"); }), HasSubstr("version is missing"));
}

TEST_F(SafetensorsTest, EveryTruncationIsAnError) {
  WriteSafetensors(path_, Example());
  const std::string bytes = Contents(path_);
  for (size_t size = 0; size < bytes.size(); ++size) {
    WriteBytes(bytes.substr(0, size));
    EXPECT_THAT(ReadError(), HasSubstr("is not a complete safetensors file")) << size;
  }
}

TEST_F(SafetensorsTest, ExtraBytesAreAnError) {
  WriteSafetensors(path_, Example());
  WriteBytes(Contents(path_) + "x");
  EXPECT_THAT(ReadError(), HasSubstr("is not a complete safetensors file"));
}

// For any damage, reading either works or throws InputError with one line.
TEST_F(SafetensorsTest, DamagedBytesNeverDoWorse) {
  WriteSafetensors(path_, Example());
  const std::string bytes = Contents(path_);
  RandomStream stream(11);
  int errors = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = bytes;
    for (uint64_t k = 1 + stream.UniformInt(3); k > 0; --k) {
      damaged[stream.UniformInt(damaged.size())] = static_cast<char>(stream());
    }
    WriteBytes(damaged);
    const std::string error = ReadError();
    errors += error != "no error";
    EXPECT_THAT(error, Not(HasSubstr("\n")));
  }
  EXPECT_GT(errors, 1000);
}

TEST_F(SafetensorsTest, LengthsAreNotTrusted) {
  for (const uint64_t length : {uint64_t{9}, uint64_t{1} << 40, std::numeric_limits<uint64_t>::max()}) {
    std::string bytes(16, ' ');
    std::memcpy(bytes.data(), &length, sizeof(length));
    WriteBytes(bytes);
    EXPECT_THAT(ReadError(), HasSubstr("not the length of the header")) << length;
  }
}

TEST_F(SafetensorsTest, WrongHeadersAreErrors) {
  const std::pair<const char*, size_t> cases[] = {
      {"[]", 0},
      {"{", 0},
      {"", 0},
      {R"({"a":1})", 0},
      {R"({"a":{}})", 0},
      {R"({"a":{"dtype":"F32","shape":[1]}})", 4},
      {R"({"a":{"dtype":4,"shape":[1],"data_offsets":[0,4]}})", 4},
      {R"({"a":{"dtype":"F32","shape":4,"data_offsets":[0,4]}})", 4},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,4]}})", 4},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,"4"]}})", 4},
      {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4},
      {R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", 4},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4},  // too small
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4},  // backwards
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 8},  // left over
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8},  // a hole
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
       4},                                                                                   // one on another
      {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0},  // overflow to 0
      {R"({"a":{"dtype":"F32","shape":[9223372036854775807,4],"data_offsets":[0,4]}})", 4},  // overflow
      {R"({"a":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,4]}})", 4},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"__metadata__":{"k":1}})", 4},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"__metadata__":"k"})", 4},
  };
  for (const auto& [header, data_bytes] : cases) {
    WriteFile(header, data_bytes);
    EXPECT_THAT(ReadError(), HasSubstr("is not a complete safetensors file")) << header;
  }
}

TEST_F(SafetensorsTest, OtherTypesAreNamed) {
  WriteFile(R"({"a":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}})", 2);
  EXPECT_THAT(ReadError(), AllOf(HasSubstr(path_), HasSubstr("tensor a has type BF16")));
}

TEST_F(SafetensorsTest, DeeplyNestedHeaderIsAnError) {
  WriteFile(std::string(1'000'000, '['), 0);
  EXPECT_THAT(ReadError(), HasSubstr("is not a complete safetensors file"));
}

TEST_F(SafetensorsTest, WhatIsNoFileIsAnError) {
  EXPECT_THAT(ReadError(), HasSubstr("no such file"));
  EXPECT_THAT(ErrorOf([&] { ReadSafetensors(folder_.path().string()); }), HasSubstr("not a regular file"));
  EXPECT_THAT(ErrorOf([&] { ReadSafetensors("/dev/zero"); }), HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace haplospin
