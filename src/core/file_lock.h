// Locks that keep two processes from writing the same output.
#pragma once

#include <string>

namespace haplospin {

// Locks an open file or folder until the descriptor is closed or the process ends. Returns false if another process has
// locked it. Where the file system has no locks, as some network ones, it warns, naming `path`, and returns true.
bool LockFile(int descriptor, const std::string& path);

}  // namespace haplospin
