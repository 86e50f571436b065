#include "report/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::Not;

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

using Values = std::vector<double>;

const Values kX{0, 1, 2}, kY{0, 5, 10};

TEST(ChartTest, ALineRunsBetweenTheCornersOfThePlot) {
  Chart chart("t", {.title = "x"}, {.title = "y"});
  chart.AddLine("", kX, kY, LineMarkers::kNone);
  EXPECT_THAT(chart.Svg(), HasSubstr("\"M64.0 328.0L304.0 178.0L544.0 28.0\""));
}

TEST(ChartTest, ALineBreaksWhereAValueIsMissing) {
  Chart chart("t", {}, {});
  chart.AddLine("", Values{0., 1, 2, 3}, Values{0, NAN, 5., 10}, LineMarkers::kNone);
  EXPECT_THAT(chart.Svg(), HasSubstr("\"M64.0 328.0M384.0 178.0L544.0 28.0\""));
}

TEST(ChartTest, WhatALogAxisCannotShowIsLeftOut) {
  Chart chart("t", {.is_log = true}, {});
  chart.AddPoints("", Values{0., 1, 100}, kY);
  EXPECT_THAT(chart.Svg(), HasSubstr("\"M64.0 178.0h0M544.0 28.0h0\""));
}

TEST(ChartTest, OneNameIsOneColorAndOneEntry) {
  Chart chart("t", {}, {});
  chart.AddBand("model", kX, kX, kY);
  chart.AddLine("model", kX, kY);
  chart.AddLine("other", kX, kX);
  const std::string svg = chart.Svg();
  EXPECT_EQ(Count(svg, ">model</text>"), 1u);
  EXPECT_EQ(Count(svg, ">other</text>"), 1u);
  EXPECT_EQ(Count(svg, "color=\"#4285d0\""), 3u);  // band, line, markers
  EXPECT_EQ(Count(svg, "color=\"#e07b2e\""), 2u);
}

TEST(ChartTest, ABandGoesThereAndBack) {
  Chart chart("t", {}, {.low = 0, .high = 10});
  chart.AddBand("b", Values{0., 1, 2, 3}, Values{0., 0, NAN, 5}, Values{10., 5, 5, 10});
  EXPECT_THAT(chart.Svg(), HasSubstr("\"M64.0 50.0L224.0 200.0L224.0 350.0L64.0 350.0zM544.0 50.0L544.0 200.0z\""));
}

TEST(ChartTest, DotsStandBesideTheirLabels) {
  Chart chart("t", {.low = 0, .high = 1}, {.labels = {"first", "last"}});
  chart.AddDots("series", Values{0., 0.5});
  const std::string svg = chart.Svg();
  EXPECT_THAT(svg, HasSubstr("<text x=\"58.0\" y=\"129.0\" text-anchor=\"end\">first</text>"));
  EXPECT_THAT(svg, HasSubstr("<path d=\"M64.0 125.0h0M304.0 275.0h0\""));
}

TEST(ChartTest, TextThatIsTooWideIsShortened) {
  std::string accents;
  for (int i = 0; i < 60; ++i) accents += "\u00e9";
  const std::string title(200, 't');
  Chart chart(title, {.title = title, .low = 0, .high = 1}, {.labels = {accents, "short"}});
  chart.AddDots(title, std::vector{0.2, 0.6});
  const std::string svg = chart.Svg();
  EXPECT_THAT(svg, HasSubstr("<title>" + accents + "</title>\u00e9\u00e9"));  // characters are not divided
  EXPECT_THAT(svg, Not(HasSubstr(accents + "\u2026")));
  EXPECT_THAT(svg, HasSubstr(">short</text>"));
  EXPECT_EQ(Count(svg, "\u2026</text>"), 4u);  // of the label, the legend, the axis and the chart
}

TEST(ChartTest, AnAxisTitleStaysWithinTheChart) {
  Chart chart("t", {.title = std::string(60, 'x'), .low = 0, .high = 1}, {.labels = {std::string(60, 'y')}});
  chart.AddDots("", std::vector{0.2});
  EXPECT_THAT(chart.Svg(), HasSubstr("<text x=\"362.0\" "));  // 560 less half of 60 letters
}

TEST(ChartTest, ManyOrLongLabelsMakeRoom) {
  Chart chart("t", {.low = 0, .high = 1}, {.labels = std::vector<std::string>(50, "a label of 24 characters")});
  EXPECT_THAT(chart.Svg(), HasSubstr("<text x=\"180.4\""));
  EXPECT_THAT(chart.Svg(), HasSubstr("height=\"976\""));
}

TEST(ChartTest, AHeatMapHasARectangleForEachValue) {
  Chart chart("t", {}, {});
  chart.AddHeatMap({.columns = 2, .rows = 2, .values = {1, 2, NAN, 3}, .unit = "sites"});
  const std::string svg = chart.Svg();
  EXPECT_EQ(Count(svg, "<rect"), 3u);
  EXPECT_THAT(svg, HasSubstr("<rect x=\"64.0\" y=\"178.0\" width=\"240.0\" height=\"150.0\" fill-opacity=\"0.12\">"
                             "<title>1 sites</title>"));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"304.0\" y=\"28.0\" width=\"240.0\" height=\"150.0\" fill-opacity=\"1.00\">"
                             "<title>3 sites</title>"));
}

TEST(ChartTest, TextIsEscaped) {
  Chart chart("a<b", {.title = "x&y"}, {.title = "\"q\""});
  chart.AddLine("<script>", kX, kY);
  const std::string svg = chart.Svg();
  EXPECT_THAT(svg, HasSubstr("a&lt;b"));
  EXPECT_THAT(svg, HasSubstr("x&amp;y"));
  EXPECT_THAT(svg, HasSubstr("&quot;q&quot;"));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
}

TEST(ChartTest, AChartOfNothingIsDrawn) {
  const Chart chart("t", {}, {.is_log = true});
  EXPECT_THAT(chart.Svg(), testing::AllOf(testing::StartsWith("<svg"), testing::EndsWith("</svg>\n"),
                                          Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
}

TEST(ChartTest, LongLegendsTakeSeveralLines) {
  Chart chart("t", {}, {});
  for (int i = 0; i < 6; ++i) chart.AddLine("a series with a long name " + std::to_string(i), kX, kY);
  EXPECT_THAT(chart.Svg(), HasSubstr("viewBox=\"0 0 560 434\""));  // of 398 with one line
}

TEST(ChartTest, ADocumentNamesItsNamespace) {
  EXPECT_THAT(Chart("t", {}, {}).SvgDocument(), testing::StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
}

}  // namespace
}  // namespace haplospin
