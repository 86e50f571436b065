// The output of `haplospin evaluate` on the terminal.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cli/evaluate/evaluation_report.h"
#include "cli/options/output.h"
#include "core/group_digits.h"

namespace haplospin {
namespace {

std::string Heading(const EvaluationReport& report) {
  return fmt::format("{}\nMinor-allele frequency (MAF) of {}\n", ScoredText(report), FrequencySource(report));
}

std::string MissingNotes(const EvaluationReport& report) {
  std::string text;
  for (const Evaluation& evaluation : report.imputed) {
    const size_t sites = evaluation.groups[kAllSites].missing_sites;
    if (sites == 0 && evaluation.missing_genotypes == 0) continue;
    text += fmt::format("{}: missing, and scored as the mean: {} sites, {} genotypes of other sites\n", evaluation.name,
                        GroupDigits(sites), GroupDigits(evaluation.missing_genotypes));
  }
  return text.empty() ? text : "\n" + text;
}

// r2 of the samples of each population.
std::string PopulationTable(const EvaluationReport& report) {
  if (!report.populations) return "";
  std::vector<std::vector<std::string>> rows{{"population", "samples"}};
  for (const std::string& name : report.populations->names()) {
    rows.push_back({name, GroupDigits(SamplesIn(*report.populations, rows.size() - 1))});
  }
  for (const Evaluation& evaluation : report.imputed) {
    rows[0].push_back(report.imputed.size() == 1 ? "r2" : evaluation.name);
    const auto populations = AccuracyOfGroups(evaluation, *report.populations);
    for (size_t p = 0; p < populations.size(); ++p) rows[p + 1].push_back(Share(populations[p].r2));
  }
  return "\n" + TextTable(std::move(rows)).Text();
}

std::string EmpiricalNote(const Evaluation& evaluation) {
  if (evaluation.empirical.empty()) return "";
  return fmt::format("ER2 (leave-one-out r2 of typed sites): mean {}, {} sites\n", Share(evaluation.MeanEmpiricalR2()),
                     GroupDigits(evaluation.empirical.size()));
}

std::string OneFile(const EvaluationReport& report) {
  const Evaluation& evaluation = report.imputed.front();
  TextTable table;
  table.AddRow({"MAF %", "sites", "r2", "site r2", "MSE", "concord.", "non-ref", "IQS", "|DR2-r2|", "DR2-r2"});
  for (size_t g = 0; g < kNumMafGroups; ++g) {
    const GroupAccuracy& a = evaluation.groups[g];
    if (a.sites == 0) continue;
    table.AddRow({GroupTitle(kMafGroups[g]), GroupDigits(a.sites), Share(a.r2), Share(a.mean_r2), Scientific(a.mse),
                  Share(a.concordance), Share(a.non_reference_concordance), Share(a.iqs),
                  Share(a.dr2_mean_absolute_error), Signed(a.dr2_mean_error)});
  }
  return fmt::format(
             "{}\n{}\n{}\n"
             "r2: squared correlation of the minor allele's dosage with the truth, genotypes of all sites pooled\n"
             "(of the ALT dosage, all sites: {}); site r2: mean of the r2 of each site; MSE: mean squared error of\n"
             "the dosage; concord.: concordance of the genotypes; non-ref: where the truth or the call has ALT;\n"
             "IQS: from {}; DR2: the file's estimate of the r2 of a site\n",
             Heading(report), evaluation.name, table.Text(), Share(evaluation.groups[kAllSites].alt_r2),
             IqsSource(evaluation)) +
         EmpiricalNote(evaluation);
}

std::string SeveralFiles(const EvaluationReport& report) {
  TextTable bins;
  std::vector<std::string> heading{"MAF %", "sites"};
  for (const Evaluation& evaluation : report.imputed) heading.push_back(evaluation.name);
  bins.AddRow(heading);
  for (size_t g = 0; g < kNumMafBins; ++g) {
    const size_t sites = report.imputed[0].groups[g].sites;
    if (sites == 0) continue;
    std::vector<std::string> row{GroupTitle(kMafGroups[g]), GroupDigits(sites)};
    for (const Evaluation& evaluation : report.imputed) row.push_back(Share(evaluation.groups[g].r2));
    bins.AddRow(row);
  }
  return fmt::format("{}\nr2 of the minor allele's dosage, genotypes of all sites of a bin pooled\n{}\n{}",
                     Heading(report), bins.Text(), TextTable(SummaryRows(report)).Text());
}

std::string PhaseTables(const EvaluationReport& report) {
  if (report.phase.empty()) return "";
  return fmt::format("\n{}\n{}\n{}\n", TextTable(PhaseRows(report)).Text(),
                     TextTable(SwitchRowsByAlleleCount(report)).Text(), PhaseLegend());
}

}  // namespace

std::string EvaluationTable(const EvaluationReport& report) {
  return (report.imputed.size() == 1 ? OneFile(report) : SeveralFiles(report)) + PopulationTable(report) +
         MissingNotes(report) + PhaseTables(report);
}

}  // namespace haplospin
