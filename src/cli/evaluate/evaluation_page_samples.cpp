#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "cli/evaluate/evaluation_page_parts.h"
#include "core/group_digits.h"

namespace haplospin {
namespace {

constexpr size_t kQuantiles = 100;     // of the samples' accuracy
constexpr size_t kTableSamples = 500;  // in the table

Chart QuantileChart(const EvaluationReport& report) {
  Chart chart("r2 of each sample, in ascending order", ShareAxis("share of the samples"), {.title = "r2"});
  for (const Evaluation& evaluation : report.imputed) {
    std::vector<double> r2, x, y;
    for (const SampleAccuracy& sample : evaluation.samples) {
      if (!std::isnan(sample.r2)) r2.push_back(sample.r2);
    }
    std::ranges::sort(r2);
    const size_t points = std::min(r2.size(), kQuantiles);
    for (size_t i = 0; i < points; ++i) {
      const size_t rank = points == 1 ? 0 : i * (r2.size() - 1) / (points - 1);
      x.push_back((static_cast<double>(rank) + 0.5) / static_cast<double>(r2.size()));
      y.push_back(r2[rank]);
    }
    chart.AddLine(evaluation.name, x, y, LineMarkers::kNone);
  }
  return chart;
}

}  // namespace

void AddPopulations(const EvaluationReport& report, Page& page) {
  if (!report.populations) return;
  page.AddSection("Populations");
  Chart chart("r2 by population", {.title = "r2"}, {.labels = report.populations->names()});
  PageTable table{.headings = {"population", "samples"}, .rows = {}, .summary = ""};
  for (const std::string& name : report.populations->names()) {
    table.rows.push_back({name, GroupDigits(SamplesIn(*report.populations, table.rows.size()))});
  }
  AddMeasureHeadings(report, "concordance", table);
  for (const Evaluation& evaluation : report.imputed) {
    std::vector<double> r2;
    const auto populations = AccuracyOfGroups(evaluation, *report.populations);
    for (size_t p = 0; p < populations.size(); ++p) {
      r2.push_back(populations[p].r2);
      AddMeasures({populations[p].r2, populations[p].concordance, populations[p].non_reference_concordance},
                  table.rows[p]);
    }
    chart.AddDots(evaluation.name, r2);
  }
  page.AddChart(chart);
  page.AddTable(table);
}

void AddSamples(const EvaluationReport& report, Page& page) {
  page.AddSection("Samples");
  page.AddChart(QuantileChart(report));
  const std::vector<SampleAccuracy>& first = report.imputed[0].samples;
  std::vector<size_t> order(first.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return first[a].r2 < first[b].r2; });
  const bool has_all = order.size() <= kTableSamples;
  if (!has_all) order.resize(kTableSamples);

  PageTable table{.headings = {"sample"}, .rows = {}, .summary = ""};
  table.summary = has_all ? fmt::format("All {} samples, worst first", GroupDigits(order.size()))
                          : fmt::format("The {} worst of {} samples (--per-sample writes all)",
                                        GroupDigits(kTableSamples), GroupDigits(first.size()));
  if (report.populations) {
    table.headings.push_back("population");
    table.text_columns = 2;
  }
  AddMeasureHeadings(report, "concordance", table);
  for (const size_t s : order) {
    std::vector<std::string> row{first[s].name};
    if (report.populations) row.push_back(report.populations->names()[report.populations->group_of()[s]]);
    for (const Evaluation& evaluation : report.imputed) {
      const SampleAccuracy& sample = evaluation.samples[s];
      AddMeasures({sample.r2, sample.concordance, sample.non_reference_concordance}, row);
    }
    table.rows.push_back(std::move(row));
  }
  page.AddTable(table);
}

}  // namespace haplospin
