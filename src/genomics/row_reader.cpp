#include "genomics/row_reader.h"

#include <algorithm>

#include "haplospin/core/errors.h"

namespace haplospin {
namespace {

std::vector<std::string_view> SplitAtBlanks(std::string_view line) {
  std::vector<std::string_view> columns;
  for (size_t begin = 0; (begin = line.find_first_not_of(" \t\r", begin)) != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    columns.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return columns;
}

}  // namespace

RowReader::RowReader(const std::string& path) : path_(path) {
  SilenceHtslib();
  file_.reset(bgzf_open(path.c_str(), "r"));
  if (!file_) throw InputError(OpenFailure(path));
}

std::vector<std::string_view> RowReader::NextRow() {
  for (;;) {
    const int length = bgzf_getline(file_.get(), '\n', &line_.text);
    if (length < -1) throw InputError(fmt::format("{}: damaged after line {}; get the file again", path_, number_));
    if (length < 0) return {};
    ++number_;
    auto columns = SplitAtBlanks({line_.text.s, static_cast<size_t>(length)});
    if (!columns.empty()) return columns;
  }
}

void RowReader::Fail(const std::string& what) const {
  throw InputError(fmt::format("{}: line {}: {}", path_, number_, what));
}

}  // namespace haplospin
