#include "cli/options/optional_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <unordered_set>

#include "haplospin/errors.h"

namespace haplospin {

OptionalOutput::OptionalOutput(const std::string& path) {
  if (!path.empty()) file_.emplace(path);
}

void OptionalOutput::Write(const std::string& text) {
  if (!file_) return;
  file_->Write(text);
  file_->Commit();
}

void CheckDistinctOutputs(const std::string& command, const std::string& options,
                          const std::vector<std::string>& paths) {
  std::unordered_set<std::string> files;
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    std::error_code unreadable;
    const auto file = std::filesystem::weakly_canonical(std::filesystem::absolute(path, unreadable), unreadable);
    if (files.insert(file.string()).second) continue;
    throw InputError(fmt::format("{}: two of {} are '{}'; give them different names", command, options, path));
  }
}

}  // namespace haplospin
