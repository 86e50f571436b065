#include "report/page.h"

#include <fmt/format.h>

#include "report/chart.h"
#include "report/markup.h"

namespace haplospin {
namespace {

constexpr const char* kStyle =
    ":root{color-scheme:light dark}"
    "body{font:15px/1.45 system-ui,sans-serif;max-width:76em;margin:2em auto;padding:0 1em;overflow-wrap:break-word}"
    "h1{font-size:1.5em}h2{font-size:1.15em;margin-top:1.8em}"
    // A table that is wider than the page is scrolled alone.
    ".table{overflow-x:auto;margin:.8em 0}table{border-collapse:collapse;min-width:50%}"
    "td,th{padding:.2em 1em .2em 0;text-align:left;vertical-align:top;border-bottom:1px solid rgba(128,128,128,.3)}"
    ".facts td{overflow-wrap:anywhere}"
    "@media(min-width:50em){td:first-child{white-space:nowrap}}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}td.n{white-space:nowrap}"
    // Eight columns of numbers fit on a telephone.
    "@media(max-width:50em){table{font-size:.8em}td,th{padding-right:.5em}th.n{overflow-wrap:anywhere}}"
    ".note{opacity:.7}.good{color:#2b9a50}.bad{color:#d03b3b}"
    // Two charts side by side on a wide page, one on a narrow one.
    "figure{display:inline-block;margin:.5em 1% .5em 0;width:48.5%}svg{width:100%;height:auto}"
    ":not(figure)+figure:not(:has(+figure)){width:min(100%,60em)}"  // a chart by itself
    "@media(max-width:50em){figure{width:100%}}"
    "summary{cursor:pointer}";

const char* CssClass(PageTone tone) {
  switch (tone) {
    case PageTone::kNote:
      return " class=\"note\"";
    case PageTone::kGood:
      return " class=\"good\"";
    case PageTone::kBad:
      return " class=\"bad\"";
    case PageTone::kPlain:
      break;
  }
  return "";
}

std::string Row(const std::vector<std::string>& cells, size_t text_columns, const char* tag) {
  std::string row = "<tr>";
  for (size_t i = 0; i < cells.size(); ++i) {
    row += fmt::format("<{0}{1}>{2}</{0}>", tag, i < text_columns ? "" : " class=\"n\"", EscapeMarkup(cells[i]));
  }
  return row + "</tr>\n";
}

}  // namespace

void Page::AddSection(const std::string& heading) { body_ += fmt::format("<h2>{}</h2>\n", EscapeMarkup(heading)); }

void Page::AddParagraph(const std::string& text, PageTone tone) {
  body_ += fmt::format("<p{}>{}</p>\n", CssClass(tone), EscapeMarkup(text));
}

void Page::AddFacts(const std::vector<std::pair<std::string, std::string>>& facts) {
  body_ += "<div class=\"table facts\"><table>\n";
  for (const auto& [title, value] : facts) {
    body_ += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", EscapeMarkup(title), EscapeMarkup(value));
  }
  body_ += "</table></div>\n";
}

void Page::AddList(const std::vector<std::pair<std::string, std::string>>& points) {
  body_ += "<ul>\n";
  for (const auto& [point, note] : points) {
    body_ += "<li>" + EscapeMarkup(point);
    if (!note.empty()) body_ += fmt::format("<br><span class=\"note\">{}</span>", EscapeMarkup(note));
    body_ += "</li>\n";
  }
  body_ += "</ul>\n";
}

void Page::AddTable(const PageTable& table) {
  if (!table.summary.empty()) {
    body_ += fmt::format("<details><summary>{}</summary>\n", EscapeMarkup(table.summary));
  }
  body_ += "<div class=\"table\"><table>\n";
  if (!table.headings.empty()) body_ += Row(table.headings, table.text_columns, "th");
  for (const auto& row : table.rows) body_ += Row(row, table.text_columns, "td");
  body_ += "</table></div>\n";
  if (!table.summary.empty()) body_ += "</details>\n";
}

void Page::AddChart(const Chart& chart) { body_ += "<figure>\n" + chart.Svg() + "</figure>\n"; }

void Page::AddModel(const std::string& text) { models_ += "<br>Model: " + EscapeMarkup(text); }

std::string Page::Html(const Provenance& provenance) const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title>\n<style>{1}</style></head><body>\n"
      "<h1>{0}</h1>\n{2}<p class=\"note\">haplospin {3}, {4}: {5}{6}</p>\n</body></html>\n",
      EscapeMarkup(title_), kStyle, body_, provenance.haplospin, provenance.date, EscapeMarkup(provenance.command),
      models_);
}

}  // namespace haplospin
