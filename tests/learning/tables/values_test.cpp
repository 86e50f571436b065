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
  for (const char* field : {"", "%", "12 34", "1 2", "A 12 %", "1,2,3", "12 % %", "2021-01-01"}) {
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
