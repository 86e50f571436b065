#include "genotypes/variant_io/row_reader.h"

#include <algorithm>

#include "genotypes/genomics/sites/region.h"
#include "haplospin/errors.h"

namespace haplospin {

std::vector<std::string_view> SplitAtBlanks(std::string_view line) {
  std::vector<std::string_view> columns;
  for (size_t begin = 0; (begin = line.find_first_not_of(" \t\r", begin)) != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    columns.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return columns;
}

RowReader::RowReader(const std::string& path) : path_(path) {
  SilenceHtslib();
  file_.reset(bgzf_open(path.c_str(), "r"));
  if (!file_) throw InputError(OpenFailure(path));
}

std::optional<std::string_view> RowReader::NextLine() {
  bool is_damaged = false;
  const auto line = ReadLine(file_.get(), line_, is_damaged);
  if (is_damaged) {
    throw InputError(
        fmt::format("{}: truncated or damaged after line {}; download or copy the file again", path_, number_));
  }
  if (!line) return line;
  std::string_view text = *line;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (number_++ == 0 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.find('\0') != std::string_view::npos) Fail("has a NUL character; the file is damaged, or not UTF-8 text");
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> RowReader::NextRow() {
  while (const auto line = NextLine()) {
    auto columns = SplitAtBlanks(*line);
    if (!columns.empty()) return columns;
  }
  return {};
}

int64_t RowReader::PositionOrFail(std::string_view text) const {
  try {
    return ParsePosition(text);
  } catch (const InputError& error) {
    Fail(error.what());
  }
}

void RowReader::Fail(const std::string& what) const {
  throw InputError(fmt::format("{}: line {}: {}", path_, number_, what));
}

}  // namespace haplospin
