#include "learning/tables/column_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <regex>
#include <span>

namespace haplospin {
namespace {

constexpr size_t kMaxTexts = 5;              // different ones among numbers
constexpr size_t kMaxWords = 20;             // different ones without a digit, as codes have
constexpr size_t kMinDifferentNumbers = 10;  // codes such as 1, 2, 3, A are categories
constexpr size_t kShownTexts = 5;
constexpr size_t kMinMarkedNumbers = 20;  // different ones; fewer may be categories, such as 5 % and 10 %

bool FewTexts(const ColumnFacts& facts) {
  const size_t texts = facts.values - facts.numbers, different = facts.texts.size();
  const auto is_word = [](const auto& text) {
    return text.first.find_first_of("0123456789") == std::string_view::npos;
  };
  return 20 * texts <= facts.values ||
         (facts.AreMostlyNumbers() &&
          (different <= kMaxTexts || (different <= kMaxWords && std::ranges::all_of(facts.texts, is_word))));
}

// Examines a column of numbers, or of dates in this order.
ColumnFacts ExamineAs(const TextColumn& text, const ValueFormat& format, DateOrder date) {
  ColumnFacts facts{.date = date};
  for (size_t row = 0; row < text.size(); ++row) {
    const std::string_view field = text[row];
    if (IsMissing(field, format)) continue;
    ++facts.values;
    facts.distinct.insert(field);
    double number = 0;
    if (ParseValue(field, format, date, number)) {
      ++facts.numbers;
      facts.whole = facts.whole && number == std::floor(number);
    } else {
      ++facts.texts[field];
    }
  }
  return facts;
}

// How months and days of the week begin, in English, German, French, Spanish, Italian and Portuguese.
constexpr std::string_view kMonths[] = {"jan", "feb", "fév", "fev", "mar", "mär", "apr", "avr", "abr", "may", "mai",
                                        "mag", "jun", "jui", "giu", "jul", "lug", "aug", "aoû", "ago", "sep", "set",
                                        "oct", "okt", "ott", "out", "nov", "dec", "déc", "dez", "dic", "ene", "gen"};
constexpr std::string_view kWeekdays[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun", "die", "mit", "don",
                                          "fre", "sam", "son", "lun", "mer", "mié", "jeu", "jue", "ven", "vie",
                                          "gio", "dim", "dom", "seg", "ter", "qua", "qui", "sex", "sáb"};
// Words between them: quarter and week, the T, the zone, "1st", "5 de mayo de 2020".
constexpr std::string_view kWordsOfDates[] = {"q",  "w",  "t",  "z",  "h",   "am",  "pm", "st", "nd",
                                              "rd", "th", "of", "de", "utc", "gmt", "kw", "s"};

bool BeginsWithAny(std::string_view word, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return word.starts_with(beginning); });
}

// The parts of a text that may be a date: its numbers and its words, the latter in lower case.
struct DateParts {
  std::vector<std::string> numbers, words;
  bool has_other = false;  // characters that no date has
};

DateParts SplitDate(std::string_view field) {
  DateParts parts;
  bool in_number = false, in_word = false;
  for (const char c : field) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_digit = std::isdigit(byte) != 0, is_letter = std::isalpha(byte) != 0 || byte >= 0x80;
    if (is_digit || is_letter) {
      std::vector<std::string>& runs = is_digit ? parts.numbers : parts.words;
      if (is_digit ? !in_number : !in_word) runs.emplace_back();
      runs.back() += static_cast<char>(std::tolower(byte));
    } else if (std::string_view(" ,.-/:'+").find(c) == std::string_view::npos) {
      parts.has_other = true;
    }
    in_number = is_digit;
    in_word = is_letter;
  }
  return parts;
}

bool IsPerhapsDate(std::string_view field) {
  const DateParts parts = SplitDate(field);
  const bool has_month =
      std::ranges::any_of(parts.words, [](const auto& word) { return BeginsWithAny(word, kMonths); });
  const bool has_year = std::ranges::any_of(parts.numbers, [](const std::string& number) {
    return number.size() == 4 && number >= "1700" && number < "2200";
  });
  const bool are_words = std::ranges::all_of(parts.words, [](const std::string& word) {
    return BeginsWithAny(word, kMonths) || BeginsWithAny(word, kWeekdays) ||
           std::ranges::find(kWordsOfDates, word) != std::end(kWordsOfDates);
  });
  const bool has_day_or_year = has_month && !parts.numbers.empty() && parts.numbers.back().size() == 2;
  return !parts.has_other && are_words && ((has_year && (has_month || parts.numbers.size() > 1)) || has_day_or_year);
}

constexpr std::array kDateOrders = {DateOrder::kYearFirst, DateOrder::kMonthFirst, DateOrder::kDayFirst,
                                    DateOrder::kTimeOfDay};

bool LooksLikeADate(std::string_view field) {
  double ignored = 0;
  return std::ranges::any_of(kDateOrders, [&](DateOrder order) { return ParseDate(field, order, ignored); });
}

// Returns whether a name is that of a column of identifiers: "id", "Unnamed: 0" (pandas), "row", "PassengerId".
bool NamesIdentifiers(const std::string& name) {
  static const std::regex identifiers("[0-9]+|#|unnamed: 0|index|idx|row(_?(id|num|number|names?))?|(.*[_ .-])?id",
                                      std::regex::icase);
  static const std::regex camel_case(".*[a-z](Id|ID)");
  return std::regex_match(name, identifiers) || std::regex_match(name, camel_case);
}

}  // namespace

bool ColumnFacts::IsNumeric() const { return numbers == values || (FewTexts(*this) && HasManyNumbers()); }

bool ColumnFacts::HasManyNumbers() const { return distinct.size() - texts.size() >= kMinDifferentNumbers; }

bool ColumnFacts::AreMostlyNumbers() const { return 2 * (values - numbers) < values; }

bool ColumnFacts::MayBeNumeric() const { return numbers == values || FewTexts(*this); }

std::string ColumnFacts::TextsForMessage() const {
  std::vector<std::string> shown;
  for (const auto& [token, count] : texts) {
    if (shown.size() == kShownTexts) {
      shown.emplace_back("...");
      break;
    }
    shown.push_back(fmt::format("'{}' ({})", token, count));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

bool LookLikeDates(const ColumnFacts& facts) {
  if (facts.distinct.size() < kMinDifferentNumbers) return false;
  size_t others = 0;
  for (const auto& [token, count] : facts.texts) others += IsPerhapsDate(token) ? 0 : count;
  return 20 * (others + facts.numbers) <= facts.values;
}

ColumnFacts Examine(const TextColumn& text, const ValueFormat& format) {
  ColumnFacts facts = ExamineAs(text, format, DateOrder::kNone);
  if (facts.IsNumeric() || std::ranges::none_of(facts.texts, LooksLikeADate, [](const auto& t) { return t.first; })) {
    return facts;
  }
  ColumnFacts best = facts;
  for (const DateOrder order : kDateOrders) {
    ColumnFacts dates = ExamineAs(text, format, order);
    if (dates.numbers == best.numbers && best.date == DateOrder::kMonthFirst) best.is_order_sure = false;
    if (dates.numbers > best.numbers) best = std::move(dates);
  }
  return best.IsNumeric() ? best : facts;
}

std::string AdviceOnMarks(const ColumnFacts& facts, const ValueFormat& format) {
  if (facts.distinct.size() < kMinMarkedNumbers) return "";
  size_t others = 0;
  std::string advice, first_unit, unit;
  for (const auto& [token, count] : facts.texts) {
    double number = 0;
    const bool is_marked = ParseMarkedNumber(token, format.decimal, number, unit);
    if (!is_marked || (!advice.empty() && unit != first_unit)) {
      others += count;  // codes such as 12A and 12B have no unit
    } else if (advice.empty()) {
      first_unit = unit;
      std::string plain = fmt::format("{}", number);
      if (format.decimal == ',') std::ranges::replace(plain, '.', ',');
      advice = fmt::format("write '{}' as {}", token, plain);
    }
  }
  return 20 * others <= facts.values ? advice : "";
}

bool ParseValue(std::string_view field, const ValueFormat& format, DateOrder date, double& number) {
  return date == DateOrder::kNone ? ParseNumber(field, format.decimal, number) : ParseDate(field, date, number);
}

char DecimalMarkEvidence::Mark(char separator) const {
  if (comma != point) return comma > point ? ',' : '.';
  return separator == ';' && !either.empty() ? ',' : '.';
}

DecimalMarkEvidence FindDecimalMarks(const std::vector<TextColumn>& columns) {
  DecimalMarkEvidence evidence;
  for (const TextColumn& text : columns) {
    for (size_t row = 0; row < text.size(); ++row) {
      const std::string_view field = text[row];
      if (field.find_first_of(",.") == std::string_view::npos) continue;
      double ignored = 0;
      const bool with_point = ParseNumber(field, '.', ignored), with_comma = ParseNumber(field, ',', ignored);
      evidence.point += with_point && !with_comma ? 1 : 0;
      evidence.comma += with_comma && !with_point ? 1 : 0;
      const bool has_comma = field.find(',') != std::string_view::npos;
      if (with_point && with_comma && has_comma && evidence.either.empty()) evidence.either = field;
    }
  }
  return evidence;
}

bool NumbersRows(const std::string& name, const TextColumn& text) {
  if (text.size() == 0 || (text[0] != "0" && text[0] != "1") || !NamesIdentifiers(name)) return false;
  const size_t first = text[0] == "0" ? 0 : 1;
  for (size_t row = 0; row < text.size(); ++row) {
    if (text[row] != std::to_string(first + row)) return false;
  }
  return true;
}

}  // namespace haplospin
