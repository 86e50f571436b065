#include "core/status_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace haplospin::internal {
namespace {

constexpr char kEraseLine[] = "\r\033[K";

std::mutex mutex;
std::string current;
std::atomic<bool> shown = false;  // read by signal handlers, which must not lock

void Erase() {
  if (!current.empty()) std::fputs(kEraseLine, stderr);
  shown = false;
}

void Draw() {
  if (!current.empty()) {
    std::fputs(current.c_str(), stderr);
    shown = true;
  }
  std::fflush(stderr);
}

}  // namespace

bool StderrIsTerminal() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

int TerminalWidth() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

void SetStatusLine(const std::string& text) {
  std::lock_guard lock(mutex);
  Erase();
  current = text;
  Draw();
}

void EraseStatusLineInSignalHandler() {
  if (shown && write(STDERR_FILENO, kEraseLine, sizeof(kEraseLine) - 1) < 0)
    return;  // nobody could be told of the error
}

void PrintAboveStatusLine(const std::function<void()>& print) {
  std::lock_guard lock(mutex);
  Erase();
  print();
  Draw();
}

}  // namespace haplospin::internal
