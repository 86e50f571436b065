// An output that may not have been asked for.
#pragma once

#include <optional>
#include <string>

#include "core/output_file.h"

namespace haplospin {

// Construct it before any work, so that a path that cannot be written is reported at once. "" is no output.
class OptionalOutput {
 public:
  explicit OptionalOutput(const std::string& path);

  bool IsWanted() const { return file_.has_value(); }

  // The whole file. Does nothing where it is not wanted.
  void Write(const std::string& text);

 private:
  std::optional<OutputFile> file_;
};

}  // namespace haplospin
