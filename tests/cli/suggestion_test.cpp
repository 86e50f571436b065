#include "cli/options/suggestion.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

const std::vector<std::string> kNames = {"impute", "evaluate", "mask", "train"};

TEST(Suggestion, CloseNamesAreSuggested) {
  EXPECT_EQ(Suggestion("imputte", kNames), "; did you mean impute?");
  EXPECT_EQ(Suggestion("evalaute", kNames), "; did you mean evaluate?");
  EXPECT_EQ(Suggestion("mas", kNames), "; did you mean mask?");
}

TEST(Suggestion, FarNamesAreNot) {
  EXPECT_EQ(Suggestion("phase", kNames), "");
  EXPECT_EQ(Suggestion("x", kNames), "");
  EXPECT_EQ(Suggestion("impute", {}), "");
}

}  // namespace
}  // namespace haplospin
