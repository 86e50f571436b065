#include "cli/check_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "cli/check_output.h"
#include "cli/text_table.h"
#include "haplospin/core/version.h"

namespace haplospin {
namespace {

constexpr size_t kSamplesShown = 20;
constexpr size_t kCell = 18;    // of the plot, px
constexpr size_t kMargin = 40;  // px

constexpr const char* kStyle =
    "body{font:15px/1.45 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}"
    "h1{font-size:1.5em}h2{font-size:1.15em;margin-top:1.8em}table{border-collapse:collapse}"
    "td,th{padding:.2em 1em .2em 0;text-align:left;vertical-align:top;border-bottom:1px solid #ddd}"
    "td.n{text-align:right}.remedy{color:#555}.good{color:#17692f}svg text{font:12px system-ui,sans-serif;fill:#222}";

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string Table(const CheckRows& rows) {
  std::string html = "<table>\n";
  for (const auto& [name, value] : rows) {
    html += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", Escaped(name), Escaped(value));
  }
  return html + "</table>\n";
}

std::string Findings(const StudyCheck& check) {
  const auto findings = CheckFindings(check);
  if (findings.empty()) return "<p class=\"good\">Nothing to mend.</p>\n";
  std::string html = "<ul>\n";
  for (const CheckFinding& finding : findings) {
    html += fmt::format("<li>{}<br><span class=\"remedy\">{}</span></li>\n", Escaped(finding.what),
                        Escaped(finding.remedy));
  }
  return html + "</ul>\n";
}

// Squares, darker the more sites (by the logarithm); on the diagonal where frequencies agree.
std::string FrequencyPlot(const FrequencyComparison& frequencies) {
  constexpr size_t kBins = FrequencyComparison::kBins, kSide = kBins * kCell;
  size_t most = 1;
  for (const auto& row : frequencies.histogram) {
    for (const size_t count : row) most = std::max(most, count);
  }
  std::string svg = fmt::format(
      "<svg width=\"{0}\" height=\"{0}\" role=\"img\" aria-label=\"Allele frequency, panel against study\">\n"
      "<rect x=\"{1}\" y=\"0\" width=\"{2}\" height=\"{2}\" fill=\"none\" stroke=\"#999\"/>\n",
      kSide + kMargin, kMargin, kSide);
  for (size_t panel = 0; panel < kBins; ++panel) {
    for (size_t study = 0; study < kBins; ++study) {
      const size_t count = frequencies.histogram[panel][study];
      if (count == 0) continue;
      const double opacity =
          0.15 + 0.85 * std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(most));
      svg += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#1f5fa8\" fill-opacity=\"{:.2f}\">"
          "<title>{} sites</title></rect>\n",
          kMargin + panel * kCell, (kBins - 1 - study) * kCell, kCell, kCell, opacity, count);
    }
  }
  svg += fmt::format(
      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">panel, 0 to 1</text>\n"
      "<text transform=\"translate(25,{}) rotate(-90)\" text-anchor=\"middle\">study, 0 to 1</text>\n</svg>\n",
      kMargin + kSide / 2, kSide + 25, kSide / 2);
  return svg;
}

std::string OutlierTable(const FrequencyComparison& frequencies) {
  if (frequencies.outliers.empty()) return "";
  std::string html = "<table>\n<tr><th>largest differences</th><th>study</th><th>panel</th></tr>\n";
  for (const FrequencyOutlier& outlier : frequencies.outliers) {
    html += fmt::format("<tr><td>{}</td><td class=\"n\">{:.3f}</td><td class=\"n\">{:.3f}</td></tr>\n",
                        Escaped(outlier.site), outlier.study, outlier.panel);
  }
  return html + "</table>\n";
}

std::string SampleTableHtml(const StudyCheck& check) {
  const auto samples = SamplesMostMissing(check, kSamplesShown);
  if (samples.empty()) return "";
  std::string html = "<table>\n<tr><th>most missing</th><th>alleles</th><th>missing</th><th>%</th></tr>\n";
  for (const SampleCheck& sample : samples) {
    html += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{:.2f}</td></tr>\n",
        Escaped(sample.name), GroupDigits(sample.alleles), GroupDigits(sample.missing), 100 * sample.MissingShare());
  }
  return html + "</table>\n";
}

}  // namespace

std::string CheckPage(const StudyCheck& check) {
  const std::string title = Escaped("Check of " + check.study_path);
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n"
             "<style>{1}</style></head><body>\n<h1>{0}</h1>\n",
             title, kStyle) +
         "<h2>To mend</h2>\n" + Findings(check) + "<h2>Files</h2>\n" + Table(FileRows(check)) +
         "<h2>Sites of the study</h2>\n" + Table(SiteRows(check)) + "<h2>Samples</h2>\n" + Table(SampleRows(check)) +
         SampleTableHtml(check) + "<h2>Allele frequencies of study and panel</h2>\n" + Table(FrequencyRows(check)) +
         FrequencyPlot(check.frequencies) + OutlierTable(check.frequencies) +
         fmt::format("<p class=\"remedy\">haplospin {}</p>\n</body></html>\n", kVersion);
}

}  // namespace haplospin
