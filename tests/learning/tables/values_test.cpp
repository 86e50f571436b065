#include "learning/tables/values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random.h"

namespace haplospin {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

double Number(std::string_view field, char decimal) {
  double number = kNone;
  return ParseNumber(field, decimal, number) ? number : kNone;
}

double Days(std::string_view field, DateOrder order) {
  double days = kNone;
  return ParseDate(field, order, days) ? days : kNone;
}

TEST(Values, MissingAsInPandasAndAsTold) {
  for (const char* field : {"", "?", ".", "-", "NA", "N/A", "n/a", "#N/A", "NaN", "null", "NULL", "None", "<NA>"}) {
    EXPECT_TRUE(IsMissing(field)) << field;
  }
  EXPECT_FALSE(IsMissing("0"));
  EXPECT_FALSE(IsMissing("-99"));
  EXPECT_TRUE(IsMissing("-99", {.missing = {"-99"}}));
  EXPECT_TRUE(IsMissing("-99.0", {.missing = {"-99"}}));
  EXPECT_TRUE(IsMissing("-99,0", {.missing = {"-99"}, .decimal = ','}));
  EXPECT_FALSE(IsMissing("-99.5", {.missing = {"-99", "none"}}));
}

// Sums of their squares are finite.
TEST(Values, NumbersAreNotTooLarge) {
  EXPECT_EQ(Number("-1e100", '.'), -1e100);
  for (const char* field : {"1.1e100", "-1e155", "1e999", "inf", "nan"}) EXPECT_EQ(Number(field, '.'), kNone) << field;
}

TEST(Values, DecimalMarksAndThousands) {
  EXPECT_EQ(Number("1234.5", '.'), 1234.5);
  EXPECT_EQ(Number("-1,234,567.5", '.'), -1234567.5);
  EXPECT_EQ(Number("1,5", '.'), kNone);
  EXPECT_EQ(Number("0,123", '.'), kNone);
  EXPECT_EQ(Number("1,2345", '.'), kNone);
  EXPECT_EQ(Number("1,23,456", '.'), kNone);
  EXPECT_EQ(Number(",123", '.'), kNone);
  EXPECT_EQ(Number("1,5", ','), 1.5);
  EXPECT_EQ(Number("-0,25", ','), -0.25);
  EXPECT_EQ(Number("1.234,5", ','), 1234.5);
  EXPECT_EQ(Number("1.234", ','), 1234);
  EXPECT_EQ(Number("1.5", ','), kNone);
  EXPECT_EQ(Number("1,2e3", ','), 1200);
  EXPECT_EQ(Number("1,2,3", ','), kNone);
}

TEST(Values, TheMinusOfTypography) {
  EXPECT_EQ(Number("\u2212"
                   "12.5",
                   '.'),
            -12.5);
  EXPECT_EQ(Number("\u2212"
                   "1,234",
                   '.'),
            -1234);
  EXPECT_EQ(Number("\u2212"
                   "1,5",
                   ','),
            -1.5);
  double number = 0;
  EXPECT_TRUE(
      ParseNumber("\u2212"
                  "1e3",
                  number));
  EXPECT_EQ(number, -1000);
  for (const char* field : {"\u2212", "\u2212-1",
                            "-\u2212"
                            "1",
                            "1\u2212"})
    EXPECT_EQ(Number(field, '.'), kNone) << field;
}

TEST(Values, NumbersWithMarks) {
  const auto marked = [](std::string_view field, char decimal) {
    double number = kNone;
    std::string unit;
    return ParseMarkedNumber(field, decimal, number, unit) ? number : kNone;
  };
  EXPECT_EQ(marked("12 %", '.'), 12);
  EXPECT_EQ(marked("-1.5%", '.'), -1.5);
  EXPECT_EQ(marked("1,5", '.'), 1.5);
  EXPECT_EQ(marked("1.5", ','), 1.5);
  EXPECT_EQ(marked("1,5\u00a0%", '.'), 1.5);
  EXPECT_EQ(marked("1 234", '.'), 1234);
  EXPECT_EQ(marked("1\u202f234\u202f567,5", '.'), 1234567.5);
  EXPECT_EQ(marked("1 234.5", '.'), 1234.5);
  EXPECT_EQ(marked("$581", '.'), 581);
  EXPECT_EQ(marked("-$1,234.50", '.'), -1234.5);
  EXPECT_EQ(marked("12 kg", '.'), 12);
  EXPECT_EQ(marked("3.5m/s", '.'), 3.5);
  EXPECT_EQ(marked("99,90 €", ','), 99.9);
  EXPECT_EQ(marked("20 °C", '.'), 20);
  EXPECT_EQ(marked("(1,034)", '.'), -1034);
  EXPECT_EQ(marked("($7.50)", '.'), -7.5);
  EXPECT_EQ(marked("1'010", '.'), 1010);
  EXPECT_EQ(marked("1\u2019234\u2019567.5", '.'), 1234567.5);
  for (const char* field : {"", "%", "12 34", "1 2", "A 12 %", "1,2,3", "12 % %", "2021-01-01", "()", "(1", "(1)(2)"}) {
    EXPECT_EQ(marked(field, '.'), kNone) << field;
  }
}

TEST(Values, UnitsOfNumbers) {
  const auto unit = [](std::string_view field) {
    double number = 0;
    std::string found;
    return ParseMarkedNumber(field, '.', number, found) ? found : "none";
  };
  EXPECT_EQ(unit("$581"), "$");
  EXPECT_EQ(unit("12 kg"), "kg");
  EXPECT_EQ(unit("7"), "");
  EXPECT_EQ(unit("kg"), "none");
  for (const char* field : {"inf", "-inf", "+Infinity", "1e101"}) EXPECT_TRUE(IsBeyondNumbers(field)) << field;
  for (const char* field : {"info", "1", "nan", ""}) EXPECT_FALSE(IsBeyondNumbers(field)) << field;
}

TEST(Values, DatesAreDays) {
  EXPECT_EQ(Days("1970-01-01", DateOrder::kYearFirst), 0);
  EXPECT_EQ(Days("1970/1/2", DateOrder::kYearFirst), 1);
  EXPECT_EQ(Days("1970-02", DateOrder::kYearFirst), 31);
  EXPECT_EQ(Days("1/2/1970", DateOrder::kMonthFirst), 1);
  EXPECT_EQ(Days("1/2/1970", DateOrder::kDayFirst), 31);
  EXPECT_EQ(Days("1.2.1970", DateOrder::kDayFirst), 31);
  EXPECT_EQ(Days("1970-01-02 12:00", DateOrder::kYearFirst), 1.5);
  EXPECT_EQ(Days("1970-01-02T12:00:00Z", DateOrder::kYearFirst), 1.5);
  EXPECT_EQ(Days("1970-01-02T12:00:00.250+06:00", DateOrder::kYearFirst), 1.25);
  for (const char* field : {"2021-02-29", "2021-13-01", "2021-1-1x", "12", "2021", "2021-01-01T", "2021-01-01T7:5"}) {
    EXPECT_EQ(Days(field, DateOrder::kYearFirst), kNone) << field;
  }
  EXPECT_EQ(Days("31/12/2020", DateOrder::kMonthFirst), kNone);
  EXPECT_EQ(Days("1.2.1970", DateOrder::kMonthFirst), kNone);
}

TEST(Values, MonthsByNameAndShortYears) {
  const double day = Days("2020-01-05", DateOrder::kYearFirst);
  for (const char* field :
       {"Jan 05, 2020", "January 5, 2020", "jan 5 2020", "1/5/2020", "1/5/20", "01/05/20", "Jan 5, 20"}) {
    EXPECT_EQ(Days(field, DateOrder::kMonthFirst), day) << field;
  }
  for (const char* field :
       {"05 Jan 2020", "5. Jan 2020", "05-Jan-2020", "5-Jan-20", "05/Jan/2020", "5/1/20", "05.01.20"}) {
    EXPECT_EQ(Days(field, DateOrder::kDayFirst), day) << field;
  }
  EXPECT_EQ(Days("31/12/20", DateOrder::kDayFirst), Days("2020-12-31", DateOrder::kYearFirst));
  EXPECT_EQ(Days("31/12/69", DateOrder::kDayFirst), Days("1969-12-31", DateOrder::kYearFirst));
  EXPECT_EQ(Days("31/12/68", DateOrder::kDayFirst), Days("2068-12-31", DateOrder::kYearFirst));
  EXPECT_EQ(Days("Jan 2020", DateOrder::kMonthFirst), day - 4);
  EXPECT_EQ(Days("2020-Jan-05", DateOrder::kYearFirst), day);
  EXPECT_EQ(Days("Jan 05, 2020 6:00 PM", DateOrder::kMonthFirst), day + 0.75);
  EXPECT_EQ(Days("1/5/2020 12:00:00 AM", DateOrder::kMonthFirst), day);
  EXPECT_EQ(Days("31/12/20 06:00", DateOrder::kDayFirst), Days("2020-12-31 06:00", DateOrder::kYearFirst));
  // Versions, codes, and what is no day.
  for (const char* field :
       {"1.2.10", "1-2-10", "31/12/200", "31/12/2", "Jan", "Jam 05, 2020", "05", "Feb 30, 2020", "12/20"}) {
    EXPECT_EQ(Days(field, DateOrder::kDayFirst), kNone) << field;
    EXPECT_EQ(Days(field, DateOrder::kMonthFirst), kNone) << field;
  }
}

TEST(Values, TimesOfDay) {
  const auto hours = [](std::string_view field) { return 24 * Days(field, DateOrder::kTimeOfDay); };
  EXPECT_NEAR(hours("07:30"), 7.5, 1e-9);
  EXPECT_NEAR(hours("7:30:36"), 7.51, 1e-9);
  EXPECT_NEAR(hours("7:30 PM"), 19.5, 1e-9);
  EXPECT_NEAR(hours("12:15am"), 0.25, 1e-9);
  EXPECT_NEAR(hours("24:00"), 24, 1e-9);
  for (const char* field :
       {"7", "7:3", "25:00", "07:60", "13:00 PM", "07:30Z", "07:30:00+01:00", "2021-01-01 07:30", "1:2"}) {
    EXPECT_EQ(Days(field, DateOrder::kTimeOfDay), kNone) << field;
  }
  EXPECT_EQ(DateText(Days("07:30", DateOrder::kTimeOfDay), DateOrder::kTimeOfDay), "07:30");
  EXPECT_EQ(DateText(Days("23:59:05", DateOrder::kTimeOfDay), DateOrder::kTimeOfDay), "23:59:05");
}

TEST(Values, DatesThatCanBeReadInOneOrderOnly) {
  double days = 0;
  for (const char* field : {"2020-01-05", "5.1.2020", "05 Jan 2020", "Jan 05, 2020"}) {
    EXPECT_TRUE(ParseUnambiguousDate(field, days)) << field;
    EXPECT_EQ(days, Days("2020-01-05", DateOrder::kYearFirst)) << field;
  }
  for (const char* field : {"5/1/2020", "7.5", "07:30", "x"}) EXPECT_FALSE(ParseUnambiguousDate(field, days)) << field;
}

TEST(Values, ADateIsWrittenInItsZone) {
  for (const char* field : {"2021-03-31T13:45:00+02:00", "2021-03-31T00:00:00Z", "2021-01-01T23:30:00-05:30"}) {
    EXPECT_EQ(DateText(Days(field, DateOrder::kYearFirst), DateZone(field)), field);
  }
  EXPECT_EQ(DateZone("2021-03-31 13:45"), "");
  EXPECT_EQ(DateZone("2021-03-31"), "");
  EXPECT_EQ(DateText(Days("2021-03-31T13:45:00+0200", DateOrder::kYearFirst), "+0200"), "2021-03-31T13:45:00+0200");
}

TEST(Values, DateTextIsReadAsTheSameDay) {
  RandomStream random(1);
  for (int i = 0; i < 200; ++i) {
    const double seconds = std::floor((random.Uniform() - 0.3) * 4e9);
    const double days = i % 2 == 0 ? std::floor(seconds / 86400) : seconds / 86400;
    EXPECT_NEAR(Days(DateText(days), DateOrder::kYearFirst), days, 1e-9) << DateText(days);
  }
  EXPECT_EQ(DateText(0), "1970-01-01");
  EXPECT_EQ(DateText(1.5), "1970-01-02T12:00:00");
}

}  // namespace
}  // namespace haplospin
