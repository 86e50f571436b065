// Outputs that a command writes only if they are asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

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

// Throws InputError where two outputs of a command are one file, also "-", which only one can be; "" is no output.
// `options` names them for the message, as in "--tsv and --json".
void CheckDistinctOutputs(const std::string& command, const std::string& options,
                          const std::vector<std::string>& paths);

}  // namespace haplospin
