#include "core/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>

#include "core/status_line.h"

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

}  // namespace

void SetQuiet(bool value) { quiet = value; }
bool IsQuiet() { return quiet; }

void LogMessage(LogLevel level, const std::string& text) {
  if (quiet && level == LogLevel::kInfo) return;
  internal::PrintAboveStatusLine([&] {
    switch (level) {
      case LogLevel::kInfo:
        Logger().info(text);
        break;
      case LogLevel::kWarning:
        Logger().warn("warning: {}", text);
        break;
      case LogLevel::kError:
        Logger().error("error: {}", text);
        break;
    }
  });
}

}  // namespace haplospin
