#include "learning/nn/named_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <filesystem>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

torch::nn::Sequential SmallNetwork() {
  return torch::nn::Sequential(torch::nn::Linear(3, 4), torch::nn::BatchNorm1d(4));
}

NamedTensors Copy(const NamedTensors& tensors) {
  NamedTensors copy;
  for (const auto& [name, tensor] : tensors) copy.emplace(name, tensor.detach().clone());
  return copy;
}

TEST(ModuleState, HoldsParametersAndBuffersByName) {
  const NamedTensors state = ModuleState(*SmallNetwork());
  EXPECT_TRUE(state.contains("0.weight"));
  EXPECT_TRUE(state.contains("1.running_mean"));
  EXPECT_EQ(state.at("0.weight").sizes(), (std::vector<int64_t>{4, 3}));
}

TEST(ModuleState, LoadsWhatWasSaved) {
  torch::nn::Sequential from = SmallNetwork();
  torch::nn::Sequential to = SmallNetwork();
  from->train();
  from->forward(torch::randn({8, 3}));  // moves the running mean
  LoadModuleState(*to, Copy(ModuleState(*from)), "file");
  for (const auto& [name, tensor] : ModuleState(*from)) EXPECT_TRUE(torch::equal(tensor, ModuleState(*to).at(name)));
}

TEST(ModuleState, RejectsMissingLeftOverAndMisshapenTensorsAndChangesNothing) {
  torch::nn::Sequential module = SmallNetwork();
  const NamedTensors before = Copy(ModuleState(*module));
  NamedTensors good = Copy(before);
  for (auto& [name, tensor] : good) tensor.fill_(1);

  NamedTensors missing = good;
  missing.erase("1.weight");
  EXPECT_THAT([&] { LoadModuleState(*module, missing, "a.safetensors"); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("a.safetensors"), HasSubstr("'1.weight' is missing"))));
  NamedTensors extra = good;
  extra.emplace("head.bias", torch::ones({1}));
  EXPECT_THAT([&] { LoadModuleState(*module, extra, "a.safetensors"); },
              ThrowsMessage<InputError>(HasSubstr("'head.bias' is not expected")));
  NamedTensors misshapen = good;
  misshapen["0.weight"] = torch::ones({4, 5});
  EXPECT_THAT([&] { LoadModuleState(*module, misshapen, "a.safetensors"); },
              ThrowsMessage<InputError>(HasSubstr("'0.weight' has shape [4, 5], expected [4, 3]")));

  for (const auto& [name, tensor] : ModuleState(*module)) EXPECT_TRUE(torch::equal(tensor, before.at(name))) << name;
}

TEST(NamedTensors, PrefixesAreAddedAndTakenOff) {
  NamedTensors tensors{{"other", torch::ones({1})}};
  InsertWithPrefix(tensors, "model.", {{"a", torch::zeros({2})}, {"b", torch::zeros({3})}});
  EXPECT_EQ(tensors.size(), 3u);
  const NamedTensors found = WithoutPrefix(tensors, "model.");
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(found.at("b").numel(), 3);
}

TEST(NamedTensors, CountsParametersButNotBuffers) { EXPECT_EQ(ParameterCount(*SmallNetwork()), 3 * 4 + 4 + 4 + 4); }

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
  const std::string path = (std::filesystem::path(testing::TempDir()) / "widened.safetensors").string();
  const torch::Tensor values = torch::randn({17});
  const torch::Tensor parameter = torch::ones({2}, torch::requires_grad());
  WriteTensorFile(path, {{"bfloat16", values.to(torch::kBFloat16)},
                         {"half", values.to(torch::kFloat16)},
                         {"mask", values > 0},
                         {"parameter", parameter}});
  const NamedTensors read = FileTensors(ReadSafetensors(path));
  EXPECT_EQ(read.at("half").scalar_type(), torch::kFloat32);
  EXPECT_TRUE(torch::equal(read.at("half"), values.to(torch::kFloat16).to(torch::kFloat32)));
  EXPECT_TRUE(torch::equal(read.at("bfloat16"), values.to(torch::kBFloat16).to(torch::kFloat32)));
  EXPECT_TRUE(torch::equal(read.at("mask"), (values > 0).to(torch::kUInt8)));
  EXPECT_FALSE(read.at("parameter").requires_grad());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace haplospin
