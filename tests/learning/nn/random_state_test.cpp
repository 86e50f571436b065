#include "learning/nn/random_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(RandomState, SeedFixesTheDraws) {
  SeedGenerators(7);
  const torch::Tensor first = torch::randn({16});
  SeedGenerators(7);
  EXPECT_TRUE(torch::equal(first, torch::randn({16})));
  SeedGenerators(8);
  EXPECT_FALSE(torch::equal(first, torch::randn({16})));
}

TEST(RandomState, RestoringRepeatsTheDraws) {
  SeedGenerators(7);
  torch::randn({5});  // an odd count leaves a normal deviate cached, which must be restored too
  const NamedTensors states = GeneratorStates();
  const torch::Tensor normal = torch::randn({9});
  const torch::Tensor uniform = torch::rand({9});
  torch::randn({100});
  RestoreGeneratorStates(states, "file");
  EXPECT_TRUE(torch::equal(normal, torch::randn({9})));
  EXPECT_TRUE(torch::equal(uniform, torch::rand({9})));
}

TEST(RandomState, RejectsAStateThatIsNone) {
  EXPECT_THAT(
      [] { RestoreGeneratorStates({}, "run.safetensors"); },
      ThrowsMessage<InputError>(HasSubstr("run.safetensors: the state of the CPU's random generator is missing")));
  EXPECT_THAT(
      [] {
        RestoreGeneratorStates({{"cpu", torch::zeros({3}, torch::kUInt8)}}, "run.safetensors");
      },
      ThrowsMessage<InputError>(HasSubstr("is not valid")));
}

}  // namespace
}  // namespace haplospin
