// A disk that is full at once (/dev/full), or after some bytes: an error that says so, and no output is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/run_program.h"
#include "faults/fault_files.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(FullDisk, Device) {
  const FaultInputs inputs;
  const TemporaryFolder out;
  const std::vector<std::string> check{"check", "--ref", inputs.panel(), "--target", inputs.study()};
  const std::vector<std::string> evaluate{"evaluate", "--truth", inputs.truth(), "--imputed", inputs.truth()};
  const auto with = [](std::vector<std::string> arguments, const std::string& option) {
    arguments.insert(arguments.end(), {option, "/dev/full"});
    return arguments;
  };
  for (const auto& arguments :
       {with({"impute", "--ref", inputs.panel(), "--target", inputs.study(), "--output-type", "b"}, "--out"),
        with({"phase", "--ref", inputs.panel(), "--target", inputs.study(), "--output-type", "z"}, "--out"),
        with({"panel", "build", "--panel", inputs.panel()}, "--out"), with({"concat", inputs.truth()}, "--out"),
        with(check, "--fix"), with(check, "--json"), with(check, "--html"), with(evaluate, "--tsv"),
        with(evaluate, "--json"), with(evaluate, "--per-sample"), with(evaluate, "--report")}) {
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments[0];
    EXPECT_THAT(result.err,
                AllOf(HasSubstr("cannot write /dev/full: No space left on device"), HasSubstr("; free space")))
        << arguments[0];
  }
}

// A disk of a few pages, seen by this process and its children alone.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& folder) : folder_(folder) {
    is_private_ = unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  }
  ~SmallDisk() { Remove(); }

  bool Mount(size_t bytes) {
    Remove();
    const std::string size = "size=" + std::to_string(bytes);
    is_mounted_ = is_private_ && mount("none", folder_.c_str(), "tmpfs", 0, size.c_str()) == 0;
    return is_mounted_;
  }

  void Remove() {
    if (is_mounted_) umount(folder_.c_str());
    is_mounted_ = false;
  }

 private:
  const std::string folder_;
  bool is_private_ = false, is_mounted_ = false;
};

TEST(FullDisk, AfterSomeBytes) {
  const FaultInputs inputs;
  const TemporaryFolder out;
  const std::string folder = out.path().string();
  SmallDisk disk(folder);
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (!disk.Mount(page)) GTEST_SKIP() << "cannot mount a disk of its own: " << std::strerror(errno);
  for (const FaultCommand& command : inputs.Commands(folder)) {
    disk.Remove();
    ASSERT_EQ(RunProgram(command.arguments).exit_code, 0) << command.name;
    const auto written = FilesIn(folder);
    size_t bytes = 0;
    for (const auto& [name, contents] : written) {
      bytes += contents.size();
      std::filesystem::remove(out / name);
    }
    ASSERT_GT(bytes, 3 * page) << command.name;
    for (const size_t size : {page, bytes / 2 / page * page}) {
      ASSERT_TRUE(disk.Mount(size));
      const ProgramResult result = RunProgram(command.arguments);
      EXPECT_EQ(result.exit_code, 2) << command.name << ", disk of " << size << " bytes";
      EXPECT_THAT(result.err, AllOf(HasSubstr("cannot write " + folder), HasSubstr("No space left on device")));
      for (const auto& [name, contents] : FilesIn(folder)) {
        // Of several files, the first ones may be whole, but not those of a benchmark, which belong together.
        const bool may_be_left = written.size() > 1 && command.name != "mask" && !IsTemporary(name);
        EXPECT_TRUE(may_be_left) << command.name << " left " << name;
      }
    }
  }
}

}  // namespace
}  // namespace haplospin
