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

// A condition that only a bug can violate; checked in every build type.
#define HS_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::haplospin::internal::AssertionFailed(#condition, __FILE__, __LINE__))
