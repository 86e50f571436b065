#include "learning/nn/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include "core/file_contents.h"
#include "core/temporary_folder.h"
#include "learning/nn/named_tensors.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

constexpr ModelKind kCurve{"curve", 1, "a curve model", "haplospin curve"};
constexpr ModelKind kTable{"table", 1, "a table model", "haplospin table"};

class ModelFileTest : public testing::Test {
 protected:
  ModelFileTest() { WriteModelFile(path_, header_, tensors_); }

  static std::string ErrorOf(const std::function<void()>& action) {
    try {
      action();
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
  std::string ReadError(const ModelKind& kind = kCurve) const {
    return ErrorOf([&] { ReadModelFile(path_, kind); });
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "model";
  const ModelHeader header_{
      .kind = kCurve, .configuration = {{"width", 3}}, .provenance = {.command = "a test", .seed = 4}};
  const NamedTensors tensors_{
      {"weight", torch::randn({2, 3})}, {"counts", torch::arange(4)}, {"flags", torch::tensor({true, false})}};
};

TEST_F(ModelFileTest, IsReadAsWritten) {
  const ModelFile read = ReadModelFile(path_, kCurve);
  EXPECT_EQ(read.header.configuration, header_.configuration);
  EXPECT_EQ(read.header.provenance.command, "a test");
  EXPECT_EQ(read.path, path_);
  ASSERT_EQ(read.tensors.size(), tensors_.size());
  EXPECT_TRUE(read.At("weight", {2, 3}).equal(tensors_.at("weight")));
  EXPECT_TRUE(read.At("counts", {4}).equal(tensors_.at("counts")));
  EXPECT_TRUE(read.At("flags", {-1}).to(torch::kBool).equal(tensors_.at("flags")));
}

TEST_F(ModelFileTest, TheSameModelGivesTheSameBytes) {
  WriteModelFile(folder_ / "again", header_, tensors_);
  EXPECT_EQ(Contents(path_), Contents(folder_ / "again"));
}

TEST_F(ModelFileTest, TruncatedAndForeignFiles) {
  const auto size = static_cast<double>(std::filesystem::file_size(path_));
  for (const double share : {0.999, 0.9, 0.5, 0.1, 0.0}) {
    WriteModelFile(path_, header_, tensors_);
    std::filesystem::resize_file(path_, static_cast<uintmax_t>(share * size));
    EXPECT_THAT(ReadError(), HasSubstr(path_ + " is not a complete safetensors file")) << share;
  }
  std::filesystem::remove(path_);
  EXPECT_THAT(ReadError(), HasSubstr("no such file"));
  WriteTensorFile(path_, tensors_, {{"format", "pt"}});
  EXPECT_THAT(ReadError(), HasSubstr("without the header of a haplospin model"));
  WriteModelFile(path_, header_, tensors_);
  EXPECT_THAT(ReadError(kTable), HasSubstr("found a model of the kind 'curve'"));
}

TEST_F(ModelFileTest, WeightsThatAreNotFinite) {
  NamedTensors bad = tensors_;
  bad["weight"] = torch::full({2}, std::numeric_limits<float>::infinity());
  WriteModelFile(path_, header_, bad);
  EXPECT_THAT(ReadError(), HasSubstr("'weight' holds a value that is not finite"));
}

TEST_F(ModelFileTest, TensorsOfOtherSizes) {
  const ModelFile read = ReadModelFile(path_, kCurve);
  const auto error = [&](const char* name, torch::IntArrayRef sizes) { return ErrorOf([&] { read.At(name, sizes); }); };
  EXPECT_THAT(error("bias", {2}), HasSubstr("tensor 'bias' is missing"));
  EXPECT_THAT(error("weight", {3, 2}), HasSubstr("'weight' has the shape [2, 3], but [3, 2] is expected"));
  EXPECT_THAT(error("weight", {-1}), HasSubstr("'weight' has the shape"));
  EXPECT_EQ(error("weight", {-1, 3}), "no error");
}

TEST_F(ModelFileTest, AConfigurationOfMoreThanTheFileHolds) {
  const ModelFile read = ReadModelFile(path_, kCurve);
  read.CheckHolds(12);
  EXPECT_THAT(ErrorOf([&] { read.CheckHolds(13); }), HasSubstr("needs at least 13 numbers, but it holds 12"));
  EXPECT_NE(ErrorOf([&] { read.CheckHolds(1e30); }), "no error");
}

}  // namespace
}  // namespace haplospin
