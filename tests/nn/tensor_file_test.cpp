#include "nn/tensor_file.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <filesystem>

namespace haplospin {
namespace {

TEST(TensorFile, KeepsValuesTypesAndShapes) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / "tensor_file_test.safetensors").string();
  const NamedTensors tensors{{"matrix", torch::randn({3, 4}).t()},  // not contiguous
                             {"scalar", torch::tensor(2.5f)},
                             {"empty", torch::zeros({0, 7})},
                             {"counts", torch::arange(5, torch::kInt64)},
                             {"bytes", torch::arange(6, torch::kUInt8).view({2, 3})}};
  WriteTensorFile(path, tensors, {{"key", "value"}});
  const Safetensors file = ReadSafetensors(path);
  EXPECT_EQ(file.Metadata("key"), "value");
  const NamedTensors read = FileTensors(file);
  ASSERT_EQ(read.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    EXPECT_EQ(read.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(torch::equal(read.at(name), tensor)) << name;
  }
  std::filesystem::remove(path);
}

TEST(TensorFile, WidensWhatTheFormatHereDoesNotHold) {
  const torch::Tensor values = torch::randn({17});
  for (const auto type : {torch::kBFloat16, torch::kFloat16}) {
    const torch::Tensor back = ToTorchTensor(ToFileTensor(values.to(type)));
    EXPECT_EQ(back.scalar_type(), torch::kFloat32);
    EXPECT_TRUE(torch::equal(back, values.to(type).to(torch::kFloat32)));
  }
  const torch::Tensor mask = values > 0;
  EXPECT_TRUE(torch::equal(ToTorchTensor(ToFileTensor(mask)), mask.to(torch::kUInt8)));
}

TEST(TensorFile, DetachesParameters) {
  EXPECT_FALSE(ToTorchTensor(ToFileTensor(torch::ones({2}, torch::requires_grad()))).requires_grad());
}

}  // namespace
}  // namespace haplospin
