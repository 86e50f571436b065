#include "learning/nn/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cstdlib>

#include "haplospin/errors.h"
#include "learning/nn/layers/mab.h"
#include "learning/nn/torch_compat.h"

namespace haplospin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ParseDevice, CpuIsTheCpu) { EXPECT_EQ(ParseDevice("cpu"), torch::Device(torch::kCPU)); }

TEST(ParseDevice, AutoTakesCudaWhereThereIsSome) {
  EXPECT_EQ(ParseDevice("auto").type(), torch::cuda::device_count() > 0 ? torch::kCUDA : torch::kCPU);
}

TEST(ParseDevice, SaysHowManyCudaDevicesThereAre) {
  const std::string count = std::to_string(torch::cuda::device_count());
  EXPECT_THAT([] { ParseDevice("cuda:99"); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("'cuda:99'"), HasSubstr("finds " + count + " CUDA device"))));
}

TEST(ParseDevice, KnowsEveryDeviceThatIsThere) {
  const auto count = static_cast<int>(torch::cuda::device_count());  // its type differs between LibTorches
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(ParseDevice("cuda:" + std::to_string(i)).index(), i);
  }
}

TEST(ParseDevice, RejectsAnythingElse) {
  for (const std::string text : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda1", "CPU", "cuda:99999"}) {
    EXPECT_THAT([&] { ParseDevice(text); }, ThrowsMessage<InputError>(HasSubstr("expected auto, cpu, cuda or cuda:N")))
        << text;
  }
}

// The driver is an emulated one (tests/genotypes/imputation/backends/gpu/emulated_driver.cpp).
TEST(FreeGpuBytes, IsWhatTheDriverSays) {
  setenv("HAPLOSPIN_EMULATED_GPU", "bytes=123456", 1);
  EXPECT_EQ(FreeGpuBytes(torch::kCPU, HAPLOSPIN_EMULATED_DRIVER), 123456u);
  unsetenv("HAPLOSPIN_EMULATED_GPU");
}

TEST(MixedPrecision, RunsProductsInBfloat16AndKeepsFloatGradients) {
  torch::nn::Linear layer(16, 4);
  const torch::Tensor inputs = torch::randn({8, 16});
  const torch::Tensor exact = layer->forward(inputs);
  torch::Tensor output;
  {
    const MixedPrecision scope(torch::kCPU, true);
    output = layer->forward(inputs);
  }
  EXPECT_EQ(output.scalar_type(), torch::kBFloat16);
  EXPECT_TRUE(torch::allclose(output.to(torch::kFloat32), exact, 0.05, 0.05));
  EXPECT_FALSE(torch::equal(output.to(torch::kFloat32), exact));
  output.sum().backward();
  EXPECT_EQ(layer->weight.grad().scalar_type(), torch::kFloat32);
}

TEST(MixedPrecision, PutsBackWhatWasThere) {
  torch::nn::Linear layer(3, 3);
  const torch::Tensor inputs = torch::randn({2, 3});
  {
    const MixedPrecision outer(torch::kCPU, true);
    {
      const MixedPrecision inner(torch::kCPU, false);
      EXPECT_EQ(layer->forward(inputs).scalar_type(), torch::kFloat32);
    }
    EXPECT_EQ(layer->forward(inputs).scalar_type(), torch::kBFloat16);
  }
  EXPECT_FALSE(compat::IsAutocastEnabled(torch::kCPU));
  EXPECT_EQ(layer->forward(inputs).scalar_type(), torch::kFloat32);
}

TEST(MixedPrecision, SeesWeightsThatChangedBetweenScopes) {
  torch::nn::Linear layer(4, 1);
  const torch::Tensor inputs = torch::ones({1, 4});
  const auto forward = [&] {
    const MixedPrecision scope(torch::kCPU, true);
    return layer->forward(inputs).to(torch::kFloat32).item<float>();
  };
  const float before = forward();
  {
    const torch::NoGradGuard no_grad;
    layer->weight.add_(1.0);
  }
  EXPECT_NEAR(forward(), before + 4.0f, 0.1f);
}

TEST(MixedPrecision, AttentionBlocksTrainAlmostAsInFloat) {
  for (const int64_t block_bytes : {int64_t{1} << 26, int64_t{256}}) {  // plain, and in blocks
    torch::manual_seed(8);
    Mab mab(MabOptions{.query_width = 16, .key_width = 16, .heads = 2, .block_bytes = block_bytes});
    const torch::Tensor x = torch::randn({2, 12, 16});
    const auto gradients = [&](bool enabled) {
      mab->zero_grad();
      torch::Tensor loss;
      {
        const MixedPrecision scope(torch::kCPU, enabled);
        loss = mab(x, x).to(torch::kFloat32).square().mean();
      }
      loss.backward();
      std::vector<torch::Tensor> flat;
      for (const torch::Tensor& parameter : mab->parameters()) flat.push_back(parameter.grad().reshape(-1).clone());
      return torch::cat(flat);
    };
    const torch::Tensor exact = gradients(false);
    const torch::Tensor mixed = gradients(true);
    EXPECT_EQ(mixed.scalar_type(), torch::kFloat32);
    EXPECT_LT((mixed - exact).norm().item<float>(), 0.03f * exact.norm().item<float>());
    EXPECT_FALSE(torch::equal(mixed, exact));
  }
}

// As the papers' models have it: the LayerNorms see what linear layers give.
TEST(MixedPrecision, ProjectedResidualsTrain) {
  Mab mab(MabOptions{.query_width = 8, .key_width = 8, .residual_projection = true});
  const torch::Tensor x = torch::randn({1, 5, 8});
  torch::Tensor loss;
  {
    const MixedPrecision scope(torch::kCPU, true);
    loss = mab(x, x).to(torch::kFloat32).square().mean();
  }
  loss.backward();
  for (const torch::Tensor& parameter : mab->parameters()) EXPECT_TRUE(parameter.grad().isfinite().all().item<bool>());
}

}  // namespace
}  // namespace haplospin
