// What happens to temporary files when the process is told to stop.
#pragma once

#include <string>

namespace haplospin {

// SIGINT, SIGTERM, SIGHUP: temporary files are removed, then the process ends by that signal, as shells expect.
// SIGABRT (a failed HS_ASSERT): they are removed and the exit code is 1. For main(); ignored signals stay ignored.
void InstallSignalHandlers();

namespace internal {

// Files to remove when a signal ends the process. Returns a slot, or -1 where all are taken or the name is too long.
int RegisterTemporaryFile(const std::string& path);
void ForgetTemporaryFile(int slot);

}  // namespace internal
}  // namespace haplospin
