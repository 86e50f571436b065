#include "cli/options/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

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

class SubcommandsTest : public testing::Test {
 protected:
  int Run(const Arguments& arguments) {
    const auto record = [this](int code) {
      return [this, code](const Arguments& given) {
        given_ = given;
        return code;
      };
    };
    return RunSubcommand(arguments, "a test", {{"build", "makes it", record(3)}, {"view", "shows it", record(4)}});
  }

  Arguments given_;
};

TEST_F(SubcommandsTest, RunsTheOneNamedWithItsArguments) {
  EXPECT_EQ(Run({"panel", "view", "--out", "x"}), 4);
  EXPECT_THAT(given_, ElementsAre("view", "--out", "x"));
}

TEST_F(SubcommandsTest, ListsThemAll) {
  for (const Arguments& arguments : {Arguments{"panel"}, Arguments{"panel", "--help"}, Arguments{"panel", "-h"}}) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(Run(arguments), 0);
    EXPECT_THAT(testing::internal::GetCapturedStdout(),
                AllOf(HasSubstr("haplospin panel: a test\n"), HasSubstr("build"), HasSubstr("shows it")));
  }
  EXPECT_TRUE(given_.empty());
}

TEST_F(SubcommandsTest, RefusesOthers) {
  EXPECT_THAT(
      [&] {
        Run({"panel", "buld"});
      },
      ThrowsMessage<InputError>(AllOf(HasSubstr("panel: unknown command 'buld'"), HasSubstr("did you mean build?"))));
}

}  // namespace
}  // namespace haplospin
