// A running haplospin, for tests that kill it or close what it writes to.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

namespace haplospin {

class Process {
 public:
  // `out`: a descriptor for its standard output, or -1 for none. Its messages are not kept.
  explicit Process(std::vector<std::string> arguments, int out = -1);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void Kill(int signal_number = SIGKILL) const;

  // Its exit code, or 128 + N where signal N ended it.
  int Wait();

 private:
  pid_t child_ = -1;
};

}  // namespace haplospin
