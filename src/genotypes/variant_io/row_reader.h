// Reads a text file, plain or gzipped, with columns separated by spaces or tabs.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/parse_number.h"
#include "genotypes/variant_io/hts_handles.h"

namespace haplospin {

// Returns the columns of a line, which are separated by spaces or tabs.
std::vector<std::string_view> SplitAtBlanks(std::string_view line);

class RowReader {
 public:
  // Throws InputError if the file cannot be opened.
  explicit RowReader(const std::string& path);

  // The next line, without its line end; nothing at the end of the file. It stays valid until the next call.
  std::optional<std::string_view> NextLine();

  // The columns of the next line that has any; none at the end of the file. They stay valid until the next call.
  std::vector<std::string_view> NextRow();

  // Throws InputError "FILE: line N: what".
  [[noreturn]] void Fail(const std::string& what) const;

  int64_t PositionOrFail(std::string_view text) const;

  template <typename Number>
  Number ParseOrFail(std::string_view text, const char* what) const {
    const auto value = ParseNumber<Number>(text);
    if (!value || !std::isfinite(static_cast<double>(*value))) Fail(fmt::format("\"{}\" is not {}", text, what));
    return *value;
  }

 private:
  std::string path_;
  BgzfHandle file_;
  KString line_;
  size_t number_ = 0;
};

}  // namespace haplospin
