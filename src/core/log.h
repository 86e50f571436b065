// Messages to the user on standard error, one line each.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace haplospin {

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
