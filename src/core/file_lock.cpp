#include "core/file_lock.h"

#include <sys/file.h>

#include <cerrno>
#include <cstring>

#include "core/log.h"

namespace haplospin {

bool LockFile(int descriptor, const std::string& path) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  LogWarning("{}: cannot be locked ({}); let no other process write the same output", path, std::strerror(errno));
  return true;
}

}  // namespace haplospin
