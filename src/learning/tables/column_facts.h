// Properties of a whole column of text, from which its type follows.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "learning/tables/values.h"

namespace haplospin {

// The fields of a column as they are in the file, one after the other in one string.
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

struct ColumnFacts {
  size_t values = 0;                         // fields that are not missing
  size_t numbers = 0;                        // values that are numbers or dates
  DateOrder date = DateOrder::kNone;         // the order of dates, if the values are dates
  bool is_order_sure = true;                 // false: the month of each date might be the day
  bool whole = true;                         // every number is whole
  std::set<std::string_view> distinct;       // values; of the text that was examined
  std::map<std::string_view, size_t> texts;  // values that are not numbers, and how often they occur

  // Returns whether all values are numbers, or all but so few that these stand for missing ones.
  bool IsNumeric() const;
  // Returns the same for a column that is said to be numeric.
  bool MayBeNumeric() const;
  bool AreMostlyNumbers() const;
  bool HasManyNumbers() const;  // so many different ones that they are no codes

  // The first few texts for a message: 'unknown' (12), 'n.d.' (1).
  std::string TextsForMessage() const;
};

// Returns how to write the values of a column of text that nearly all are numbers with marks (ParseMarkedNumber), as in
// "write '12 %' as 12"; empty for other columns.
std::string AdviceOnMarks(const ColumnFacts& facts, const ValueFormat& format);

// Returns whether nearly all values of a column of text are dates in a form that is not read: with a weekday, a quarter
// or a week, a year of two digits behind a month, or months of other languages.
bool LookLikeDates(const ColumnFacts& facts);

ColumnFacts Examine(const TextColumn& text, const ValueFormat& format);

// Parses a number, or a date where `date` is an order.
bool ParseValue(std::string_view field, const ValueFormat& format, DateOrder date, double& number);

// Fields by the decimal mark that they need.
struct DecimalMarkEvidence {
  size_t point = 0, comma = 0;  // 1.5 or 1,234,567 needs a point, 1,5 a comma
  std::string either;           // the first field that is a number with both: 5,983; empty: there is none

  // The mark that more fields need; if as many need each, a comma where the columns are separated by semicolons and
  // some may have one, else a point.
  char Mark(char separator) const;
};
DecimalMarkEvidence FindDecimalMarks(const std::vector<TextColumn>& columns);

// Returns whether a column numbers the rows of its file: its values are 0, 1, 2, ... or 1, 2, 3, ... in order, and it
// is named as such columns are: by its place alone, as a column without a name is, or as an identifier ("index", "row",
// "PassengerId").
bool NumbersRows(const std::string& name, const TextColumn& text);

}  // namespace haplospin
