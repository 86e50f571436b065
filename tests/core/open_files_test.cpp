#include "core/open_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

rlimit Limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit;
}

class OpenFilesTest : public testing::Test {
 protected:
  ~OpenFilesTest() override { setrlimit(RLIMIT_NOFILE, &saved_); }

  const rlimit saved_ = Limit();
};

TEST_F(OpenFilesTest, TheSoftLimitIsRaisedAsFarAsNeeded) {
  const rlimit low{64, saved_.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  AllowOpenFiles(10, "");
  EXPECT_EQ(Limit().rlim_cur, 64u);
  AllowOpenFiles(100, "");
  EXPECT_GE(Limit().rlim_cur, 100u);
  EXPECT_LT(Limit().rlim_cur, 200u);
  EXPECT_EQ(Limit().rlim_max, saved_.rlim_max);
}

TEST_F(OpenFilesTest, TheHardLimitIsSaid) {
  if (saved_.rlim_max == RLIM_INFINITY) GTEST_SKIP() << "there is no limit";
  try {
    AllowOpenFiles(saved_.rlim_max, "merge them in groups");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("files are more than may be open at once (ulimit -Hn"),
                                             testing::EndsWith("; merge them in groups")));
  }
}

}  // namespace
}  // namespace haplospin
