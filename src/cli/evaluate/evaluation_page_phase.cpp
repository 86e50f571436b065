#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "cli/evaluate/evaluation_page_parts.h"

namespace haplospin {
namespace {

PageTable TableOf(std::vector<std::vector<std::string>> rows) {
  PageTable table{.headings = std::move(rows[0]), .rows = {}, .summary = ""};
  table.rows.assign(std::make_move_iterator(rows.begin() + 1), std::make_move_iterator(rows.end()));
  return table;
}

}  // namespace

void AddPhase(const EvaluationReport& report, Page& page) {
  if (report.phase.empty()) return;
  page.AddSection("Phase");
  page.AddParagraph(PhaseLegend());
  page.AddTable(TableOf(PhaseRows(report)));
  page.AddTable(TableOf(SwitchRowsByAlleleCount(report)));
}

}  // namespace haplospin
