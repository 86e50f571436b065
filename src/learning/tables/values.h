// Parsers of the fields of a table: missing values, numbers, dates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace haplospin {

struct ValueFormat {
  std::vector<std::string> missing;  // texts that are missing beside those of IsMissing(field)
  char decimal = 0;                  // '.' or ','; the other one may separate thousands. 0: not known yet
};

// Missing values: an empty field, "?", ".", "-", and what pandas reads as missing ("NA", "N/A", "n/a", "#N/A", "NaN",
// "null", "NULL", "None", "<NA>", ...).
bool IsMissing(std::string_view field);
bool IsMissing(std::string_view field, const ValueFormat& format);

inline constexpr double kMaxNumber = 1e100;  // the largest number of either sign: sums of its squares are finite

// Parses a decimal number of at most kMaxNumber; false for anything else.
bool ParseNumber(std::string_view field, double& number);

// The same with that decimal mark (0: a point), and with separated thousands: 1,234.5, or 1.234,5 with a comma.
bool ParseNumber(std::string_view field, char decimal, double& number);

// Parses what ParseNumber() does not take for a number, but people do: 12 % (as 12), $581, 12 kg, 1 234, or a number
// with the other decimal mark. `unit` receives what was before and behind the number: "%", "$", "kg".
bool ParseMarkedNumber(std::string_view field, char decimal, double& number, std::string& unit);

// Returns whether the field is a number that is not finite, or larger than kMaxNumber.
bool IsBeyondNumbers(std::string_view field);

// The order of the parts of a date.
enum class DateOrder { kNone, kYearFirst, kMonthFirst, kDayFirst };

// Parses a date into days since 1970-01-01: 2021-03-31, 2021/03/31 or 2021-03 (year first), 3/31/2021 (month first), or
// 31.3.2021 and 31/3/2021 (day first), each also with a time, 2021-03-31 13:45:00 or 2021-03-31T13:45:00Z. False for
// anything else.
bool ParseDate(std::string_view field, DateOrder order, double& days);

// 2021-03-31, and the time where there is one: 2021-03-31T13:45:00.
std::string DateText(double days);

}  // namespace haplospin
