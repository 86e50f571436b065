#include "core/log.h"

#include <fcntl.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "core/muted_log.h"
#include "core/output_file.h"
#include "haplospin/errors.h"

namespace haplospin::internal {
namespace {

constexpr char kEraseLine[] = "\r\033[K";

std::mutex status_mutex;
std::string status_line;
std::atomic<bool> shown = false;  // read by signal handlers, which must not lock
char log_path[PATH_MAX] = "";     // likewise; written before the work begins

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

void WriteInSignalHandler(std::string_view text) {
  const auto write_all = [](int descriptor, std::string_view bytes) {
    if (write(descriptor, bytes.data(), bytes.size()) < 0) return;  // nobody could be told of the error
  };
  if (shown) write_all(STDERR_FILENO, kEraseLine);
  write_all(STDERR_FILENO, text);
  const int log = text.empty() || log_path[0] == 0 ? -1 : open(log_path, O_WRONLY | O_APPEND);
  if (log >= 0) write_all(log, text);
}

void SetLogPathOfSignalHandler(const std::string& path) {
  if (path.size() < sizeof(log_path)) std::memcpy(log_path, path.c_str(), path.size() + 1);
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
std::atomic<int> num_muted = 0;

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
  internal::SetLogPathOfSignalHandler(path);
  ProtectFile(path, "--log");
}

void LogToFile(const std::string& text) {
  if (FileLogger()) FileLogger()->info("{}", text);
}

MutedLog::MutedLog() { ++num_muted; }
MutedLog::~MutedLog() { --num_muted; }

void SetQuiet(bool value) { quiet = value; }
bool IsQuiet() { return quiet; }

void LogMessage(LogLevel level, const std::string& text) {
  if (num_muted > 0 && level != LogLevel::kError) return;
  const char* kind = level == LogLevel::kInfo ? "" : level == LogLevel::kWarning ? "warning: " : "error: ";
  const std::string line = kind + text;
  LogToFile(line);
  if (quiet && level == LogLevel::kInfo) return;
  internal::PrintAboveStatusLine([&] { Logger().info(line); });
}

void LogWarningOnce(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> told;
  if (num_muted > 0) return;
  {
    const std::lock_guard lock(mutex);
    if (!told.insert(text).second) return;
  }
  LogMessage(LogLevel::kWarning, text);
}

}  // namespace haplospin
