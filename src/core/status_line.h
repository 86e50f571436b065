// The last line of a terminal, which is redrawn for the progress bar.
#pragma once

#include <functional>
#include <string>

namespace haplospin::internal {

// Standard error is a terminal that understands cursor movements.
bool StderrIsTerminal();
int TerminalWidth();

// Draws `text` over the line; empty: clears it. Any thread.
void SetStatusLine(const std::string& text);

// Removes the line; for a signal handler that ends the process.
void EraseStatusLineInSignalHandler();

// Runs `print` with the line removed, and redraws the line below its output.
void PrintAboveStatusLine(const std::function<void()>& print);

}  // namespace haplospin::internal
