#include "nn/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>

#include "haplospin/errors.h"

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

}  // namespace
}  // namespace haplospin
