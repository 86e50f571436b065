#include "core/signals.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string_view>

#include "core/log.h"

namespace haplospin {
namespace {

// Fixed memory, which a signal handler may read at any time.
struct Slot {
  std::atomic<bool> in_use = false;
  char path[PATH_MAX];
};
std::array<Slot, 64> slots;
std::mutex mutex;

void RemoveTemporaryFiles() {
  for (const Slot& slot : slots) {
    if (slot.in_use.load(std::memory_order_acquire)) unlink(slot.path);
  }
}

// The work that is left is written to the text that is not in use, so that a signal handler reads a whole one.
std::array<std::array<char, 256>, 2> works_left;
std::atomic<int> work_in_use = 0;

// A line put together in fixed memory.
class FixedText {
 public:
  FixedText& operator<<(std::string_view text) {
    const size_t length = std::min(text.size(), text_.size() - size_);
    std::memcpy(text_.data() + size_, text.data(), length);
    size_ += length;
    return *this;
  }
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 1024> text_;
  size_t size_ = 0;
};

const char* SignalName(int signal_number) {
  switch (signal_number) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    case SIGQUIT:
      return "SIGQUIT";
    default:
      return "SIGXCPU";
  }
}

// A closed pipe needs no words: what reads it has ended.
void TellOfStop(int signal_number) {
  FixedText text;
  if (signal_number == SIGPIPE) return internal::WriteInSignalHandler("");
  const char* work = works_left[work_in_use].data();
  text << "haplospin: error: stopped by " << SignalName(signal_number);
  if (work[0] != 0) text << " with " << work << " left to do";
  text << "; no output is half-written\n";
  internal::WriteInSignalHandler(text.view());
}

void OnStop(int signal_number) {
  const int saved_errno = errno;
  TellOfStop(signal_number);
  RemoveTemporaryFiles();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
  errno = saved_errno;  // the process goes on until the handler has returned
}

void OnAbort(int) {
  RemoveTemporaryFiles();
  _exit(1);
}

void Handle(int signal_number, void (*handler)(int)) {
  struct sigaction action {};
  sigaction(signal_number, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;  // the program runs under nohup
  action = {};
  action.sa_handler = handler;
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

void InstallSignalHandlers() {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) Handle(signal_number, OnStop);
  Handle(SIGABRT, OnAbort);
  std::signal(SIGXFSZ, SIG_IGN);
}

void SetWorkLeft(const std::string& work) {
  const int free = 1 - work_in_use;
  const size_t length = std::min(work.size(), works_left[free].size() - 1);
  std::memcpy(works_left[free].data(), work.data(), length);
  works_left[free][length] = 0;
  work_in_use = free;
}

namespace internal {

int RegisterTemporaryFile(const std::string& path) {
  std::lock_guard lock(mutex);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].in_use || path.size() >= sizeof(slots[i].path)) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].in_use.store(true, std::memory_order_release);
    return static_cast<int>(i);
  }
  return -1;
}

void ForgetTemporaryFile(int slot) {
  if (slot >= 0) slots[static_cast<size_t>(slot)].in_use.store(false, std::memory_order_release);
}

}  // namespace internal
}  // namespace haplospin
