#include "cli/genotypes/check_page.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "cli/genotypes/check_findings.h"
#include "cli/genotypes/check_text.h"
#include "core/group_digits.h"
#include "report/page.h"

namespace haplospin {
namespace {

constexpr size_t kChartSamples = 20;

PageTone ToneOf(const StudyCheck& check, const CheckConclusion& conclusion) {
  const bool is_bad = conclusion.verdict == CheckVerdict::kDoNotImpute || check.IsOfAnotherPopulation();
  return is_bad ? PageTone::kBad : check.HasPanel() ? PageTone::kGood : PageTone::kPlain;
}

void AddFindings(const StudyCheck& check, Page& page) {
  std::vector<std::pair<std::string, std::string>> points;
  for (const CheckFinding& finding : CheckFindings(check)) points.emplace_back(finding.what, finding.remedy);
  points.empty() ? page.AddParagraph("Nothing to fix.") : page.AddList(points);
}

// On the diagonal where frequencies agree.
Chart FrequencyChart(const FrequencyComparison& frequencies) {
  constexpr size_t kBins = FrequencyComparison::kBins;
  HeatMap map{.columns = kBins, .rows = kBins, .values = {}, .has_log_colors = true, .unit = "sites"};
  for (size_t study = 0; study < kBins; ++study) {
    for (size_t panel = 0; panel < kBins; ++panel) {
      const size_t count = frequencies.histogram[panel][study];
      map.values.push_back(count == 0 ? NAN : static_cast<double>(count));
    }
  }
  Chart chart("Allele frequency, study against panel", {.title = "panel"}, {.title = "study"});
  chart.AddHeatMap(std::move(map));
  chart.AddReferenceLine(0, 0, 1, 1);
  return chart;
}

void AddOutliers(const FrequencyComparison& frequencies, Page& page) {
  if (frequencies.outliers.empty()) return;
  PageTable table{.headings = {"largest differences", "study", "panel"}, .rows = {}, .summary = ""};
  for (const FrequencyOutlier& outlier : frequencies.outliers) {
    table.rows.push_back({outlier.site, fmt::format("{:.3f}", outlier.study), fmt::format("{:.3f}", outlier.panel)});
  }
  page.AddTable(table);
}

void AddSamples(const StudyCheck& check, Page& page) {
  const auto samples = SamplesMostMissing(check, kChartSamples);
  if (samples.empty()) return;
  PageTable table{.headings = {"most missing", "alleles", "missing", "%"}, .rows = {}, .summary = ""};
  for (const SampleCheck& sample : samples) {
    table.rows.push_back({sample.name, GroupDigits(sample.alleles), GroupDigits(sample.missing),
                          fmt::format("{:.2f}", 100 * sample.MissingShare())});
  }
  page.AddTable(table);
}

}  // namespace

std::string CheckPage(const StudyCheck& check, const CheckConclusion& conclusion, const Provenance& provenance) {
  Page page("Check of " + check.study_path);
  page.AddParagraph("Verdict: " + conclusion.text, ToneOf(check, conclusion));
  page.AddSection("To fix");
  AddFindings(check, page);
  page.AddSection("Files");
  page.AddFacts(FileRows(check));
  page.AddSection("Sites of the study");
  page.AddFacts(SiteRows(check));
  page.AddSection("Samples");
  page.AddFacts(SampleRows(check));
  AddSamples(check, page);
  if (check.HasPanel()) {
    page.AddSection("Allele frequencies of study and panel");
    page.AddFacts(FrequencyRows(check));
    page.AddChart(FrequencyChart(check.frequencies));
    AddOutliers(check.frequencies, page);
  }
  return page.Html(provenance);
}

}  // namespace haplospin
