#include "learning/tables/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>

#include "core/parse_number.h"

namespace haplospin {
namespace {

constexpr double kSecondsPerDay = 86400;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

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

// The text without the unit that is before or behind it, which `unit` receives, and with spaces as one character each.
std::string WithoutUnit(std::string_view field, std::string& unit) {
  std::string text(field);
  for (const std::string_view space : {"\u00a0", "\u202f"}) {  // the two no-break spaces
    for (size_t at = text.find(space); at != std::string::npos; at = text.find(space))
      text.replace(at, space.size(), " ");
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

// 2021-03-31, 2021/03/31, 2021-03.
bool TakeYearFirst(Scanner& scanner, std::array<int, 3>& date) {
  if (!scanner.TakeDigits(4, 4, date[0])) return false;
  const char separator = scanner.TakeAny("-/");
  if (separator == 0 || !scanner.TakeDigits(1, 2, date[1])) return false;
  date[2] = 1;
  return !scanner.Take(separator) || scanner.TakeDigits(1, 2, date[2]);
}

// 3/31/2021, 31.3.2021, 31-3-2021; points are for the day first.
bool TakeYearLast(Scanner& scanner, DateOrder order, std::array<int, 3>& date) {
  const bool month_first = order == DateOrder::kMonthFirst;
  if (!scanner.TakeDigits(1, 2, date[month_first ? 1 : 2])) return false;
  const char separator = scanner.TakeAny(month_first ? "/-" : "./-");
  return separator != 0 && scanner.TakeDigits(1, 2, date[month_first ? 2 : 1]) && scanner.Take(separator) &&
         scanner.TakeDigits(4, 4, date[0]);
}

// 13:45, 13:45:00, 13:45:00.5, each with Z or +01:00 behind it.
bool TakeTime(Scanner& scanner, double& seconds) {
  int hours = 0, minutes = 0, whole = 0, fraction = 0;
  if (!scanner.TakeDigits(1, 2, hours) || !scanner.Take(':') || !scanner.TakeDigits(2, 2, minutes)) return false;
  if (scanner.Take(':')) {
    if (!scanner.TakeDigits(2, 2, whole)) return false;
    if (scanner.Take('.') && !scanner.TakeDigits(1, 9, fraction)) return false;  // less than a second is not kept
  }
  if (hours > 24 || minutes > 59 || whole > 60) return false;
  seconds = 3600.0 * hours + 60.0 * minutes + whole;
  if (scanner.Take('Z')) return true;
  const char sign = scanner.TakeAny("+-");
  if (sign == 0) return true;
  if (!scanner.TakeDigits(2, 2, hours)) return false;
  minutes = 0;
  if (scanner.Take(':') || !scanner.AtEnd()) {
    if (!scanner.TakeDigits(2, 2, minutes)) return false;
  }
  seconds -= (sign == '+' ? 1 : -1) * (3600.0 * hours + 60.0 * minutes);
  return true;
}

}  // namespace

bool IsMissing(std::string_view field) {
  constexpr std::array<std::string_view, 20> kMissing = {"",     "?",    ".",        "-",    "NA",     "N/A",    "n/a",
                                                         "#N/A", "#NA",  "#N/A N/A", "<NA>", "NaN",    "nan",    "-NaN",
                                                         "-nan", "null", "NULL",     "None", "1.#IND", "1.#QNAN"};
  return std::ranges::find(kMissing, field) != kMissing.end();
}

bool IsMissing(std::string_view field, const ValueFormat& format) {
  return IsMissing(field) || std::ranges::find(format.missing, field) != format.missing.end();
}

bool ParseNumber(std::string_view field, double& number) {
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  const auto parsed = ParseNumber<double>(field);
  if (!parsed || !(std::abs(*parsed) <= kMaxNumber)) return false;  // NaN neither
  number = *parsed;
  return true;
}

bool ParseNumber(std::string_view field, char decimal, double& number) {
  if (field.find(',') == std::string_view::npos && (decimal != ',' || field.find('.') == std::string_view::npos)) {
    return ParseNumber(field, number);
  }
  const std::optional<std::string> plain = PlainNumber(field, decimal == ',' ? ',' : '.');
  return plain && ParseNumber(*plain, number);
}

bool ParseMarkedNumber(std::string_view field, char decimal, double& number, std::string& unit) {
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
  if (order == DateOrder::kNone) return false;
  Scanner scanner(field);
  std::array<int, 3> date{};  // year, month, day
  const bool parsed =
      order == DateOrder::kYearFirst ? TakeYearFirst(scanner, date) : TakeYearLast(scanner, order, date);
  if (!parsed) return false;
  double seconds = 0;
  if (!scanner.AtEnd() && (scanner.TakeAny("T ") == 0 || !TakeTime(scanner, seconds) || !scanner.AtEnd())) return false;
  const std::chrono::year_month_day day{std::chrono::year{date[0]}, std::chrono::month{static_cast<unsigned>(date[1])},
                                        std::chrono::day{static_cast<unsigned>(date[2])}};
  if (!day.ok()) return false;
  days = static_cast<double>(std::chrono::sys_days{day}.time_since_epoch().count()) + seconds / kSecondsPerDay;
  return true;
}

std::string DateText(double days) {
  const double seconds = std::round(days * kSecondsPerDay);
  const double whole = std::floor(seconds / kSecondsPerDay);
  if (!(std::abs(whole) < 1e7)) return fmt::format("{:g}", days);  // beyond the years of the calendar
  const std::chrono::year_month_day day{std::chrono::sys_days{std::chrono::days{static_cast<int>(whole)}}};
  std::string text = fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                                 static_cast<unsigned>(day.day()));
  const auto rest = static_cast<int>(seconds - whole * kSecondsPerDay);
  if (rest != 0) text += fmt::format("T{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60);
  return text;
}

}  // namespace haplospin
