// Silence while what was done before is done again, whose messages would all come twice.
#pragma once

namespace haplospin {

// While one lives, nothing but errors is told, on any thread.
class MutedLog {
 public:
  MutedLog();
  ~MutedLog();
  MutedLog(const MutedLog&) = delete;
  MutedLog& operator=(const MutedLog&) = delete;
};

}  // namespace haplospin
