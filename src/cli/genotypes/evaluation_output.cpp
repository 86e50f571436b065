#include "cli/genotypes/evaluation_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <variant>

#include "cli/options/text_table.h"

namespace haplospin {
namespace {

// A column of the TSV files, and the key of the same value in JSON.
template <typename Row>
struct Column {
  const char* key;
  std::variant<size_t Row::*, double Row::*> value;
};

constexpr Column<GroupAccuracy> kGroupColumns[] = {
    {"sites", &GroupAccuracy::sites},
    {"varying_sites", &GroupAccuracy::varying_sites},
    {"missing_sites", &GroupAccuracy::missing_sites},
    {"r2", &GroupAccuracy::r2},
    {"alt_r2", &GroupAccuracy::alt_r2},
    {"mean_site_r2", &GroupAccuracy::mean_r2},
    {"mse", &GroupAccuracy::mse},
    {"concordance", &GroupAccuracy::concordance},
    {"non_reference_concordance", &GroupAccuracy::non_reference_concordance},
    {"iqs", &GroupAccuracy::iqs},
    {"dr2_sites", &GroupAccuracy::rated_sites},
    {"dr2_mean_absolute_error", &GroupAccuracy::dr2_mean_absolute_error},
    {"dr2_mean_error", &GroupAccuracy::dr2_mean_error},
};

constexpr Column<SampleAccuracy> kSampleColumns[] = {
    {"genotypes", &SampleAccuracy::genotypes},
    {"r2", &SampleAccuracy::r2},
    {"mse", &SampleAccuracy::mse},
    {"concordance", &SampleAccuracy::concordance},
    {"non_reference_concordance", &SampleAccuracy::non_reference_concordance},
    {"iqs", &SampleAccuracy::iqs},
};

// The last groups, behind the bins.
enum SummaryGroup : size_t { kFromHalfPercent = 4, kFromOnePercent = 3, kFromFivePercent = 2, kAll = 1 };

const GroupAccuracy& Summary(const Evaluation& evaluation, SummaryGroup group) {
  return evaluation.groups[evaluation.groups.size() - group];
}

bool IsAll(const MafGroup& group) { return group.includes_from && group.from == 0; }

std::string GroupName(const MafGroup& group) {
  if (IsAll(group)) return "all";
  return group.includes_from ? fmt::format(">={}", group.from) : fmt::format("({},{}]", group.from, group.to);
}

template <typename Row>
std::string TsvCells(const Row& row, std::span<const Column<Row>> columns) {
  std::string cells;
  for (const auto& column : columns) {
    const auto format = [&](const auto member) {
      if constexpr (std::is_same_v<decltype(member), double Row::*const>) {
        cells += std::isnan(row.*member) ? "\tNA" : fmt::format("\t{:.6g}", row.*member);
      } else {
        cells += fmt::format("\t{}", row.*member);
      }
    };
    std::visit(format, column.value);
  }
  return cells;
}

template <typename Row>
std::string TsvHeading(std::span<const Column<Row>> columns) {
  std::string heading;
  for (const auto& column : columns) heading += fmt::format("\t{}", column.key);
  return heading;
}

// Six digits, as in the TSV files; nlohmann writes NaN as null.
nlohmann::ordered_json JsonNumber(size_t value) { return value; }
nlohmann::ordered_json JsonNumber(double value) {
  return std::isnan(value) ? value : std::stod(fmt::format("{:.6g}", value));
}

template <typename Row>
void AddToJson(const Row& row, std::span<const Column<Row>> columns, nlohmann::ordered_json& json) {
  for (const auto& column : columns) {
    std::visit([&](const auto member) { json[column.key] = JsonNumber(row.*member); }, column.value);
  }
}

std::string Share(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4f}", value); }
std::string Signed(double value) { return std::isnan(value) ? "-" : fmt::format("{:+.4f}", value); }
std::string Scientific(double value) { return std::isnan(value) ? "-" : fmt::format("{:.3e}", value); }

std::string FileName(const std::string& path) { return std::filesystem::path(path).filename(); }

std::string Heading(const EvaluationReport& report) {
  return fmt::format("{}\nMinor-allele frequency (MAF) of {}\n", ScoredText(report), FrequencySource(report));
}

std::string MissingNotes(const EvaluationReport& report) {
  std::string text;
  for (const Evaluation& evaluation : report.imputed) {
    const size_t sites = Summary(evaluation, kAll).missing_sites;
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
  TextTable table;
  for (std::vector<std::string>& row : rows) table.AddRow(std::move(row));
  return "\n" + table.Text();
}

std::string EmpiricalNote(const Evaluation& evaluation) {
  if (evaluation.empirical.empty()) return "";
  return fmt::format("ER2 (leave-one-out r2 of typed sites): {} on average, {} sites\n",
                     Share(evaluation.MeanEmpiricalR2()), GroupDigits(evaluation.empirical.size()));
}

std::string IqsSource(const Evaluation& evaluation) { return evaluation.has_posteriors ? "GP" : "GT"; }

std::string OneFile(const EvaluationReport& report) {
  const Evaluation& evaluation = report.imputed.front();
  TextTable table;
  table.AddRow({"MAF %", "sites", "r2", "site r2", "MSE", "concord.", "non-ref", "IQS", "|DR2-r2|", "DR2-r2"});
  for (size_t g = 0; g < report.groups.size(); ++g) {
    const GroupAccuracy& a = evaluation.groups[g];
    if (a.sites == 0) continue;
    table.AddRow({GroupTitle(report.groups[g]), GroupDigits(a.sites), Share(a.r2), Share(a.mean_r2), Scientific(a.mse),
                  Share(a.concordance), Share(a.non_reference_concordance), Share(a.iqs),
                  Share(a.dr2_mean_absolute_error), Signed(a.dr2_mean_error)});
  }
  return fmt::format(
             "{}\n{}\n{}\n"
             "r2: squared correlation of the minor allele's dosage with the truth, genotypes of all sites pooled ({} "
             "for "
             "ALT,\n"
             "all sites); site r2: mean of each site's own; MSE: of the dosage; non-ref: concordance where either has "
             "ALT;\n"
             "IQS: from {}; DR2: the file's own estimate of a site's r2\n",
             Heading(report), evaluation.name, table.Text(), Share(Summary(evaluation, kAll).alt_r2),
             IqsSource(evaluation)) +
         EmpiricalNote(evaluation);
}

std::string SeveralFiles(const EvaluationReport& report) {
  TextTable bins, summary;
  std::vector<std::string> heading{"MAF %", "sites"};
  for (const Evaluation& evaluation : report.imputed) heading.push_back(evaluation.name);
  bins.AddRow(heading);
  for (size_t g = 0; g + kFromHalfPercent < report.groups.size(); ++g) {
    const size_t sites = report.imputed[0].groups[g].sites;
    if (sites == 0) continue;
    std::vector<std::string> row{GroupTitle(report.groups[g]), GroupDigits(sites)};
    for (const Evaluation& evaluation : report.imputed) row.push_back(Share(evaluation.groups[g].r2));
    bins.AddRow(row);
  }

  for (std::vector<std::string>& row : SummaryRows(report)) summary.AddRow(std::move(row));
  return fmt::format("{}\nr2 of the minor allele's dosage, genotypes of all sites of a bin pooled\n{}\n{}",
                     Heading(report), bins.Text(), summary.Text());
}

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
  return report.reference.empty() ? "the truth's own genotypes" : FileName(report.reference);
}

std::vector<std::vector<std::string>> SummaryRows(const EvaluationReport& report) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& title, const auto& value) {
    std::vector<std::string> row{title};
    for (const Evaluation& evaluation : report.imputed) row.push_back(value(evaluation));
    rows.push_back(std::move(row));
  };
  const auto all = [](double GroupAccuracy::*measure) {
    return [measure](const Evaluation& e) { return Share(Summary(e, kAll).*measure); };
  };
  add("", [](const Evaluation& e) { return e.name; });
  add("pooled r2, all sites", all(&GroupAccuracy::r2));
  add("the same of the ALT allele", all(&GroupAccuracy::alt_r2));
  add("mean site r2, MAF >= 0.5 %", [](const auto& e) { return Share(Summary(e, kFromHalfPercent).mean_r2); });
  add("mean site r2, MAF >= 5 %", [](const auto& e) { return Share(Summary(e, kFromFivePercent).mean_r2); });
  add("mean squared error of the dosage", [](const auto& e) { return Scientific(Summary(e, kAll).mse); });
  add("concordance", all(&GroupAccuracy::concordance));
  add("non-reference concordance", all(&GroupAccuracy::non_reference_concordance));
  add("IQS", all(&GroupAccuracy::iqs));
  add("IQS is from", IqsSource);
  add("mean |DR2 - site r2|, MAF >= 1 %",
      [](const auto& e) { return Share(Summary(e, kFromOnePercent).dr2_mean_absolute_error); });
  add("mean DR2 - site r2, MAF >= 1 %",
      [](const auto& e) { return Signed(Summary(e, kFromOnePercent).dr2_mean_error); });
  const bool has_empirical =
      std::ranges::any_of(report.imputed, [](const Evaluation& e) { return !e.empirical.empty(); });
  if (has_empirical) add("mean ER2 of typed sites", [](const auto& e) { return Share(e.MeanEmpiricalR2()); });
  return rows;
}

size_t SamplesIn(const SampleGroups& populations, size_t population) {
  return static_cast<size_t>(std::ranges::count(populations.group_of(), population));
}

std::string EvaluationTable(const EvaluationReport& report) {
  return (report.imputed.size() == 1 ? OneFile(report) : SeveralFiles(report)) + PopulationTable(report) +
         MissingNotes(report);
}

std::string EvaluationTsv(const EvaluationReport& report) {
  const std::span<const Column<GroupAccuracy>> columns(kGroupColumns);
  std::string text = "imputed\tgroup\tmaf_from\tmaf_to" + TsvHeading(columns) + "\n";
  for (const Evaluation& evaluation : report.imputed) {
    for (size_t g = 0; g < report.groups.size(); ++g) {
      const MafGroup& group = report.groups[g];
      text += fmt::format("{}\t{}\t{}\t{}{}\n", evaluation.name, GroupName(group), group.from, group.to,
                          TsvCells(evaluation.groups[g], columns));
    }
  }
  return text;
}

std::string PerSampleTsv(const EvaluationReport& report) {
  const std::span<const Column<SampleAccuracy>> columns(kSampleColumns);
  std::string text = "imputed\tsample" + TsvHeading(columns) + "\n";
  for (const Evaluation& evaluation : report.imputed) {
    for (const SampleAccuracy& sample : evaluation.samples) {
      text += fmt::format("{}\t{}{}\n", evaluation.name, sample.name, TsvCells(sample, columns));
    }
  }
  return text;
}

std::string EvaluationJson(const EvaluationReport& report) {
  using Json = nlohmann::ordered_json;
  const auto path = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  Json json = {{"truth", report.truth},
               {"reference", path(report.reference)},
               {"target", path(report.target)},
               {"samples", report.num_samples},
               {"sites_scored", report.num_scored},
               {"typed_sites_left_out", report.num_left_out},
               {"sites_not_in_reference", report.num_not_in_reference},
               {"imputed", Json::array()}};
  for (size_t i = 0; i < report.imputed.size(); ++i) {
    const Evaluation& evaluation = report.imputed[i];
    Json file = {{"name", evaluation.name},
                 {"path", report.paths[i]},
                 {"iqs_from", IqsSource(evaluation)},
                 {"missing_genotypes", evaluation.missing_genotypes},
                 {"empirical_sites", evaluation.empirical.size()},
                 {"mean_empirical_r2", JsonNumber(evaluation.MeanEmpiricalR2())},
                 {"groups", Json::array()},
                 {"per_sample", Json::array()}};
    for (size_t g = 0; g < report.groups.size(); ++g) {
      const MafGroup& group = report.groups[g];
      Json entry = {{"group", GroupName(group)}, {"maf_from", group.from}, {"maf_to", group.to}};
      AddToJson<GroupAccuracy>(evaluation.groups[g], kGroupColumns, entry);
      file["groups"].push_back(entry);
    }
    for (const SampleAccuracy& sample : evaluation.samples) {
      Json entry = {{"sample", sample.name}};
      AddToJson<SampleAccuracy>(sample, kSampleColumns, entry);
      file["per_sample"].push_back(entry);
    }
    if (report.populations) {
      file["per_population"] = Json::array();
      for (const SampleAccuracy& population : AccuracyOfGroups(evaluation, *report.populations)) {
        Json entry = {{"population", population.name},
                      {"samples", SamplesIn(*report.populations, file["per_population"].size())}};
        AddToJson<SampleAccuracy>(population, kSampleColumns, entry);
        file["per_population"].push_back(entry);
      }
    }
    json["imputed"].push_back(file);
  }
  return json.dump(1) + "\n";
}

}  // namespace haplospin
