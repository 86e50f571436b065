// Runs the tests of vector kernels with every instruction set that they are compiled for and that this machine has.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <string>

namespace haplospin {

class EachInstructionSet : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override {
    hwy::SetSupportedTargetsForTest(GetParam());
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }

  void TearDown() override {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
  }
};

#define HAPLOSPIN_TEST_EACH_INSTRUCTION_SET(suite)                                            \
  INSTANTIATE_TEST_SUITE_P(On, suite, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()), \
                           [](const auto& info) { return std::string(hwy::TargetName(info.param)); })

}  // namespace haplospin
