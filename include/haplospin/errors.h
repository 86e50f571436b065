// The two kinds of errors: input errors, and bugs of haplospin.
#pragma once

#include <stdexcept>
#include <string>

namespace haplospin {

// An input error: an invalid file, option or device. The message is one line that names the file and record, what was
// expected, and what to do. The command line prints it and exits with code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace internal {
[[noreturn]] void AssertionFailed(const char* expression, const char* file, int line);
}

}  // namespace haplospin

// Runs a call that must run, and ends the program where its result shows a bug: HS_CHECK(bcf_hdr_sync(header) == 0).
#define HS_CHECK(call) \
  ((call) ? static_cast<void>(0) : ::haplospin::internal::AssertionFailed(#call, __FILE__, __LINE__))

// A condition that only a bug can violate, without side effects; checked in every build type.
#define HS_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::haplospin::internal::AssertionFailed(#condition, __FILE__, __LINE__))
