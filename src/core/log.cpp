#include "core/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

#include "core/output_file.h"
#include "haplospin/errors.h"

namespace haplospin::internal {
namespace {

constexpr char kEraseLine[] = "\r\033[K";

std::mutex status_mutex;
std::string status_line;
std::atomic<bool> shown = false;  // read by signal handlers, which must not lock

void Erase() {
  if (!status_line.empty()) std::fputs(kEraseLine, stderr);
  shown = false;
}

void Draw() {
  if (!status_line.empty()) {
    std::fputs(status_line.c_str(), stderr);
    shown = true;
  }
  std::fflush(stderr);
}

}  // namespace

bool StderrIsTerminal() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

int TerminalWidth() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

void SetStatusLine(const std::string& text) {
  std::lock_guard lock(status_mutex);
  Erase();
  status_line = text;
  Draw();
}

void EraseStatusLineInSignalHandler() {
  if (shown && write(STDERR_FILENO, kEraseLine, sizeof(kEraseLine) - 1) < 0)
    return;  // nobody could be told of the error
}

void PrintAboveStatusLine(const std::function<void()>& print) {
  std::lock_guard lock(status_mutex);
  Erase();
  print();
  Draw();
}

}  // namespace haplospin::internal

namespace haplospin {
namespace {

std::atomic<bool> quiet = false;

spdlog::logger& Logger() {
  static spdlog::logger logger = [] {
    spdlog::logger made("haplospin", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.set_pattern("haplospin: %v");
    made.flush_on(spdlog::level::info);
    return made;
  }();
  return logger;
}

// The file of OpenLogFile(), or null.
std::unique_ptr<spdlog::logger>& FileLogger() {
  static std::unique_ptr<spdlog::logger> logger;
  return logger;
}

// The log is not worth ending the work for; one warning is enough.
void WarnOfLogFile(const std::string& path, const std::string& error) {
  static std::atomic<bool> is_told = false;
  if (is_told.exchange(true)) return;
  internal::PrintAboveStatusLine([&] { Logger().warn("warning: {} is incomplete: {}", path, error); });
}

}  // namespace

void OpenLogFile(const std::string& path) {
  CheckIsNotProtected(path);
  try {
    FileLogger() = std::make_unique<spdlog::logger>(
        "file", std::make_shared<spdlog::sinks::basic_file_sink_mt>(path, /*truncate=*/true));
  } catch (const spdlog::spdlog_ex& error) {
    throw InputError(fmt::format("cannot write {}: {}", path, error.what()));
  }
  FileLogger()->set_pattern("%Y-%m-%d %H:%M:%S %v");
  FileLogger()->flush_on(spdlog::level::info);
  FileLogger()->set_error_handler([path](const std::string& error) { WarnOfLogFile(path, error); });
  ProtectFile(path, "--log");
}

void LogToFile(const std::string& text) {
  if (FileLogger()) FileLogger()->info("{}", text);
}

void SetQuiet(bool value) { quiet = value; }
bool IsQuiet() { return quiet; }

void LogMessage(LogLevel level, const std::string& text) {
  const char* kind = level == LogLevel::kInfo ? "" : level == LogLevel::kWarning ? "warning: " : "error: ";
  const std::string line = kind + text;
  LogToFile(line);
  if (quiet && level == LogLevel::kInfo) return;
  internal::PrintAboveStatusLine([&] { Logger().info(line); });
}

}  // namespace haplospin
