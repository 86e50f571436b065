// Standard output that is closed before or while a command writes to it, as by `head`.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "faults/fault_files.h"
#include "faults/process.h"

namespace haplospin {
namespace {

constexpr int kPipeClosed = 128 + SIGPIPE;

// The exit code of a command whose reader takes `bytes` and goes.
int WithReaderOf(size_t bytes, const std::vector<std::string>& arguments) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  if (bytes == 0) close(ends[0]);
  Process process(arguments, ends[1]);
  close(ends[1]);
  if (bytes > 0) {
    std::string taken(bytes, '\0');
    size_t count = 0;
    for (ssize_t length = 1; count < bytes && length > 0; count += static_cast<size_t>(length)) {
      length = read(ends[0], taken.data() + count, bytes - count);
    }
    EXPECT_EQ(count, bytes);
    close(ends[0]);
  }
  return process.Wait();
}

TEST(ClosedPipe, EndsTheCommand) {
  const FaultInputs inputs;
  const TemporaryFolder out;
  const std::string panel_file = out / "panel.hsp";
  ASSERT_EQ(Process({"panel", "build", "--panel", inputs.panel(), "--out", panel_file}).Wait(), 0);
  const std::vector<std::string> impute{"impute", "--ref", inputs.panel(), "--target", inputs.study(),
                                        "--out",  "-",     "--output-type"};
  const auto with = [](std::vector<std::string> arguments, const std::string& last) {
    arguments.push_back(last);
    return arguments;
  };
  const std::vector<std::vector<std::string>> large{with(impute, "v"),
                                                    with(impute, "u"),
                                                    {"concat", "--out", "-", inputs.truth()},
                                                    {"panel", "view", "--panel", panel_file}};
  for (const auto& arguments : large) {
    for (const size_t bytes : {0, 10, 5000}) {
      EXPECT_EQ(WithReaderOf(bytes, arguments), kPipeClosed) << arguments[0] << " after " << bytes << " bytes";
    }
  }
  const std::vector<std::vector<std::string>> small{
      {"phase", "--ref", inputs.panel(), "--target", inputs.study(), "--out", "-"},
      {"check", "--ref", inputs.panel(), "--target", inputs.study(), "--fix", out / "fixed.vcf"},
      {"evaluate", "--truth", inputs.truth(), "--imputed", inputs.truth()},
      {"panel", "info", "--panel", panel_file}};
  for (const auto& arguments : small) EXPECT_EQ(WithReaderOf(0, arguments), kPipeClosed) << arguments[0];
  for (const auto& [name, bytes] : FilesIn(out.path().string())) EXPECT_FALSE(IsTemporary(name)) << name;
}

}  // namespace
}  // namespace haplospin
