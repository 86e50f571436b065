#include "learning/tables/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <cctype>
#include <chrono>
#include <cmath>
#include <ctime>
#include <optional>
#include <span>

#include "core/parse_number.h"

namespace haplospin {
namespace {

constexpr double kSecondsPerDay = 86400;

constexpr std::string_view kMinusSign = "\u2212";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The text of a negative number with the minus of programs in the place of kMinusSign.
std::string WithHyphen(std::string_view field) { return fmt::format("-{}", field.substr(kMinusSign.size())); }

// The text without separators of thousands and with a decimal point; nothing where the separators are misplaced: every
// group but the first has three digits, and the first is not 0.
std::optional<std::string> PlainNumber(std::string_view field, char decimal) {
  const char thousands = decimal == ',' ? '.' : ',';
  const size_t point = field.find(decimal);
  const std::string_view whole = field.substr(0, point);
  std::string plain;
  const size_t first_separator = whole.find(thousands);
  if (first_separator == std::string_view::npos) {
    plain = whole;
  } else {
    const size_t sign = !whole.empty() && (whole[0] == '-' || whole[0] == '+') ? 1 : 0;
    const size_t first = first_separator - sign;
    if (first_separator <= sign || first > 3 || whole[sign] == '0' || (whole.size() - first_separator) % 4 != 0)
      return {};
    for (size_t i = 0; i < whole.size(); ++i) {
      const bool separates = i >= first_separator && (i - first_separator) % 4 == 0;
      if (i >= sign && (separates ? whole[i] != thousands : !IsDigit(whole[i]))) return {};
      if (!separates) plain += whole[i];
    }
  }
  if (point != std::string_view::npos) plain += fmt::format(".{}", field.substr(point + 1));
  return plain;
}

// The length of the currency sign that a text begins with.
size_t CurrencyLength(std::string_view text) {
  for (const std::string_view sign : {"$", "€", "£", "¥"}) {
    if (text.starts_with(sign)) return sign.size();
  }
  return 0;
}

constexpr size_t kMaxUnit = 6;  // bytes

// The length of the unit that a text ends with: letters, a percent sign, m/s, m², °C, €.
size_t UnitLength(std::string_view text) {
  size_t length = 0;
  while (length < text.size()) {
    const char c = text[text.size() - 1 - length];
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
    if (!is_letter && c != '%' && c != '/' && c != '$') break;
    ++length;
  }
  return length <= kMaxUnit ? length : 0;
}

// The text without the unit that is before or behind it, which `unit` receives, and with a space for each separator of
// thousands that is neither point nor comma.
std::string WithoutUnit(std::string_view field, std::string& unit) {
  std::string text(field);
  // The two no-break spaces, and the apostrophes of Switzerland.
  for (const std::string_view separator : {"\u00a0", "\u202f", "'", "\u2019"}) {
    boost::algorithm::replace_all(text, separator, " ");
  }
  const size_t sign = text.starts_with('-') ? 1 : 0;
  const size_t currency = CurrencyLength(std::string_view(text).substr(sign));
  unit = text.substr(sign, currency);
  text.erase(sign, currency);
  const size_t length = UnitLength(text);
  unit += text.substr(text.size() - length);
  text.erase(text.size() - length);
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// Reads from the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool AtEnd() const { return text_.empty(); }
  bool Take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  // The character, if it is one of them; else 0.
  char TakeAny(std::string_view characters) {
    if (text_.empty() || characters.find(text_[0]) == std::string_view::npos) return 0;
    const char c = text_[0];
    text_.remove_prefix(1);
    return c;
  }
  // A number of `min_digits` to `max_digits` digits.
  bool TakeDigits(size_t min_digits, size_t max_digits, int& value) {
    size_t digits = 0;
    value = 0;
    while (digits < text_.size() && digits < max_digits && IsDigit(text_[digits]))
      value = 10 * value + (text_[digits++] - '0');
    text_.remove_prefix(digits);
    return digits >= min_digits;
  }

 private:
  std::string_view text_;
};

// The formats of strptime() for an order, those with a year of four digits before those with two.
std::span<const char* const> DateFormats(DateOrder order) {
  static constexpr std::array kYearFirst = {"%Y-%m-%d", "%Y/%m/%d", "%Y-%b-%d", "%Y-%m", "%Y/%m"};
  static constexpr std::array kMonthFirst = {"%m/%d/%Y", "%m-%d-%Y", "%b %d, %Y", "%b %d %Y", "%b-%d-%Y",
                                             "%b %Y",    "%b-%Y",    "%m/%d/%y",  "%b %d, %y"};
  static constexpr std::array kDayFirst = {"%d.%m.%Y",  "%d/%m/%Y", "%d-%m-%Y", "%d %b %Y", "%d-%b-%Y", "%d/%b/%Y",
                                           "%d. %b %Y", "%d/%m/%y", "%d.%m.%y", "%d %b %y", "%d-%b-%y"};
  if (order == DateOrder::kYearFirst) return kYearFirst;
  if (order == DateOrder::kMonthFirst) return kMonthFirst;
  if (order == DateOrder::kDayFirst) return kDayFirst;
  return {};
}

// The length of the date in a format that a text begins with, whose days it returns; 0: it begins with none.
size_t DateLength(const std::string& text, const char* format, double& days) {
  std::tm parts{};
  parts.tm_mday = 1;
  const char* end = strptime(text.c_str(), format, &parts);
  if (end == nullptr) return 0;
  const auto length = static_cast<size_t>(end - text.c_str());
  // A year has two or four digits; 1.2.10 is rather a version than a date.
  const std::string_view form(format);
  const bool has_year = form.ends_with("%y") ? IsDigit(text[length - 2]) : parts.tm_year + 1900 >= 1000;
  if (!has_year || (form == "%d.%m.%y" && length != 8)) return 0;
  const std::chrono::year_month_day day{std::chrono::year{parts.tm_year + 1900},
                                        std::chrono::month{static_cast<unsigned>(parts.tm_mon + 1)},
                                        std::chrono::day{static_cast<unsigned>(parts.tm_mday)}};
  if (!day.ok()) return 0;
  days = static_cast<double>(std::chrono::sys_days{day}.time_since_epoch().count());
  return length;
}

// Minutes east of Greenwich, after Z, +01:00, +0100 or +01.
bool TakeZone(Scanner& scanner, int& minutes) {
  minutes = 0;
  if (scanner.Take('Z')) return true;
  const char sign = scanner.TakeAny("+-");
  int hours = 0, rest = 0;
  if (sign == 0 || !scanner.TakeDigits(2, 2, hours)) return false;
  if ((scanner.Take(':') || !scanner.AtEnd()) && !scanner.TakeDigits(2, 2, rest)) return false;
  minutes = (sign == '+' ? 1 : -1) * (60 * hours + rest);
  return true;
}

// 13:45, 13:45:00, 13:45:00.5, each with Z or +01:00 behind it, or 1:45 PM.
bool TakeTime(Scanner& scanner, double& seconds) {
  int hours = 0, minutes = 0, whole = 0, fraction = 0, zone = 0;
  if (!scanner.TakeDigits(1, 2, hours) || !scanner.Take(':') || !scanner.TakeDigits(2, 2, minutes)) return false;
  if (scanner.Take(':')) {
    if (!scanner.TakeDigits(2, 2, whole)) return false;
    if (scanner.Take('.') && !scanner.TakeDigits(1, 9, fraction)) return false;  // less than a second is not kept
  }
  if (hours > 24 || minutes > 59 || whole > 60) return false;
  scanner.Take(' ');
  if (const char half = scanner.TakeAny("AaPp"); half != 0) {
    if (scanner.TakeAny("Mm") == 0 || hours < 1 || hours > 12) return false;
    hours = hours % 12 + (half == 'P' || half == 'p' ? 12 : 0);
  }
  if (!scanner.AtEnd() && !TakeZone(scanner, zone)) return false;
  seconds = 3600.0 * hours + 60.0 * (minutes - zone) + whole;
  return scanner.AtEnd();
}

std::string TimeText(int seconds, bool has_seconds) {
  const std::string text = fmt::format("{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
  return has_seconds ? fmt::format("{}:{:02}", text, seconds % 60) : text;
}

}  // namespace

bool IsMissing(std::string_view field) {
  constexpr std::array<std::string_view, 20> kMissing = {"",     "?",    ".",        "-",    "NA",     "N/A",    "n/a",
                                                         "#N/A", "#NA",  "#N/A N/A", "<NA>", "NaN",    "nan",    "-NaN",
                                                         "-nan", "null", "NULL",     "None", "1.#IND", "1.#QNAN"};
  return std::ranges::find(kMissing, field) != kMissing.end();
}

bool IsMissing(std::string_view field, const ValueFormat& format) {
  if (IsMissing(field)) return true;
  const auto is_token = [&](const std::string& token) {
    double expected = 0, number = 0;
    return token == field || (ParseNumber(token, format.decimal, expected) &&
                              ParseNumber(field, format.decimal, number) && number == expected);
  };
  return std::ranges::any_of(format.missing, is_token);
}

bool ParseNumber(std::string_view field, double& number) {
  if (field.starts_with(kMinusSign)) return ParseNumber(WithHyphen(field), number);
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  const auto parsed = ParseNumber<double>(field);
  if (!parsed || !(std::abs(*parsed) <= kMaxNumber)) return false;  // NaN neither
  number = *parsed;
  return true;
}

bool ParseNumber(std::string_view field, char decimal, double& number) {
  if (field.starts_with(kMinusSign)) return ParseNumber(WithHyphen(field), decimal, number);
  if (field.find(',') == std::string_view::npos && (decimal != ',' || field.find('.') == std::string_view::npos)) {
    return ParseNumber(field, number);
  }
  const std::optional<std::string> plain = PlainNumber(field, decimal == ',' ? ',' : '.');
  return plain && ParseNumber(*plain, number);
}

bool ParseMarkedNumber(std::string_view field, char decimal, double& number, std::string& unit) {
  if (field.starts_with('(') && field.ends_with(')')) {
    if (!ParseMarkedNumber(field.substr(1, field.size() - 2), decimal, number, unit)) return false;
    number = -number;
    return true;
  }
  const std::string text = WithoutUnit(field, unit);
  const auto parse = [&](char mark) {
    std::string with_separators = text;
    std::ranges::replace(with_separators, ' ', mark == ',' ? '.' : ',');
    return ParseNumber(with_separators, mark, number);
  };
  return parse(decimal == ',' ? ',' : '.') || parse(decimal == ',' ? '.' : ',');
}

bool IsBeyondNumbers(std::string_view field) {
  if (field.starts_with('+')) field.remove_prefix(1);
  const auto parsed = ParseNumber<double>(field);
  return parsed && std::abs(*parsed) > kMaxNumber;
}

bool ParseDate(std::string_view field, DateOrder order, double& days) {
  constexpr size_t kMaxLength = 48;
  const bool has_parts = field.find_first_of("-/. :") != std::string_view::npos;
  if (order == DateOrder::kNone || field.size() > kMaxLength || !has_parts) return false;
  double seconds = 0;
  if (order == DateOrder::kTimeOfDay) {
    Scanner time(field);
    if (!TakeTime(time, seconds) || !DateZone(field).empty()) return false;
    days = seconds / kSecondsPerDay;
    return true;
  }
  const std::string text(field);
  for (const char* format : DateFormats(order)) {
    const size_t length = DateLength(text, format, days);
    if (length == 0) continue;
    Scanner rest(field.substr(length));
    if (!rest.AtEnd() && (rest.TakeAny("T ") == 0 || !TakeTime(rest, seconds))) continue;
    days += seconds / kSecondsPerDay;
    return true;
  }
  return false;
}

bool ParseUnambiguousDate(std::string_view field, double& days) {
  const bool has_name = std::ranges::count_if(field, [](unsigned char c) { return std::isalpha(c) != 0; }) >= 3;
  const bool has_points = field.find('.') != std::string_view::npos;
  return ParseDate(field, DateOrder::kYearFirst, days) ||
         (has_name && ParseDate(field, DateOrder::kMonthFirst, days)) ||
         ((has_name || has_points) && ParseDate(field, DateOrder::kDayFirst, days));
}

std::string_view DateZone(std::string_view field) {
  const size_t time = field.find(':');
  if (time == std::string_view::npos) return {};
  const size_t zone = field.find_first_of("Z+-", time);
  return zone == std::string_view::npos ? std::string_view() : field.substr(zone);
}

std::string DateText(double days, std::string_view zone) {
  int minutes = 0;
  Scanner scanner(zone);
  if (!zone.empty()) TakeZone(scanner, minutes);
  const double seconds = std::round(days * kSecondsPerDay) + 60.0 * minutes;
  const double whole = std::floor(seconds / kSecondsPerDay);
  if (!(std::abs(whole) < 1e7)) return fmt::format("{:g}", days);  // beyond the years of the calendar
  const std::chrono::year_month_day day{std::chrono::sys_days{std::chrono::days{static_cast<int>(whole)}}};
  const std::string text = fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                                       static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
  const auto rest = static_cast<int>(seconds - whole * kSecondsPerDay);
  return rest == 0 && zone.empty() ? text : fmt::format("{}T{}{}", text, TimeText(rest, true), zone);
}

std::string DateText(double days, DateOrder order) {
  if (order != DateOrder::kTimeOfDay) return DateText(days);
  const auto seconds = static_cast<int>(std::round(std::clamp(days, 0.0, 1.0) * kSecondsPerDay));
  return TimeText(seconds, seconds % 60 != 0);
}

}  // namespace haplospin
