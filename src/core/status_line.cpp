#include "core/status_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace haplospin::internal {
namespace {

constexpr char kEraseLine[] = "\r\033[K";

std::mutex mutex;
std::string current;

void Erase() {
  if (!current.empty()) std::fputs(kEraseLine, stderr);
}

void Draw() {
  if (current.empty()) return;
  std::fputs(current.c_str(), stderr);
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

void PrintAboveStatusLine(const std::function<void()>& print) {
  std::lock_guard lock(mutex);
  Erase();
  print();
  Draw();
}

}  // namespace haplospin::internal
