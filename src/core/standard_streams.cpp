#include "core/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace haplospin {

void OpenClosedStandardStreams() {
  constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};  // a use of standard input or output fails
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    // open() returns the lowest descriptor that is free, and the lower ones are open by now.
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", kModes[descriptor]) < 0) return;
  }
}

}  // namespace haplospin
