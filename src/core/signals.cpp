#include "core/signals.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <mutex>

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

void OnStop(int signal_number) {
  const int saved_errno = errno;
  internal::EraseStatusLineInSignalHandler();
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
