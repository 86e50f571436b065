// The exit code of a program, the message of its error, and the time of its run.
#pragma once

#include <functional>

namespace haplospin {

enum ExitCode { kGood = 0, kInternalError = 1, kUserError = 2 };

// Returns the exit code that `run` returns. If it throws, a message says why, and the code is kUserError for an
// InputError and kInternalError for everything else. If a run has begun (core/run_report.h), its time and memory are a
// line of the log, which is not shown after an error, so that the error stays the last line of the terminal.
int RunAndReport(const std::function<int()>& run);

}  // namespace haplospin
