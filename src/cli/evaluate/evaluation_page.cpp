#include "cli/evaluate/evaluation_page.h"

#include <iterator>
#include <utility>
#include <vector>

#include "cli/evaluate/evaluation_page_parts.h"
#include "cli/evaluate/measure_text.h"
#include "report/page.h"

namespace haplospin {
namespace {

void AddSummary(const EvaluationReport& report, Page& page) {
  std::vector<std::pair<std::string, std::string>> facts{{"truth", report.truth}};
  for (size_t i = 0; i < report.paths.size(); ++i) facts.emplace_back(report.imputed[i].name, report.paths[i]);
  if (!report.reference.empty()) facts.emplace_back("reference", report.reference);
  if (!report.target.empty()) facts.emplace_back("typed", report.target);
  facts.emplace_back("scored", ScoredText(report));
  facts.emplace_back("allele frequencies of", FrequencySource(report));
  page.AddFacts(facts);
  std::vector<std::vector<std::string>> rows = SummaryRows(report);
  PageTable table{.headings = std::move(rows[0]), .rows = {}, .summary = ""};
  table.rows.assign(std::make_move_iterator(rows.begin() + 1), std::make_move_iterator(rows.end()));
  page.AddTable(table);
}

// "File: haplospin 0.1.0, imputer.safetensors, sha256:..."; no line where the header says nothing.
void AddModels(const EvaluationReport& report, Page& page) {
  for (const Evaluation& evaluation : report.imputed) {
    if (evaluation.program.empty() && evaluation.model.empty()) continue;
    const char* separator = evaluation.program.empty() || evaluation.model.empty() ? "" : ", ";
    page.AddModel(evaluation.name + ": " + evaluation.program + separator + evaluation.model);
  }
}

}  // namespace

ChartAxis ShareAxis(const std::string& title) { return {.title = title, .low = 0, .high = 1}; }

void AddMeasureHeadings(const EvaluationReport& report, const std::string& second, PageTable& table) {
  for (const Evaluation& evaluation : report.imputed) {
    table.headings.push_back(evaluation.name + ": r2");
    table.headings.push_back(second);
    table.headings.push_back("non-ref concordance");
  }
}

void AddMeasures(std::initializer_list<double> values, std::vector<std::string>& row) {
  for (const double value : values) row.push_back(Share(value));
}

std::string EvaluationPage(const EvaluationReport& report, const TruthSet& truth, const Provenance& provenance) {
  Page page("Imputation accuracy");
  AddSummary(report, page);
  AddFrequencies(report, page);
  AddCalibration(report, truth, page);
  AddAlongContigs(report, truth, page);
  AddPopulations(report, page);
  AddPhase(report, page);
  AddSamples(report, page);
  AddModels(report, page);
  return page.Html(provenance);
}

}  // namespace haplospin
