#include "tables/table_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kMaxTargetClasses = 20;
constexpr size_t kRowsPerTargetClass = 10;
constexpr size_t kMinIdentifiers = 20;

// The fields of a column, unparsed, one after the other.
class TextColumn {
 public:
  void Add(std::string_view field) {
    bytes_ += field;
    ends_.push_back(bytes_.size());
  }
  std::string_view operator[](size_t row) const {
    const size_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::string_view(bytes_).substr(begin, ends_[row] - begin);
  }
  size_t size() const { return ends_.size(); }

 private:
  std::string bytes_;
  std::vector<size_t> ends_;
};

// Statistics of the values of a column.
struct ColumnFacts {
  size_t values = 0;   // not missing
  size_t numbers = 0;  // of those
  bool whole = true;   // all numbers are whole
  std::set<std::string_view> distinct;
};

ColumnFacts Examine(const TextColumn& text) {
  ColumnFacts facts;
  for (size_t row = 0; row < text.size(); ++row) {
    const std::string_view field = text[row];
    if (IsMissing(field)) continue;
    ++facts.values;
    facts.distinct.insert(field);
    double number = 0;
    if (ParseNumber(field, number)) {
      ++facts.numbers;
      facts.whole = facts.whole && number == std::floor(number);
    }
  }
  return facts;
}

// The first row with something other than a number.
size_t FirstText(const TextColumn& text) {
  double ignored = 0;
  for (size_t row = 0; row < text.size(); ++row) {
    if (!IsMissing(text[row]) && !ParseNumber(text[row], ignored)) return row;
  }
  return text.size();
}

enum class Role { kInferred, kCategorical, kNumeric, kIgnored };

struct ColumnChoice {
  Role role = Role::kInferred;
  bool is_target = false;
};

class Choices {
 public:
  Choices(const TableChoices& choices, const CsvReader& reader) {
    Mark(choices.categorical, Role::kCategorical, "--categorical", reader);
    Mark(choices.numeric, Role::kNumeric, "--numeric", reader);
    Mark(choices.ignore, Role::kIgnored, "--ignore", reader);
    for (const std::string& name : choices.targets) {
      Check(name, "--target", reader);
      if (choices_[name].role == Role::kIgnored) {
        throw InputError(fmt::format("column '{}' is given as --target and as --ignore; give one of them", name));
      }
      choices_[name].is_target = true;
    }
  }

  ColumnChoice For(const std::string& name) const {
    const auto choice = choices_.find(name);
    return choice == choices_.end() ? ColumnChoice{} : choice->second;
  }

 private:
  static void Check(const std::string& name, const char* option, const CsvReader& reader) {
    if (std::ranges::find(reader.names(), name) != reader.names().end()) return;
    throw InputError(fmt::format("{}: no column '{}' for {}; the columns are {}", reader.path(), name, option,
                                 fmt::join(reader.names(), ", ")));
  }

  void Mark(const std::vector<std::string>& names, Role role, const char* option, const CsvReader& reader) {
    for (const std::string& name : names) {
      Check(name, option, reader);
      Role& present = choices_[name].role;
      if (present != Role::kInferred && present != role) {
        throw InputError(
            fmt::format("column '{}' is given to {} and to another option for column types", name, option));
      }
      present = role;
    }
  }

  std::map<std::string, ColumnChoice> choices_;
};

// Ascending, by value where all are numbers.
std::vector<std::string> SortedCategories(const ColumnFacts& facts) {
  std::vector<std::string> categories(facts.distinct.begin(), facts.distinct.end());
  if (facts.numbers < facts.values) return categories;
  std::ranges::stable_sort(categories, {}, [](const std::string& text) {
    double number = 0;
    ParseNumber(text, number);
    return number;
  });
  return categories;
}

void FillNumbers(const TextColumn& text, Column& column) {
  for (size_t row = 0; row < text.size(); ++row) {
    double number = std::numeric_limits<double>::quiet_NaN();
    if (!IsMissing(text[row])) ParseNumber(text[row], number);
    column.numbers.push_back(number);
  }
}

void FillCodes(const TextColumn& text, Column& column) {
  std::unordered_map<std::string_view, int32_t> code_of;
  for (size_t i = 0; i < column.categories.size(); ++i) {
    code_of.emplace(column.categories[i], static_cast<int32_t>(i));
  }
  for (size_t row = 0; row < text.size(); ++row) {
    column.codes.push_back(IsMissing(text[row]) ? -1 : code_of.at(text[row]));
  }
}

class TableBuilder {
 public:
  TableBuilder(const std::string& path, std::vector<size_t> lines) {
    result_.table.path = path;
    result_.table.lines = std::move(lines);
  }

  void Add(const std::string& name, const TextColumn& text, const ColumnChoice& choice) {
    if (choice.role == Role::kIgnored) return;
    const ColumnFacts facts = Examine(text);
    if (facts.values == 0 && !choice.is_target) return Drop(name, "has no values");
    const ColumnKind kind = KindOf(name, text, choice, facts);
    if (kind == ColumnKind::kCategorical && choice.role == Role::kInferred && !choice.is_target &&
        facts.values >= kMinIdentifiers && 2 * facts.distinct.size() > facts.values) {
      return Drop(name, fmt::format("is text with {} different values in {} rows (--categorical keeps it)",
                                    facts.distinct.size(), facts.values));
    }
    Column column{.name = name, .kind = kind, .missing = text.size() - facts.values};
    if (kind == ColumnKind::kNumeric) {
      FillNumbers(text, column);
    } else {
      column.categories = SortedCategories(facts);
      FillCodes(text, column);
    }
    result_.table.columns.push_back(std::move(column));
  }

  TypedTable Finish() { return std::move(result_); }

 private:
  void Drop(const std::string& name, const std::string& why) {
    result_.notes.push_back(fmt::format("column '{}' {}: not used", name, why));
  }

  ColumnKind KindOf(const std::string& name, const TextColumn& text, const ColumnChoice& choice,
                    const ColumnFacts& facts) const {
    if (choice.role == Role::kCategorical) return ColumnKind::kCategorical;
    const bool all_numbers = facts.numbers == facts.values;
    if (choice.role == Role::kNumeric) {
      if (!all_numbers) FailOnText(name, text, "give it as --categorical");
      return ColumnKind::kNumeric;
    }
    if (!all_numbers) {
      if (facts.values >= 20 && 20 * facts.numbers >= 19 * facts.values) {
        FailOnText(name, text, fmt::format("give --categorical {}", name));
      }
      return ColumnKind::kCategorical;
    }
    const size_t distinct = facts.distinct.size();
    const bool few = distinct <= 2 || (distinct <= kMaxTargetClasses && distinct * kRowsPerTargetClass <= facts.values);
    return choice.is_target && facts.whole && few ? ColumnKind::kCategorical : ColumnKind::kNumeric;
  }

  [[noreturn]] void FailOnText(const std::string& name, const TextColumn& text, const std::string& otherwise) const {
    const size_t row = FirstText(text);
    throw InputError(fmt::format("{}: line {}: column '{}' has numbers, but '{}' here; correct it, or {}",
                                 result_.table.path, result_.table.lines[row], name, text[row], otherwise));
  }

  TypedTable result_;
};

}  // namespace

TypedTable ReadTable(const std::string& path, const CsvFormat& format, const TableChoices& choices) {
  CsvReader reader(path, format);
  if (reader.names().empty()) throw InputError(path + ": empty; expected a table with a header and rows");
  const Choices roles(choices, reader);
  std::vector<TextColumn> texts(reader.names().size());
  std::vector<size_t> lines;
  for (std::vector<std::string> fields; reader.Next(fields);) {
    lines.push_back(reader.line());
    for (size_t i = 0; i < fields.size(); ++i) texts[i].Add(fields[i]);
  }
  if (lines.empty()) throw InputError(path + ": has a header but no rows");
  TableBuilder builder(path, std::move(lines));
  for (size_t i = 0; i < texts.size(); ++i) {
    builder.Add(reader.names()[i], texts[i], roles.For(reader.names()[i]));
    texts[i] = {};
  }
  return builder.Finish();
}

std::vector<std::string> DescribeColumns(const Table& table) {
  std::vector<std::string> lines;
  for (const Column& column : table.columns) {
    std::string line = column.name + ": ";
    if (column.IsNumeric()) {
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (const double number : column.numbers) {
        if (std::isnan(number)) continue;
        low = std::min(low, number);
        high = std::max(high, number);
      }
      line += low > high ? "numeric" : fmt::format("numeric, {:g} to {:g}", low, high);
    } else {
      const size_t shown = std::min<size_t>(column.categories.size(), 5);
      line +=
          fmt::format("categorical, {} {} ({}{})", column.categories.size(),
                      column.categories.size() == 1 ? "category" : "categories",
                      fmt::join(column.categories.begin(), column.categories.begin() + static_cast<long>(shown), ", "),
                      shown < column.categories.size() ? ", ..." : "");
    }
    if (column.missing > 0) line += fmt::format(", {} missing", column.missing);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace haplospin
