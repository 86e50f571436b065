#include "genomics/sample_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haplospin {
namespace {

using testing::ElementsAre;

TEST(SampleGroups, AreInTheOrderOfTheirFirstSamples) {
  const std::vector<std::string> groups = {"YRI", "GBR", "GBR", "YRI"};
  const SampleGroups samples(groups);
  EXPECT_THAT(samples.names(), ElementsAre("YRI", "GBR"));
  EXPECT_THAT(samples.group_of(), ElementsAre(0, 1, 1, 0));
}

}  // namespace
}  // namespace haplospin
