#include "learning/tables/csv.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <boost/spirit/home/x3.hpp>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 16;
// A longer row is more likely due to a quote that is not closed.
constexpr size_t kMaxRowBytes = size_t{64} << 20;

// The lines of a file, gzipped or not, each with its line feed.
class LineSource {
 public:
  explicit LineSource(const std::string& path) : path_(path) {
    const int descriptor = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw InputError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
    file_ = gzdopen(descriptor, "rb");
    if (file_ == nullptr) {
      close(descriptor);
      throw InputError(path + ": cannot open: out of memory");
    }
    gzbuffer(file_, kChunkBytes);
  }
  ~LineSource() { gzclose(file_); }
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  // False at the end.
  bool Next(std::string& line) {
    line.clear();
    while (true) {
      if (at_ == chunk_.size() && !Fill()) return !line.empty();
      const size_t feed = chunk_.find('\n', at_);
      const size_t end = feed == std::string::npos ? chunk_.size() : feed + 1;
      line.append(chunk_, at_, end - at_);
      at_ = end;
      if (feed != std::string::npos) return true;
      if (line.size() > kMaxRowBytes)
        throw InputError(path_ + ": a line of more than 64 MiB; expected a CSV or TSV file");
    }
  }

 private:
  bool Fill() {
    chunk_.resize(kChunkBytes);
    at_ = 0;
    const int bytes = gzread(file_, chunk_.data(), kChunkBytes);
    int error = Z_OK;
    const char* message = gzerror(file_, &error);
    if (bytes < 0 || (bytes == 0 && error != Z_OK)) {
      chunk_.clear();
      if (error == Z_ERRNO) throw InputError(fmt::format("{}: cannot read: {}", path_, std::strerror(errno)));
      throw InputError(fmt::format("{}: damaged or truncated ({}); create the file again", path_, message));
    }
    chunk_.resize(static_cast<size_t>(bytes));
    return bytes > 0;
  }

  const std::string path_;
  gzFile file_ = nullptr;
  std::string chunk_;
  size_t at_ = 0;
};

char GuessSeparator(std::string_view line) {
  if (line.find('\t') != std::string_view::npos) return '\t';
  return std::ranges::count(line, ';') > std::ranges::count(line, ',') ? ';' : ',';
}

// The fields of a row without its line feed (RFC 4180; blanks around a field are removed). False if quotes are
// misplaced.
bool ParseFields(std::string_view row, char separator, std::vector<std::string>& fields) {
  namespace x3 = boost::spirit::x3;
  const auto add_quoted = [&](const auto& context) { fields.emplace_back(x3::_attr(context)); };
  const auto add_plain = [&](const auto& context) {
    const auto& range = x3::_attr(context);
    fields.push_back(boost::algorithm::trim_right_copy_if(std::string(range.begin(), range.end()),
                                                          boost::algorithm::is_any_of(" \t")));
  };
  const auto blanks = *(x3::char_(" \t") - separator);
  const auto inside = ~x3::char_('"') | ("\"\"" >> x3::attr('"'));
  const auto text = x3::rule<struct Text, std::string>{} = '"' >> *inside >> '"';
  const auto quoted = text[add_quoted] >> blanks;
  const auto plain = x3::raw[*(x3::char_ - separator - '"')][add_plain];
  auto at = row.begin();
  return x3::parse(at, row.end(), (x3::omit[blanks] >> (quoted | plain)) % separator) && at == row.end();
}

}  // namespace

class CsvReader::Impl {
 public:
  Impl(const std::string& path, const CsvFormat& format) : path_(path), source_(path), format_(format) { Start(); }

  bool Next(std::vector<std::string>& fields) {
    if (!pending_.empty()) {
      line_ = pending_line_;
      fields = std::exchange(pending_, {});
      return true;
    }
    if (!ParseRow(fields)) return false;
    if (fields.size() != names_.size()) {
      throw InputError(fmt::format("{}: line {}: {} fields, but {} in line {}; every row needs the same number", path_,
                                   line_, fields.size(), names_.size(), first_line_));
    }
    return true;
  }

  const std::string& path() const { return path_; }
  const std::vector<std::string>& names() const { return names_; }
  size_t line() const { return line_; }
  char separator() const { return separator_; }

 private:
  void Start() {
    std::vector<std::string> first;
    if (!ParseRow(first)) return;
    first_line_ = line_;
    if (format_.header) return TakeNames(std::move(first));
    for (size_t i = 1; i <= first.size(); ++i) names_.push_back(std::to_string(i));
    pending_ = std::move(first);
    pending_line_ = line_;
  }

  void TakeNames(std::vector<std::string> names) {
    const auto is_value = [&](const std::string& name) {
      double ignored = 0;
      return IsMissing(name, format_.values) || ParseNumber(name, format_.values.decimal, ignored);
    };
    if (std::ranges::all_of(names, is_value)) {
      throw InputError(fmt::format(
          "{}: line {} has values, but the names of the columns were expected; add a header, or give --no-header",
          path_, line_));
    }
    std::set<std::string> seen;
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i].empty()) names[i] = std::to_string(i + 1);
      if (!seen.insert(names[i]).second) {
        throw InputError(
            fmt::format("{}: line {}: two columns are called '{}'; rename one of them", path_, line_, names[i]));
      }
    }
    names_ = std::move(names);
  }

  // False at the end of the file.
  bool ParseRow(std::vector<std::string>& fields) {
    if (empty_rows_ == 0 && !has_line_ && !NextFilledLine()) return false;
    if (empty_rows_ > 0) {
      line_ = line_count_ - empty_rows_--;
      fields = {""};
      return true;
    }
    has_line_ = false;
    line_ = line_count_;
    std::string row = std::move(text_);
    // A row goes on to the next line where a quote is open.
    for (auto quotes = std::ranges::count(row, '"'); quotes % 2 != 0; quotes += std::ranges::count(text_, '"')) {
      if (row.size() > kMaxRowBytes) {
        throw InputError(
            fmt::format("{}: line {}: a row of more than 64 MiB; check for a quote that is not closed", path_, line_));
      }
      if (!NextLine()) Fail();
      row += text_;
    }
    boost::algorithm::trim_right_if(row, boost::algorithm::is_any_of("\r\n"));
    fields.clear();
    if (!ParseFields(row, separator_, fields)) Fail();
    return true;
  }

  // Reads the next line that is not empty into text_. Empty lines before it are rows where there is one column alone;
  // those at the end of the file are none.
  bool NextFilledLine() {
    size_t empty = 0;
    do {
      if (!NextLine()) return false;
    } while (IsBlank() && ++empty > 0);
    empty_rows_ = names_.size() == 1 ? empty : 0;
    has_line_ = true;
    return true;
  }

  // Reads the next line into text_.
  bool NextLine() {
    if (!source_.Next(text_)) return false;
    ++line_count_;
    if (line_count_ == 1) RefuseOtherFormats();
    if (text_.find('\0') != std::string::npos) {
      throw InputError(fmt::format("{}: line {}: not text; expected a CSV or TSV file", path_, line_count_));
    }
    if (line_count_ == 1) {
      if (text_.starts_with("\xEF\xBB\xBF")) text_.erase(0, 3);
      separator_ = format_.separator != 0 ? format_.separator : GuessSeparator(text_);
    }
    return true;
  }

  // Formats of tables that begin as no CSV file does.
  void RefuseOtherFormats() const {
    const auto refuse = [this](const char* format, const char* reader) {
      throw InputError(fmt::format(
          "{}: a {} file; expected CSV or TSV: convert it with python3 -c 'import pandas; pandas.{}.to_csv(\"{}.csv\", "
          "index=False)'",
          path_, format, fmt::format(fmt::runtime(reader), path_), path_));
    };
    const bool has_mark = text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF");
    if (has_mark || (text_.size() > 1 && (text_[0] == '\0') != (text_[1] == '\0'))) {
      throw InputError(
          fmt::format("{}: UTF-16, Excel's Unicode text; expected UTF-8: save it as \"CSV UTF-8\", or convert it with "
                      "iconv -f UTF-16 -t UTF-8 {} > FILE",
                      path_, path_));
    }
    if (text_.starts_with("PAR1")) refuse("Parquet", "read_parquet(\"{}\")");
    if (text_.starts_with("{\"")) refuse("JSON lines", "read_json(\"{}\", lines=True)");
    if (text_.starts_with("[{")) refuse("JSON", "read_json(\"{}\")");
  }

  bool IsBlank() const {
    return text_.find_first_not_of(separator_ == '\t' ? " \r\n" : " \t\r\n") == std::string::npos;
  }

  [[noreturn]] void Fail() const {
    throw InputError(fmt::format(
        "{}: line {}: misplaced quotes; quote the whole field, and double a quote inside it: \"say \"\"so\"\"\"", path_,
        line_));
  }

  const std::string path_;
  LineSource source_;
  const CsvFormat format_;
  std::vector<std::string> names_;
  size_t line_ = 0;
  char separator_ = ',';
  std::string text_;       // the line read last
  bool has_line_ = false;  // it is that of the next row, or of the row after empty_rows_
  size_t empty_rows_ = 0;
  std::vector<std::string> pending_;  // the first row of a file without a header
  size_t pending_line_ = 0, first_line_ = 0, line_count_ = 0;
};

CsvReader::CsvReader(const std::string& path, const CsvFormat& format) : impl_(std::make_unique<Impl>(path, format)) {}
CsvReader::~CsvReader() = default;
const std::string& CsvReader::path() const { return impl_->path(); }
const std::vector<std::string>& CsvReader::names() const { return impl_->names(); }
bool CsvReader::Next(std::vector<std::string>& fields) { return impl_->Next(fields); }
size_t CsvReader::line() const { return impl_->line(); }
char CsvReader::separator() const { return impl_->separator(); }

std::string CsvLine(const std::vector<std::string>& fields, char separator) {
  std::string line;
  const std::string special = std::string("\"\r\n \t") + separator;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += separator;
    if (fields[i].find_first_of(special) == std::string::npos) {
      line += fields[i];
      continue;
    }
    line += '"' + boost::algorithm::replace_all_copy(fields[i], "\"", "\"\"") + '"';
  }
  return line + '\n';
}

}  // namespace haplospin
