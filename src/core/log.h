// Messages to the user on standard error, one line each.
#pragma once

#include <fmt/format.h>

#include <string>
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

template <typename... Args>
void LogError(fmt::format_string<Args...> format, Args&&... args) {
  LogMessage(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace haplospin
