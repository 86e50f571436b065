// The program's output on standard error: messages to the user, one line each, and a last line that is redrawn.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace haplospin {

// Opens a file that takes all messages too, even with quiet, each with its time. Throws InputError if it cannot be
// written or is an input of this command.
void OpenLogFile(const std::string& path);

// Writes a line to the log file alone.
void LogToFile(const std::string& text);

enum class LogLevel { kInfo, kWarning, kError };

// Quiet prints only warnings and errors, and no progress.
void SetQuiet(bool quiet);
bool IsQuiet();

// Writes "haplospin: text", "haplospin: warning: text" or "haplospin: error: text". Any thread may call it.
void LogMessage(LogLevel level, const std::string& text);

template <typename... Args>
void LogInfo(fmt::format_string<Args...> format, Args&&... args) {
  LogMessage(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}

template <typename... Args>
void LogWarning(fmt::format_string<Args...> format, Args&&... args) {
  LogMessage(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}

// Writes a warning unless this process has written the same one: of a file that is opened several times.
void LogWarningOnce(const std::string& text);

template <typename... Args>
void LogError(fmt::format_string<Args...> format, Args&&... args) {
  LogMessage(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
}

// The last line of a terminal, which is redrawn for the progress bar.
namespace internal {

// Standard error is a terminal that understands cursor movements.
bool StderrIsTerminal();
int TerminalWidth();

// Draws `text` over the line; empty: clears it. Any thread.
void SetStatusLine(const std::string& text);

// Removes the line, and appends `text` to standard error and the log file; for a signal handler that ends the process.
void WriteInSignalHandler(std::string_view text);

void SetLogPathOfSignalHandler(const std::string& path);

// Runs `print` with the line removed, and redraws the line below its output.
void PrintAboveStatusLine(const std::function<void()>& print);

}  // namespace internal
}  // namespace haplospin
