// SIGKILL at random moments, and SIGTERM as schedulers send it: whatever is under the name of an output is an earlier
// file or the whole new one.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "faults/fault_files.h"
#include "faults/process.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr int kKills = 6;
constexpr int kGenomes = 4;
constexpr char kEarlier[] = "an earlier file\n";

void RemoveFilesIn(const TemporaryFolder& folder) {
  for (const auto& [name, bytes] : FilesIn(folder.path().string())) std::filesystem::remove(folder / name);
}

// Half of the kills find an earlier file in the place of each output.
TEST(Kill, NoHalfWrittenOutput) {
  const FaultInputs inputs;
  const TemporaryFolder out;
  std::mt19937 random(21);
  size_t killed = 0;
  for (const FaultCommand& command : inputs.Commands(out.path().string())) {
    const auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(Process(command.arguments).Wait(), 0) << command.name;
    const Seconds whole = std::chrono::steady_clock::now() - start;
    const auto expected = FilesIn(out.path().string());
    ASSERT_FALSE(expected.empty()) << command.name;
    for (int repeat = 0; repeat < kKills; ++repeat) {
      RemoveFilesIn(out);
      for (const auto& [name, bytes] : expected) {
        if (repeat % 2 == 0) WriteFile(out / name, kEarlier);
      }
      Process process(command.arguments);
      std::this_thread::sleep_for(whole * std::uniform_real_distribution(0.0, 1.1)(random));
      process.Kill();
      killed += process.Wait() != 0;
      for (const auto& [name, bytes] : FilesIn(out.path().string())) {
        if (IsTemporary(name)) continue;
        ASSERT_TRUE(expected.contains(name)) << command.name << " left " << name;
        const bool is_earlier = repeat % 2 == 0 && bytes == kEarlier;
        EXPECT_TRUE(is_earlier || bytes == expected.at(name)) << command.name << ": " << name << " is half written";
      }
    }
    RemoveFilesIn(out);
  }
  EXPECT_GT(killed, 0u);
}

// Runs the command until it is not killed anymore, each time for longer. Returns how often it was killed.
size_t RunWithKills(const FaultCommand& command, Seconds whole, std::mt19937& random) {
  size_t killed = 0;
  for (double share = 0.3; share < 1; share += 0.2) {
    Process process(command.arguments);
    std::this_thread::sleep_for(whole * std::uniform_real_distribution(0.0, share)(random));
    process.Kill();
    const int exit_code = process.Wait();
    if (exit_code == 0) return killed;
    EXPECT_EQ(exit_code, 128 + SIGKILL) << command.name;
    ++killed;
  }
  EXPECT_EQ(Process(command.arguments).Wait(), 0) << command.name;
  return killed;
}

// Kills runs of a command at random moments, and resumes them. Each must end with the files of `expected`.
void ExpectGoesOn(FaultCommand command, const TemporaryFolder& out, const std::map<std::string, std::string>& expected,
                  Seconds whole) {
  std::mt19937 random(22);
  size_t killed = 0;
  for (int repeat = 0; repeat < kGenomes; ++repeat) {
    RemoveFilesIn(out);
    killed += RunWithKills(command, whole, random);
    auto files = FilesIn(out.path().string());
    std::erase_if(files, [](const auto& file) { return IsTemporary(file.first); });
    EXPECT_TRUE(files == expected) << command.name;
  }
  EXPECT_GT(killed, 0u);
}

// What an earlier run has completed is kept, and the rest is made as if nothing had happened.
TEST(Kill, GenomeGoesOn) {
  const FaultInputs inputs;
  const TemporaryFolder out;
  FaultCommand command = inputs.GenomeCommand(out.path().string());
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(Process(command.arguments).Wait(), 0);
  const Seconds whole = std::chrono::steady_clock::now() - start;
  const auto expected = FilesIn(out.path().string());
  ASSERT_THAT(expected, testing::SizeIs(6));  // three contigs, each with its index
  command.arguments.push_back("--resume");
  ExpectGoesOn(command, out, expected, whole);
}

// So are the windows of a contig.
void ExpectContigGoesOn(FaultCommand command, const TemporaryFolder& out, size_t files) {
  command.arguments.push_back("--resume");
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(Process(command.arguments).Wait(), 0);
  const Seconds whole = std::chrono::steady_clock::now() - start;
  const auto expected = FilesIn(out.path().string());
  ASSERT_THAT(expected, testing::SizeIs(files));
  ExpectGoesOn(command, out, expected, whole);
}

TEST(Kill, ContigGoesOn) {
  const FaultInputs inputs;
  const TemporaryFolder out;
  ExpectContigGoesOn(inputs.ContigCommand(out.path().string()), out, 4);  // dosages and sites, each with its index
}

TEST(Kill, PhasedContigGoesOn) {
  const FaultInputs inputs;
  const TemporaryFolder out;
  ExpectContigGoesOn(inputs.PhaseContigCommand(out.path().string()), out, 2);
}

// Nobody reads the output, so that the program is within its first window when the signal comes.
TEST(Kill, SigtermTellsWhatIsLeft) {
  const FaultInputs inputs;
  const TemporaryFolder out;
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  Process process({"impute", "--ref", inputs.panel(), "--target", inputs.study(), "--out", "-", "--output-type", "v",
                   "--sites-out", out / "sites.vcf", "--log", out / "log"},
                  ends[1]);
  close(ends[1]);
  char first = 0;
  ASSERT_EQ(read(ends[0], &first, 1), 1);
  for (int waits = 0; waits < 100 && ReadFile(out / "log").empty(); ++waits) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  process.Kill(SIGTERM);
  EXPECT_EQ(process.Wait(), 128 + SIGTERM);
  close(ends[0]);
  EXPECT_THAT(ReadFile(out / "log"), testing::ContainsRegex("haplospin: error: stopped by SIGTERM with --region "
                                                            "[A-Za-z0-9]+:[0-9]+- left to do; no output is "
                                                            "half-written\n$"));
  EXPECT_THAT(FilesIn(out.path().string()), testing::SizeIs(1));
}

}  // namespace
}  // namespace haplospin
