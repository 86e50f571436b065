#include "cli/evaluate/evaluation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include "core/group_digits.h"

namespace haplospin {
namespace {

std::string FileName(const std::string& path) { return std::filesystem::path(path).filename(); }

}  // namespace

std::string GroupTitle(const MafGroup& group) {
  if (IsAll(group)) return "all";
  if (group.includes_from) return fmt::format(">= {:.5g}", 100 * group.from);
  return fmt::format("{:.5g} - {:.5g}", 100 * group.from, 100 * group.to);
}

std::string ScoredText(const EvaluationReport& report) {
  std::string text =
      fmt::format("{} samples, {} sites scored", GroupDigits(report.num_samples), GroupDigits(report.num_scored));
  if (!report.target.empty()) {
    text += fmt::format("; {} typed sites of {} left out", GroupDigits(report.num_left_out), FileName(report.target));
  }
  if (report.num_not_in_reference > 0) {
    text += fmt::format("; {} sites not in {} left out", GroupDigits(report.num_not_in_reference),
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
  for (const std::string source : {"GP", "GT"}) {
    if (std::ranges::none_of(report.imputed, [&](const Evaluation& e) { return IqsSource(e) == source; })) continue;
    add("IQS of " + source,
        [&](const Evaluation& e) { return IqsSource(e) == source ? Share(e.groups[kAllSites].iqs) : "-"; });
  }
  add("mean |DR2 - site r2|, MAF >= 1 %",
      [](const auto& e) { return Share(e.groups[kFromOnePercent].dr2_mean_absolute_error); });
  add("mean DR2 - site r2, MAF >= 1 %", [](const auto& e) { return Signed(e.groups[kFromOnePercent].dr2_mean_error); });
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

std::string IqsSource(const Evaluation& evaluation) { return evaluation.has_posteriors ? "GP" : "GT"; }

}  // namespace haplospin
