#include "cli/options/output.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/temporary_folder.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

TEST(OptionalOutput, WritesWhatIsWanted) {
  TemporaryFolder folder;
  OptionalOutput output(folder / "a");
  EXPECT_TRUE(output.IsWanted());
  output.Write("text\n");
  std::ifstream file(folder / "a");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "text\n");
}

TEST(OptionalOutput, LeavesNothingUnlessWritten) {
  TemporaryFolder folder;
  { OptionalOutput output(folder / "a"); }
  EXPECT_EQ(folder.NumFiles(), 0u);
}

TEST(OptionalOutput, DoesNothingWithoutPath) {
  OptionalOutput output("");
  EXPECT_FALSE(output.IsWanted());
  output.Write("text\n");
}

TEST(OptionalOutput, ReportsABadPathBeforeAnythingIsWritten) {
  TemporaryFolder folder;
  EXPECT_THROW(OptionalOutput(folder / "missing/a"), InputError);
}

TEST(OptionalOutput, OutputsAreDistinct) {
  EXPECT_NO_THROW(CheckDistinctOutputs("x", "--a and --b", {"", "", "-", "a", "b"}));
  for (const char* path : {"a", "./a", "../a"}) {
    const std::string other = std::string("absent/../") + path;
    EXPECT_THROW(CheckDistinctOutputs("x", "--a and --b", {path, "c", other}), InputError) << path;
  }
}

}  // namespace
}  // namespace haplospin
