#include <cmath>
#include <utility>

#include "cli/evaluate/evaluation_page_parts.h"
#include "core/group_digits.h"

namespace haplospin {
namespace {

// The position of a bin on a logarithmic axis, in percent.
double Middle(const MafGroup& group) {
  return 100 * (group.from > 0 ? std::sqrt(group.from * group.to) : group.to / 2);
}

Chart FrequencyChart(const EvaluationReport& report, const std::string& title, double GroupAccuracy::*measure) {
  Chart chart(title, {.title = "minor-allele frequency, %", .is_log = true}, ShareAxis("r2"));
  for (const Evaluation& evaluation : report.imputed) {
    std::vector<double> x, y;
    for (size_t g = 0; g < NumBins(report); ++g) {
      if (evaluation.groups[g].sites == 0) continue;
      x.push_back(Middle(report.groups[g]));
      y.push_back(evaluation.groups[g].*measure);
    }
    chart.AddLine(evaluation.name, x, y);
  }
  return chart;
}

}  // namespace

void AddFrequencies(const EvaluationReport& report, Page& page) {
  page.AddSection("Accuracy by allele frequency");
  page.AddChart(FrequencyChart(report, "r2, genotypes of a bin's sites pooled", &GroupAccuracy::r2));
  page.AddChart(FrequencyChart(report, "mean of the sites' own r2", &GroupAccuracy::mean_r2));
  PageTable table{.headings = {"MAF %", "sites"}, .rows = {}, .summary = ""};
  AddMeasureHeadings(report, "site r2", table);
  for (size_t g = 0; g < report.groups.size(); ++g) {
    if (report.imputed[0].groups[g].sites == 0) continue;
    std::vector<std::string> row{GroupTitle(report.groups[g]), GroupDigits(report.imputed[0].groups[g].sites)};
    for (const Evaluation& evaluation : report.imputed) {
      const GroupAccuracy& accuracy = evaluation.groups[g];
      AddMeasures({accuracy.r2, accuracy.mean_r2, accuracy.non_reference_concordance}, row);
    }
    table.rows.push_back(std::move(row));
  }
  page.AddTable(table);
}

}  // namespace haplospin
