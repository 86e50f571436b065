// The list of commands, the versions, and mistyped commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Program, AloneListsTheCommands) {
  const ProgramResult alone = RunProgram({});
  EXPECT_EQ(alone.exit_code, 0);
  EXPECT_THAT(alone.out, HasSubstr("Usage: haplospin COMMAND"));
  EXPECT_EQ(alone.err, "");
  for (const char* help : {"--help", "-h", "help"}) EXPECT_EQ(RunProgram({help}).out, alone.out) << help;
}

TEST(Program, VersionNamesItselfAndItsLibraries) {
  const ProgramResult result = RunProgram({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, StartsWith(std::string("haplospin ") + kVersion + "\nhtslib 1."));
#ifdef HAPLOSPIN_HAS_TORCH
  EXPECT_THAT(result.out, testing::ContainsRegex("\ntorch [0-9]+\\.[0-9]+"));
#else
  EXPECT_THAT(result.out, HasSubstr("\ntorch not installed\n"));
#endif
}

TEST(Program, UnknownCommandIsAUserError) {
  const ProgramResult result = RunProgram({"frobnicate"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "haplospin: error: unknown command 'frobnicate' (run haplospin without arguments for a list)\n");
}

TEST(Program, UnknownOptionWithoutACommandIsAUserError) { EXPECT_EQ(RunProgram({"--frobnicate"}).exit_code, 2); }

}  // namespace
}  // namespace haplospin
