// The one line at the bottom of a terminal that is drawn over and over (the progress bar).
#pragma once

#include <functional>
#include <string>

namespace haplospin::internal {

// Standard error is a terminal that understands cursor movements.
bool StderrIsTerminal();
int TerminalWidth();

// Draws `text` over the line; empty: clears it. Any thread.
void SetStatusLine(const std::string& text);

// Takes the line off the terminal; for a signal handler that ends the process.
void EraseStatusLineInSignalHandler();

// Runs `print` with the line out of the way, and draws it again below.
void PrintAboveStatusLine(const std::function<void()>& print);

}  // namespace haplospin::internal
