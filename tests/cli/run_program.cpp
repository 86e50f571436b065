#include "cli/run_program.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "cli/paths.h"
#include "core/file_contents.h"
#include "core/temporary_folder.h"

namespace haplospin {
namespace {

void Redirect(const std::string& path, int flags, int descriptor) {
  const int file = open(path.c_str(), flags, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
}

// Moves the report to a member of its own, so that a run without messages has none.
void TakeReport(ProgramResult& result) {
  if (result.err.empty()) return;
  const size_t before = result.err.rfind('\n', result.err.size() - 2);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  if (result.err.find(" CPU time, ", begin) == std::string::npos) return;
  result.report = result.err.substr(begin);
  result.err.resize(begin);
}

}  // namespace

ProgramResult RunProgram(const std::vector<std::string>& arguments, const std::string& input,
                         const std::map<std::string, std::string>& environment) {
  const TemporaryFolder folder;
  std::ofstream(folder / "in", std::ios::binary) << input;
  std::string program = ProgramPath();
  std::vector<char*> argv{program.data()};
  std::vector<std::string> copies = arguments;
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);

  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start another process");
  if (child == 0) {
    Redirect(folder / "in", O_RDONLY, STDIN_FILENO);
    Redirect(folder / "out", O_WRONLY | O_CREAT, STDOUT_FILENO);
    Redirect(folder / "err", O_WRONLY | O_CREAT, STDERR_FILENO);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ProgramResult result{.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                       .out = Contents(folder / "out"),
                       .err = Contents(folder / "err")};
  TakeReport(result);
  return result;
}

void ExpectRefused(const ProgramResult& result, const std::vector<std::string>& parts) {
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  std::vector<std::string> errors;
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_THAT(line, testing::StartsWith("haplospin: "));
    if (line.starts_with("haplospin: error: ")) errors.push_back(line);
  }
  ASSERT_EQ(errors.size(), 1u) << result.err;
  for (const std::string& part : parts) EXPECT_THAT(errors[0], testing::HasSubstr(part));
}

}  // namespace haplospin
