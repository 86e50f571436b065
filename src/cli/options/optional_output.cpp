#include "cli/options/optional_output.h"

namespace haplospin {

OptionalOutput::OptionalOutput(const std::string& path) {
  if (!path.empty()) file_.emplace(path);
}

void OptionalOutput::Write(const std::string& text) {
  if (!file_) return;
  file_->Write(text);
  file_->Commit();
}

}  // namespace haplospin
