// The time and memory of a run, for its last line and its log.
#pragma once

#include <string>

namespace haplospin {

// Declares that a command has parsed its options and begins to work. Until then there is nothing to report.
void BeginRun();
bool RunHasBegun();

// "12:34 wall time, 24:50 CPU time, 812 MiB peak memory": all of the process up to now.
std::string RunReportText();

}  // namespace haplospin
