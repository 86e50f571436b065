#include "faults/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "cli/paths.h"

namespace haplospin {

Process::Process(std::vector<std::string> arguments, int out) {
  arguments.insert(arguments.begin(), ProgramPath());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  child_ = fork();
  if (child_ < 0) throw std::runtime_error("cannot start another process");
  if (child_ != 0) return;
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(out < 0 ? nothing : out, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  execv(argv[0], argv.data());
  _exit(127);
}

Process::~Process() {
  if (child_ < 0) return;
  Kill();
  Wait();
}

void Process::Kill(int signal_number) const { kill(child_, signal_number); }

int Process::Wait() {
  int status = 0;
  waitpid(child_, &status, 0);
  child_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace haplospin
