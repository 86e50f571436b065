// The two families of errors: what a user can cause, and what only a bug can.
#pragma once

#include <stdexcept>
#include <string>

namespace haplospin {

// Something a user can cause and mend: a bad file, option or device. The message is one line that names the file and
// record, says what was expected, and what to do. The command line prints it and exits with 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace internal {
[[noreturn]] void AssertionFailed(const char* expression, const char* file, int line);
}

}  // namespace haplospin

// A condition that only a bug can break; checked in every build type.
#define HS_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::haplospin::internal::AssertionFailed(#condition, __FILE__, __LINE__))
