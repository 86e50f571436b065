#include "core/open_files.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr rlim_t kOthers = 32;  // standard streams, outputs, indexes, and what libraries open

}  // namespace

void AllowOpenFiles(size_t count, const std::string& remedy) {
  rlimit limit{};
  HS_CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const rlim_t needed = count + kOthers;
  if (needed <= limit.rlim_cur) return;
  if (needed > limit.rlim_max) {
    throw InputError(
        fmt::format("{} files are more than may be open at once (ulimit -Hn: {}); {}", count, limit.rlim_max, remedy));
  }
  limit.rlim_cur = needed;
  HS_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

}  // namespace haplospin
