#include "report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Provenance kMadeBy{.haplospin = "1.2", .command = "haplospin check <x>", .date = "2026-11-22"};

TEST(PageTest, TextIsEscapedEverywhere) {
  const std::string evil = "<img src=x>&\"\x01";
  Page page(evil);
  page.AddSection(evil);
  page.AddParagraph(evil, PageTone::kNote);
  page.AddFacts({{evil, evil}});
  page.AddList({{evil, evil}});
  page.AddTable({.headings = {evil}, .rows = {{evil, evil}}, .summary = evil});
  page.AddChart(Chart(evil, {.title = evil, .labels = {evil}}, {.title = evil}));
  EXPECT_THAT(page.Html(kMadeBy), AllOf(Not(HasSubstr("<img")), Not(HasSubstr("\x01")),
                                        HasSubstr("<h2>&lt;img src=x&gt;&amp;&quot;?</h2>")));
}

TEST(PageTest, NothingIsLoadedFromElsewhere) {
  Page page("title");
  page.AddChart(Chart("chart", {}, {}));
  EXPECT_THAT(page.Html(kMadeBy), AllOf(Not(HasSubstr("http")), Not(HasSubstr("<script")), Not(HasSubstr("src=")),
                                        Not(HasSubstr("href")), Not(HasSubstr("url("))));
}

TEST(PageTest, PartsStandInTheirOrder) {
  Page page("title");
  page.AddSection("first");
  page.AddChart(Chart("chart", {}, {}));
  page.AddSection("second");
  EXPECT_THAT(page.Html(kMadeBy), testing::ContainsRegex("first(.|\n)*<svg(.|\n)*</svg>(.|\n)*second(.|\n)*</html>"));
}

TEST(PageTest, NumbersAreAlignedToTheRight) {
  Page page("title");
  page.AddTable({.headings = {"sample", "population", "r2"}, .rows = {{"a", "P", "0.9"}}, .text_columns = 2});
  EXPECT_THAT(page.Html(kMadeBy), HasSubstr("<tr><td>a</td><td>P</td><td class=\"n\">0.9</td></tr>"));
}

TEST(PageTest, EndsWithVersionDateAndCommand) {
  EXPECT_THAT(Page("title").Html(kMadeBy),
              HasSubstr("haplospin 1.2, 2026-11-22: haplospin check &lt;x&gt;</p>\n</body>"));
}

TEST(PageTest, NamesModelsAtItsEnd) {
  Page page("title");
  page.AddModel("a: <x>, sha256:12");
  page.AddModel("b");
  page.AddParagraph("text");
  EXPECT_THAT(page.Html(kMadeBy),
              HasSubstr("haplospin check &lt;x&gt;<br>Model: a: &lt;x&gt;, sha256:12<br>Model: b</p>\n</body>"));
}

TEST(PageTest, ATableWithASummaryIsFolded) {
  Page page("title");
  page.AddTable({.headings = {}, .rows = {{"a"}}, .summary = "240 samples"});
  EXPECT_THAT(page.Html(kMadeBy),
              HasSubstr("<details><summary>240 samples</summary>\n<div class=\"table\"><table>\n<tr><td>a</td></tr>\n"
                        "</table></div>\n</details>"));
}

}  // namespace
}  // namespace haplospin
