#include "cli/genotypes/evaluate/evaluation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "cli/options/output.h"
#include "core/counted.h"

namespace haplospin {
namespace {

std::string FileName(const std::string& path) { return std::filesystem::path(path).filename(); }

std::string Heading(const EvaluationReport& report) {
  return fmt::format("{}\nMinor-allele frequency (MAF) of {}\n", ScoredText(report), FrequencySource(report));
}

std::string MissingNotes(const EvaluationReport& report) {
  std::string text;
  for (const Evaluation& evaluation : report.imputed) {
    const size_t sites = evaluation.groups[kAllSites].missing_sites;
    if (sites == 0 && evaluation.missing_genotypes == 0) continue;
    text += fmt::format("{}: missing, and scored as the mean: {}, {} of other sites\n", evaluation.name,
                        CountedInGroups(sites, "site"), CountedInGroups(evaluation.missing_genotypes, "genotype"));
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

std::string RepeatNote(const Evaluation& evaluation) {
  if (!evaluation.repeats) return "";
  return fmt::format("length of repeats: mean r2 {}, {}\n", Share(evaluation.repeats->mean_r2),
                     CountedInGroups(evaluation.repeats->records, "record"));
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
             evaluation.has_posteriors || evaluation.has_genotypes ? IqsSource(evaluation) : "rounded dosages") +
         EmpiricalNote(evaluation) + RepeatNote(evaluation);
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

std::string GroupTitle(const MafGroup& group) {
  if (IsAll(group)) return "all";
  if (group.includes_from) return fmt::format(">= {:.5g}", 100 * group.from);
  return fmt::format("{:.5g} - {:.5g}", 100 * group.from, 100 * group.to);
}

std::string ScoredText(const EvaluationReport& report) {
  std::string text = fmt::format("{}, {} scored", CountedInGroups(report.num_samples, "sample"),
                                 CountedInGroups(report.num_scored, "site"));
  if (!report.target.empty()) {
    text +=
        fmt::format("; {} of {} left out", CountedInGroups(report.num_left_out, "typed site"), FileName(report.target));
  }
  if (report.num_not_in_reference > 0) {
    text += fmt::format("; {} not in {} left out", CountedInGroups(report.num_not_in_reference, "site"),
                        FileName(report.reference));
  }
  return text;
}

std::string FrequencySource(const EvaluationReport& report) {
  return report.reference.empty() ? "the genotypes of the truth" : FileName(report.reference);
}

std::vector<std::vector<std::string>> SummaryRows(const EvaluationReport& report) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& title, const auto& value) {
    std::vector<std::string> row{title};
    for (const Evaluation& evaluation : report.imputed) row.push_back(value(evaluation));
    rows.push_back(std::move(row));
  };
  const auto all = [](double GroupAccuracy::*measure) {
    return [measure](const Evaluation& e) { return Share(e.groups[kAllSites].*measure); };
  };
  add("", [](const Evaluation& e) { return e.name; });
  add("pooled r2, all sites", all(&GroupAccuracy::r2));
  add("the same of the ALT allele", all(&GroupAccuracy::alt_r2));
  add("mean site r2, MAF >= 0.5 %", [](const auto& e) { return Share(e.groups[kFromHalfPercent].mean_r2); });
  add("mean site r2, MAF >= 5 %", [](const auto& e) { return Share(e.groups[kFromFivePercent].mean_r2); });
  add("mean squared error of the dosage", [](const auto& e) { return Scientific(e.groups[kAllSites].mse); });
  if (report.imputed.size() > 1) {
    const Evaluation& first = report.imputed.front();
    add("squared error relative to " + first.name,
        [&](const Evaluation& e) { return &e == &first ? "1" : Share(ErrorRelativeTo(e, first).ratio); });
    add("its 95 % confidence interval over samples", [&](const Evaluation& e) {
      const RelativeError relative = ErrorRelativeTo(e, first);
      return &e == &first || std::isnan(relative.low) ? "-" : fmt::format("{:.4f}-{:.4f}", relative.low, relative.high);
    });
  }
  add("concordance", all(&GroupAccuracy::concordance));
  add("non-reference concordance", all(&GroupAccuracy::non_reference_concordance));
  // The IQS of GP and the IQS of GT cannot be compared.
  for (const std::string source : {"GP", "GT", "DS"}) {
    if (std::ranges::none_of(report.imputed, [&](const Evaluation& e) { return IqsSource(e) == source; })) continue;
    add("IQS of " + source,
        [&](const Evaluation& e) { return IqsSource(e) == source ? Share(e.groups[kAllSites].iqs) : "-"; });
  }
  add("mean |DR2 - site r2|, MAF >= 1 %",
      [](const auto& e) { return Share(e.groups[kFromOnePercent].dr2_mean_absolute_error); });
  add("mean DR2 - site r2, MAF >= 1 %", [](const auto& e) { return Signed(e.groups[kFromOnePercent].dr2_mean_error); });
  if (report.imputed[0].repeats) {
    add("mean r2 of the length of repeats", [](const Evaluation& e) { return Share(e.repeats->mean_r2); });
  }
  const bool has_empirical =
      std::ranges::any_of(report.imputed, [](const Evaluation& e) { return !e.empirical.empty(); });
  if (has_empirical) add("mean ER2 of typed sites", [](const auto& e) { return Share(e.MeanEmpiricalR2()); });
  return rows;
}

std::vector<std::vector<std::string>> PhaseRows(const EvaluationReport& report) {
  std::vector<std::vector<std::string>> rows{{"phase"}};
  for (const PhaseAccuracy& phase : report.phase) rows[0].push_back(phase.name);
  const auto add = [&](const std::string& title, auto text) {
    rows.push_back({title});
    for (const PhaseAccuracy& phase : report.phase) rows.back().push_back(text(phase));
  };
  const auto number = [](int64_t value) { return GroupDigits(static_cast<size_t>(value)); };
  add("pairs of consecutive heterozygotes", [](const PhaseAccuracy& p) { return GroupDigits(p.switches.neighbors); });
  add("switch errors", [](const PhaseAccuracy& p) { return GroupDigits(p.switches.errors); });
  add("switch error %", [](const PhaseAccuracy& p) { return Percent(p.switches.rate()); });
  add("flips", [](const PhaseAccuracy& p) { return GroupDigits(p.flips); });
  add("Hamming error %", [](const PhaseAccuracy& p) { return Percent(p.hamming_rate()); });
  add("block N50, bp", [&](const PhaseAccuracy& p) { return number(p.block_n50); });
  add("block N50 without switch error, bp", [&](const PhaseAccuracy& p) { return number(p.correct_n50); });
  return rows;
}

std::vector<std::vector<std::string>> SwitchRowsByAlleleCount(const EvaluationReport& report) {
  std::vector<std::vector<std::string>> rows{{"copies of minor allele", "pairs"}};
  for (const PhaseAccuracy& phase : report.phase) rows[0].push_back(phase.name + ": switch error %");
  for (size_t b = 0; !report.phase.empty() && b < report.phase[0].by_allele_count.size(); ++b) {
    const AlleleCountSwitches& bin = report.phase[0].by_allele_count[b];
    if (bin.switches.neighbors == 0) continue;
    const std::string title = bin.to == SIZE_MAX   ? fmt::format(">= {}", bin.from)
                              : bin.from == bin.to ? std::to_string(bin.from)
                                                   : fmt::format("{} - {}", bin.from, bin.to);
    rows.push_back({title, GroupDigits(bin.switches.neighbors)});
    for (const PhaseAccuracy& phase : report.phase) {
      rows.back().push_back(Percent(phase.by_allele_count[b].switches.rate()));
    }
  }
  return rows;
}

std::string PhaseLegend() {
  return "Of heterozygotes phased in both files. Switch error: the phase relative to the heterozygote before is not "
         "that of the truth; flip: a single heterozygote with a switch error on either side; Hamming error: an allele "
         "on the wrong haplotype, with each block oriented as it fits the truth best";
}

size_t SamplesIn(const SampleGroups& populations, size_t population) {
  return static_cast<size_t>(std::ranges::count(populations.group_of(), population));
}

bool IsAll(const MafGroup& group) { return group.includes_from && group.from == 0; }

std::string IqsSource(const Evaluation& evaluation) {
  return evaluation.has_posteriors ? "GP" : evaluation.has_genotypes ? "GT" : "DS";
}

std::string EvaluationTable(const EvaluationReport& report) {
  return (report.imputed.size() == 1 ? OneFile(report) : SeveralFiles(report)) + PopulationTable(report) +
         MissingNotes(report) + PhaseTables(report);
}

}  // namespace haplospin
