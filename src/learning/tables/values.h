// Parsers of the fields of a table: missing values, numbers, dates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace haplospin {

struct ValueFormat {
  std::vector<std::string> missing;  // texts that are missing beside those of IsMissing(field); -99 is also -99.0
  char decimal = 0;                  // '.' or ','; the other one may separate thousands. 0: not known yet
};

// Missing values: an empty field, "?", ".", "-", and what pandas reads as missing ("NA", "N/A", "n/a", "#N/A", "NaN",
// "null", "NULL", "None", "<NA>", ...).
bool IsMissing(std::string_view field);
bool IsMissing(std::string_view field, const ValueFormat& format);

inline constexpr double kMaxNumber = 1e100;  // the largest number of either sign: sums of its squares are finite

// Parses a decimal number of at most kMaxNumber, whose minus may be that of typography (U+2212); false for anything
// else.
bool ParseNumber(std::string_view field, double& number);

// Parses a number with that decimal mark (0: a point) and maybe separated thousands: 1,234.5, or 1.234,5 with a comma.
bool ParseNumber(std::string_view field, char decimal, double& number);

// Parses what ParseNumber() does not take for a number, but people do: 12 % (as 12), $581, 12 kg, 1 234, 1'234, (12) as
// accountants write -12, or a number with the other decimal mark. `unit` receives what was before and behind the
// number: "%", "$", "kg".
bool ParseMarkedNumber(std::string_view field, char decimal, double& number, std::string& unit);

// Returns whether the field is a number that is not finite, or larger than kMaxNumber.
bool IsBeyondNumbers(std::string_view field);

// The order of the parts of a date, or a time without a date.
enum class DateOrder { kNone, kYearFirst, kMonthFirst, kDayFirst, kTimeOfDay };

// Parses a date into days since 1970-01-01: 2021-03-31, 2021/03/31 or 2021-03 (year first), 3/31/2021, 3/31/21 or
// Mar 31, 2021 (month first), or 31.3.2021, 31/3/2021, 31/3/21 or 31-Mar-2021 (day first), each also with a time,
// 2021-03-31 13:45:00, 2021-03-31T13:45:00Z or 1:45 PM. Years of two digits are those from 1969 to 2068, as in POSIX. A
// time of day, 13:45 or 1:45 PM, is a part of a day. False for anything else.
bool ParseDate(std::string_view field, DateOrder order, double& days);

// Parses a date that can be read in one order only: its year is first, its month is a name, or its parts are separated
// by points, as where the day is first.
bool ParseUnambiguousDate(std::string_view field, double& days);

// The time zone that ends a date with a time, as it is written: "Z" or "+02:00"; empty: it has none.
std::string_view DateZone(std::string_view field);

// 2021-03-31, and the time where there is one: 2021-03-31T13:45:00. With a zone of DateZone(), it is the time there,
// with the zone behind it.
std::string DateText(double days, std::string_view zone = {});

// The value of a column of dates, or of times of day: 13:45 or 13:45:10.
std::string DateText(double days, DateOrder order);

}  // namespace haplospin
