// The list of commands, the versions, and mistyped commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/options/command.h"
#include "cli/paths.h"
#include "cli/run_program.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"
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

TEST(Program, VersionNamesTheVectorInstructions) {
  const auto version = [](const std::string& target) {
    return RunProgram({"--version"}, "", {{"HAPLOSPIN_TARGET", target}});
  };
  const std::string best = RunProgram({"--version"}).out;
  EXPECT_THAT(best, testing::ContainsRegex("\nvector instructions [A-Z0-9_]+\n$"));
  ExpectRefused(version("avx1"), {"HAPLOSPIN_TARGET=avx1: this processor and program have no such instruction set; "
                                  "choose one of "});
#if defined(__x86_64__)
  EXPECT_THAT(version("sse4").out, testing::EndsWith("\nvector instructions SSE4\n"));
  EXPECT_THAT(version("SSE4").out, testing::EndsWith("\nvector instructions SSE4\n"));
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

// The commands that need LibTorch to run. CI also tests a build without it.
TEST(Program, HelpNeedsNoLibTorch) {
  for (const Arguments& command :
       {Arguments{"train"}, Arguments{"train", "--arch", "spin"}, Arguments{"tabular", "train"},
        Arguments{"tabular", "predict"}, Arguments{"hopular", "evaluate"}, Arguments{"np", "train"},
        Arguments{"np", "predict"}, Arguments{"np", "evaluate"}}) {
    Arguments arguments = command;
    arguments.push_back("--help");
    const ProgramResult help = RunProgram(arguments);
    EXPECT_EQ(help.exit_code, 0) << help.err;
    EXPECT_THAT(help.out, HasSubstr("\nUsage: haplospin " + command[0]));
    EXPECT_THAT(help.out, HasSubstr("\n  -h, --help"));
#ifndef HAPLOSPIN_HAS_TORCH
    ExpectRefused(RunProgram(command), {"this needs LibTorch"});
#endif
  }
}

#ifdef HAPLOSPIN_HAS_TORCH
// As after scripts/demo, which builds only the program.
TEST(Program, SaysHowToBuildWhatALearningCommandNeeds) {
  const TemporaryFolder build;
  std::filesystem::create_directories(build.path() / "lib");
  const std::filesystem::path library = "lib/libhaplospin.so.0";
  std::filesystem::copy_file(std::filesystem::path(ProgramPath()).parent_path().parent_path() / library,
                             build.path() / library);
  for (const char* command : {"np", "tabular", "hopular"}) {
    ExpectRefused(RunProgram({command, "train"}, "", {{"LD_LIBRARY_PATH", (build.path() / "lib").string()}}),
                  {"libhaplospin_torch.so, which is not built; run: cmake --build --preset release"});
  }
}

// The folders are those of Python's site-packages, where pip has installed haplospin and another torch, or none.
TEST(Program, AWheelNeedsTheTorchItWasBuiltWith) {
  const TemporaryFolder site;
  const std::filesystem::path package = site.path() / "haplospin", library = "lib/libhaplospin.so.0";
  std::filesystem::create_directories(package / "lib");
  std::filesystem::create_directories(site.path() / "torch");
  std::filesystem::copy_file(std::filesystem::path(ProgramPath()).parent_path().parent_path() / library,
                             package / library);
  std::ofstream(package / "__init__.py");
  std::ofstream(site / "torch/version.py") << "__version__ = '1.0.0+cpu'\n";
  const auto run = [&] { return RunProgram({"np", "train"}, "", {{"LD_LIBRARY_PATH", (package / "lib").string()}}); };
  ExpectRefused(run(), {"torch is torch 1.0.0+cpu, but this haplospin needs torch"});
  std::filesystem::remove(site / "torch/version.py");
  EXPECT_THAT(run().err,
              HasSubstr("this needs LibTorch, but torch is not installed; run: pip install 'haplospin[torch]'"));
}
#endif

// Every command, as the shell runs it with `> /dev/full` and with `>&-`.
TEST(Program, OutputThatCannotBeWrittenIsAnError) {
  const TemporaryFolder folder;
  const std::string data = TestDataFolder();
  const std::string panel = folder / "panel.hsp";
  ASSERT_EQ(RunProgram({"panel", "build", "--panel", data + "/panel.bcf", "--out", panel}).exit_code, 0);
  for (const std::string& command :
       {std::string("--help"), std::string("--version"), std::string("impute --help"), std::string("panel"),
        "panel info --panel " + panel, "panel regions --contig 20 --panel " + panel, "panel view --panel " + panel,
        "check --ref " + panel + " --target " + data + "/study.vcf.gz",
        "evaluate --truth " + data + "/truth.bcf --imputed " + data + "/truth.bcf",
        "concat --out - " + data + "/study.vcf.gz"}) {
    for (const std::string closed : {" > /dev/full", " >&-"}) {
      const std::string line = ProgramPath() + " " + command + closed + " 2> " + (folder / "err");
      const int status = std::system(line.c_str());
      ASSERT_TRUE(WIFEXITED(status));
      EXPECT_EQ(WEXITSTATUS(status), 2) << line;
      EXPECT_THAT(ReadFile(folder / "err"), HasSubstr("haplospin: error: cannot write standard output: ")) << line;
    }
  }
}

}  // namespace
}  // namespace haplospin
