#include "learning/tables/table_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "haplospin/errors.h"
#include "learning/tables/column_facts.h"
#include "learning/tables/copied_rows.h"

namespace haplospin {
namespace {

constexpr size_t kMaxTargetClasses = 20;
constexpr size_t kRowsPerTargetClass = 10;
constexpr size_t kMinIdentifiers = 20;

// The first row with something other than a number.
size_t FirstText(const TextColumn& text, const ColumnFacts& facts) {
  size_t row = 0;
  while (!facts.texts.contains(text[row])) ++row;
  return row;
}

enum class Role { kInferred, kCategorical, kNumeric, kIgnored };

struct ColumnChoice {
  Role role = Role::kInferred;
  bool is_target = false;
  bool is_mark = false;  // says which rows are for what; no feature
};

class Choices {
 public:
  Choices(const TableChoices& choices, const CsvReader& reader) {
    Mark(choices.categorical, Role::kCategorical, "--categorical", reader);
    Mark(choices.numeric, Role::kNumeric, "--numeric", reader);
    Mark(choices.ignore, Role::kIgnored, "--ignore", reader);
    if (!choices.id.empty()) {
      Mark({choices.id}, Role::kIgnored, "--id", reader);
      id_field_ = std::ranges::find(reader.names(), choices.id) - reader.names().begin();
    }
    for (const std::string& name : choices.marks) choices_[name].is_mark = true;
    for (const std::string& name : choices.targets) {
      Check(name, "--target", reader);
      if (choices_[name].role == Role::kIgnored) {
        throw InputError(fmt::format("column '{}' is given as --target and as {}; give one of them", name,
                                     name == choices.id ? "--id" : "--ignore"));
      }
      if (std::exchange(choices_[name].is_target, true)) {
        throw InputError(fmt::format("column '{}' is given as --target twice; give it once", name));
      }
    }
  }

  ColumnChoice For(const std::string& name) const {
    const auto choice = choices_.find(name);
    return choice == choices_.end() ? ColumnChoice{} : choice->second;
  }

  std::ptrdiff_t id_field() const { return id_field_; }  // -1: none

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
  std::ptrdiff_t id_field_ = -1;
};

// Ascending, by value where all are numbers. `as_numbers`: 1 and 1.0 are one category, which is called 1.
std::vector<std::string> SortedCategories(const ColumnFacts& facts, const ValueFormat& format, bool as_numbers) {
  std::vector<std::string> categories(facts.distinct.begin(), facts.distinct.end());
  if (facts.numbers < facts.values) return categories;
  const auto number_of = [&](const std::string& text) {
    double number = 0;
    ParseValue(text, format, facts.date, number);
    return number;
  };
  std::ranges::stable_sort(categories, {}, number_of);
  if (as_numbers) {
    const auto copies = std::ranges::unique(categories, {}, number_of);
    categories.erase(copies.begin(), copies.end());
  }
  return categories;
}

void FillNumbers(const TextColumn& text, const ValueFormat& format, Column& column) {
  for (size_t row = 0; row < text.size(); ++row) {
    double number = std::numeric_limits<double>::quiet_NaN();
    if (!IsMissing(text[row], format)) ParseValue(text[row], format, column.date, number);
    column.numbers.push_back(number);
  }
}

void FillCodes(const TextColumn& text, const ValueFormat& format, Column& column) {
  const CategoryCodes codes(column.categories, format.decimal);
  for (size_t row = 0; row < text.size(); ++row) {
    column.codes.push_back(IsMissing(text[row], format) ? -1 : codes.Find(text[row]));
  }
}

class TableBuilder {
 public:
  TableBuilder(const std::string& path, std::vector<size_t> lines, const ValueFormat& format) {
    result_.table.path = path;
    result_.table.lines = std::move(lines);
    result_.table.format = format;
  }

  void Add(const std::string& name, const TextColumn& text, const ColumnChoice& choice) {
    if (choice.role == Role::kIgnored) return;
    const ColumnFacts facts = Examine(text, format());
    const bool may_drop = !choice.is_target && !choice.is_mark;
    if (may_drop && facts.values == 0) return Drop(name, "has no values");
    if (may_drop && facts.distinct.size() == 1 && facts.values == text.size()) return constant_.push_back(name);
    if (may_drop && choice.role == Role::kInferred && text.size() >= kMinIdentifiers && NumbersRows(name, text)) {
      return Drop(name, "only numbers the rows (--numeric keeps it, --id carries it to the predictions)");
    }
    const ColumnKind kind = ChooseKind(name, text, choice, facts);
    if (kind == ColumnKind::kCategorical && choice.role == Role::kInferred) NoteMarks(name, facts);
    if (kind == ColumnKind::kCategorical && choice.is_target) NoteMissingWords(name, text);
    if (may_drop && kind == ColumnKind::kCategorical && choice.role == Role::kInferred &&
        facts.values >= kMinIdentifiers && 2 * facts.distinct.size() > facts.values) {
      return Drop(name, fmt::format("is text with {} different values in {} rows (--categorical keeps it, --id carries "
                                    "it to the predictions)",
                                    facts.distinct.size(), facts.values));
    }
    Column column{.name = name, .kind = kind, .missing = text.size() - facts.values};
    if (kind == ColumnKind::kNumeric) {
      column.date = facts.date;
      TakeTexts(facts, column);
      FillNumbers(text, format(), column);
    } else {
      const bool as_numbers = choice.role == Role::kInferred && facts.date == DateOrder::kNone;
      column.categories = SortedCategories(facts, format(), as_numbers);
      FillCodes(text, format(), column);
    }
    result_.table.columns.push_back(std::move(column));
  }

  void Note(std::string note) {
    if (!note.empty()) result_.notes.push_back(std::move(note));
  }

  void SetIds(const std::string& name, const TextColumn& text) {
    result_.table.id = name;
    for (size_t row = 0; row < text.size(); ++row) result_.table.ids.emplace_back(text[row]);
  }

  TypedTable Finish() {
    if (!constant_.empty()) {
      result_.notes.push_back(fmt::format("the same value in every row of column{} {}: not used",
                                          constant_.size() > 1 ? "s" : "", fmt::join(constant_, ", ")));
    }
    return std::move(result_);
  }

 private:
  const ValueFormat& format() const { return result_.table.format; }

  void Drop(const std::string& name, const std::string& why) {
    result_.notes.push_back(fmt::format("column '{}' {}: not used", name, why));
  }

  // Says why a column that looks numeric is none.
  void NoteMarks(const std::string& name, const ColumnFacts& facts) {
    const std::string advice = AdviceOnMarks(facts, format());
    if (!advice.empty()) {
      result_.notes.push_back(fmt::format(
          "column '{}' is read as text, but its values look like numbers: {} (--categorical keeps the text)", name,
          advice));
    } else if (LookLikeDates(facts)) {
      result_.notes.push_back(fmt::format(
          "column '{}' is read as text, but its values look like dates: write '{}' and the others as year-month-day "
          "(2021-04-30; --categorical keeps the text)",
          name, *facts.distinct.begin()));
    } else if (!facts.IsNumeric() && facts.AreMostlyNumbers() && facts.HasManyNumbers()) {
      result_.notes.push_back(fmt::format(
          "column '{}' is read as text, because {} of its {} values are not numbers: {}; leave them empty if they are "
          "missing, or give --missing (--categorical keeps the text)",
          name, facts.values - facts.numbers, facts.values, facts.TextsForMessage()));
    }
  }

  // A class may be called None.
  void NoteMissingWords(const std::string& name, const TextColumn& text) {
    std::map<std::string_view, size_t> words;
    for (size_t row = 0; row < text.size(); ++row) {
      if (IsMissing(text[row]) &&
          std::ranges::any_of(text[row], [](unsigned char c) { return std::isalpha(c) != 0; })) {
        ++words[text[row]];
      }
    }
    for (const auto& [word, rows] : words) {
      result_.notes.push_back(
          fmt::format("column '{}': '{}' is a missing value, so that {} row{} {} not used; if it is a class, write it "
                      "in another way",
                      name, word, rows, rows == 1 ? "" : "s", rows == 1 ? "is" : "are"));
    }
  }

  // Reads text in a numeric column as missing, with a note.
  void TakeTexts(const ColumnFacts& facts, Column& column) {
    if (!facts.is_order_sure) {
      result_.notes.push_back(fmt::format(
          "column '{}': dates are read as month/day/year; write them as year-month-day if they are not", column.name));
    }
    if (facts.texts.empty()) return;
    for (const auto& [token, count] : facts.texts) column.tokens.emplace_back(token);
    column.missing += facts.values - facts.numbers;
    const bool are_infinite = std::ranges::all_of(facts.texts, IsBeyondNumbers, [](const auto& t) { return t.first; });
    const std::string advice = AdviceOnMarks(facts, format());
    result_.notes.push_back(fmt::format("column '{}' is numeric but for {}: read as missing{}{}", column.name,
                                        facts.TextsForMessage(),
                                        are_infinite ? ", as no finite numbers" : " (--categorical keeps them)",
                                        advice.empty() ? "" : "; if they are numbers, " + advice));
  }

  ColumnKind ChooseKind(const std::string& name, const TextColumn& text, const ColumnChoice& choice,
                        const ColumnFacts& facts) const {
    if (choice.role == Role::kCategorical) return ColumnKind::kCategorical;
    if (choice.role == Role::kNumeric) {
      if (!facts.MayBeNumeric()) FailOnText(name, text, facts);
      return ColumnKind::kNumeric;
    }
    if (!facts.IsNumeric()) return ColumnKind::kCategorical;
    const size_t distinct = facts.distinct.size();
    const bool few = distinct <= 2 || (distinct <= kMaxTargetClasses && distinct * kRowsPerTargetClass <= facts.values);
    return choice.is_target && facts.whole && few ? ColumnKind::kCategorical : ColumnKind::kNumeric;
  }

  [[noreturn]] void FailOnText(const std::string& name, const TextColumn& text, const ColumnFacts& facts) const {
    const size_t row = FirstText(text, facts);
    if (IsBeyondNumbers(text[row])) {
      throw InputError(
          fmt::format("{}: line {}: column '{}' of --numeric has '{}', which is not a finite number; correct "
                      "it, or leave it empty",
                      result_.table.path, result_.table.lines[row], name, text[row]));
    }
    throw InputError(
        fmt::format("{}: line {}: column '{}' of --numeric has '{}', which is not a number; correct it, or "
                    "give it as --categorical",
                    result_.table.path, result_.table.lines[row], name, text[row]));
  }

  TypedTable result_;
  std::vector<std::string> constant_;
};

std::ptrdiff_t FindName(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? -1 : found - names.begin();
}

// What a file separated by semicolons, as where commas are decimal marks, means by 5,983, and what others do.
std::string NoteOnMarks(const DecimalMarkEvidence& evidence, char decimal) {
  if (evidence.either.empty() || evidence.point + evidence.comma > 0) return "";
  return fmt::format("numbers such as {} are read {}, because the fields are {}; if they are not, give --decimal {}",
                     evidence.either, decimal == ',' ? "with decimal commas" : "as thousands",
                     decimal == ',' ? "separated by semicolons" : "not separated by semicolons",
                     decimal == ',' ? "point" : "comma");
}

// Counts each row once that is in the table several times: where its copy is known, its error tells nothing.
void DropCopies(TypedTable& typed) {
  const std::vector<size_t> rows = RowsWithoutCopies(typed.table);
  const size_t copies = typed.table.rows() - rows.size();
  if (copies == 0) return;
  typed.notes.push_back(
      fmt::format("{} of {} rows are copies of others, equal in every column: not used", copies, typed.table.rows()));
  typed.table = SelectRows(typed.table, rows);
}

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
  ValueFormat values = format.values;
  std::string note;
  if (values.decimal == 0) {
    const DecimalMarkEvidence evidence = FindDecimalMarks(texts);
    values.decimal = evidence.Mark(reader.separator());
    note = NoteOnMarks(evidence, values.decimal);
  }
  TableBuilder builder(path, std::move(lines), values);
  builder.Note(std::move(note));
  if (roles.id_field() >= 0) builder.SetIds(choices.id, texts[static_cast<size_t>(roles.id_field())]);
  for (size_t i = 0; i < texts.size(); ++i) {
    builder.Add(reader.names()[i], texts[i], roles.For(reader.names()[i]));
    texts[i] = {};
  }
  TypedTable typed = builder.Finish();
  DropCopies(typed);
  return typed;
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
      const bool dates = column.date != DateOrder::kNone;
      const auto text = [&](double value) { return dates ? DateText(value, column.date) : fmt::format("{:g}", value); };
      line += !dates ? "numeric" : column.date == DateOrder::kTimeOfDay ? "time of day" : "date";
      if (low <= high) line += fmt::format(", {} to {}", text(low), text(high));
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

TableStream::TableStream(const std::string& path, const CsvFormat& format, std::vector<ColumnSchema> schema,
                         std::string id)
    : reader_(path, format),
      values_(format.values),
      id_(std::move(id)),
      schema_(std::move(schema)),
      unknown_(schema_.size()),
      infinite_(schema_.size()) {
  if (reader_.names().empty()) throw InputError(path + ": empty; expected a table with a header");
  std::vector<std::string> wanted;
  if (!id_.empty()) id_field_ = FindName(reader_.names(), id_);
  for (const ColumnSchema& column : schema_) {
    codes_.emplace_back(column.categories, values_.decimal);
    column_fields_.push_back(FindName(reader_.names(), column.name));
    if (column_fields_.back() < 0 && column.required) wanted.push_back(column.name);
  }
  if (!wanted.empty()) {
    throw InputError(fmt::format("{}: required columns are missing: {}", path, fmt::join(wanted, ", ")));
  }
  for (size_t i = 0; i < reader_.names().size(); ++i) {
    const auto field = static_cast<std::ptrdiff_t>(i);
    if (field != id_field_ && std::ranges::find(column_fields_, field) == column_fields_.end()) {
      ignored_.push_back(reader_.names()[i]);
    }
  }
}

Table TableStream::Next(size_t max_rows) {
  Table table{.path = reader_.path(), .id = has_ids() ? id_ : "", .format = values_};
  for (const ColumnSchema& column : schema_) {
    table.columns.push_back({.name = column.name,
                             .kind = column.kind,
                             .categories = column.categories,
                             .date = column.date,
                             .tokens = column.tokens});
  }
  std::vector<std::string> fields;
  while (table.rows() < max_rows && reader_.Next(fields)) {
    table.lines.push_back(reader_.line());
    if (has_ids()) table.ids.push_back(fields[static_cast<size_t>(id_field_)]);
    for (size_t i = 0; i < schema_.size(); ++i) {
      const std::ptrdiff_t field = column_fields_[i];
      Append(field < 0 ? "" : fields[static_cast<size_t>(field)], i, table.columns[i]);
    }
  }
  return table;
}

void TableStream::Append(const std::string& field, size_t i, Column& column) {
  const bool missing = IsMissing(field, values_) || std::ranges::find(column.tokens, field) != column.tokens.end();
  if (column.IsNumeric()) {
    column.numbers.push_back(missing ? std::numeric_limits<double>::quiet_NaN() : NumberOf(field, i));
    column.missing += std::isnan(column.numbers.back()) ? 1 : 0;
  } else {
    column.codes.push_back(missing ? -1 : codes_[i].Find(field));
    column.missing += column.codes.back() < 0 ? 1 : 0;
    unknown_[i] += !missing && column.codes.back() < 0 ? 1 : 0;
  }
}

double TableStream::NumberOf(const std::string& field, size_t i) {
  double number = 0;
  if (ParseValue(field, values_, schema_[i].date, number)) return number;
  const bool is_date = schema_[i].date != DateOrder::kNone;
  if (!is_date && IsBeyondNumbers(field)) {
    ++infinite_[i];
    return std::numeric_limits<double>::quiet_NaN();
  }
  throw InputError(fmt::format("{}: line {}: column '{}': expected a {}, but found '{}'; correct it, or leave it empty",
                               reader_.path(), reader_.line(), schema_[i].name,
                               is_date ? "date as in the training table" : "number", field));
}

}  // namespace haplospin
