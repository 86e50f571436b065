// Removes temporary files when a signal ends the process, and says how far it got.
#pragma once

#include <string>

namespace haplospin {

// A signal that ends the process (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU): temporary files are removed, a
// message says what was left to do, and the process ends by that signal, as shells expect. After SIGABRT (a failed
// HS_ASSERT) they are removed and the exit code is 1. SIGXFSZ is ignored, so that a limit on file sizes is an error of
// the write. Signals that were ignored stay so. For main().
void InstallSignalHandlers();

// Sets what is not done yet, in words that follow "with" in the message of a signal: the options of a run that does it.
// Only one thread may call it.
void SetWorkLeft(const std::string& work);

namespace internal {

// Files to remove when a signal ends the process. Returns a slot, or -1 if all slots are taken or the name is too long.
int RegisterTemporaryFile(const std::string& path);
void ForgetTemporaryFile(int slot);

}  // namespace internal
}  // namespace haplospin
