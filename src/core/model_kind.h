// What tells the files of one kind of model from those of another.
#pragma once

#include <string_view>

namespace haplospin {

// Defined by the module that reads and writes such files.
struct ModelKind {
  std::string_view name;     // its name in files
  int version = 0;           // raised whenever older files would no longer mean the same
  std::string_view title;    // its name in messages: "an imputer model"
  std::string_view command;  // the command that makes such a file

  bool operator==(const ModelKind&) const = default;
};

}  // namespace haplospin
