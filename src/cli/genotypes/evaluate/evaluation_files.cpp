// The outputs of `haplospin evaluate` for other programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <type_traits>
#include <variant>

#include "cli/genotypes/evaluate/evaluation_report.h"
#include "cli/options/output.h"

namespace haplospin {
namespace {

using Json = nlohmann::ordered_json;

// A column of the TSV files, and the key of the same value in JSON.
template <typename Row>
struct ReportColumn {
  const char* key;
  std::variant<size_t Row::*, double Row::*> value;
};

constexpr ReportColumn<GroupAccuracy> kGroupColumns[] = {
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

constexpr ReportColumn<SampleAccuracy> kSampleColumns[] = {
    {"genotypes", &SampleAccuracy::genotypes},
    {"r2", &SampleAccuracy::r2},
    {"mse", &SampleAccuracy::mse},
    {"concordance", &SampleAccuracy::concordance},
    {"non_reference_concordance", &SampleAccuracy::non_reference_concordance},
    {"iqs", &SampleAccuracy::iqs},
};

std::string GroupName(const MafGroup& group) {
  if (IsAll(group)) return "all";
  return group.includes_from ? fmt::format(">={}", group.from) : fmt::format("({},{}]", group.from, group.to);
}

template <typename Row>
std::string TsvCells(const Row& row, std::span<const ReportColumn<Row>> columns) {
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
std::string TsvHeading(std::span<const ReportColumn<Row>> columns) {
  std::string heading;
  for (const auto& column : columns) heading += fmt::format("\t{}", column.key);
  return heading;
}

Json ToJson(size_t value) { return value; }
Json ToJson(double value) { return JsonNumber(value); }

template <typename Row>
void AddToJson(const Row& row, std::span<const ReportColumn<Row>> columns, Json& json) {
  for (const auto& column : columns) {
    std::visit([&](const auto member) { json[column.key] = ToJson(row.*member); }, column.value);
  }
}

// Calls visit(group, accuracy) for the groups of all reports, then for those of --bins.
template <typename Visit>
void ForEachGroup(const EvaluationReport& report, const Evaluation& evaluation, Visit visit) {
  for (size_t g = 0; g < kNumMafGroups; ++g) visit(kMafGroups[g], evaluation.groups[g]);
  for (size_t g = 0; g < report.own_bins.size(); ++g) visit(report.own_bins[g], evaluation.own_bins[g]);
}

Json GroupsJson(const EvaluationReport& report, const Evaluation& evaluation) {
  Json list = Json::array();
  ForEachGroup(report, evaluation, [&](const MafGroup& group, const GroupAccuracy& accuracy) {
    Json entry = {{"group", GroupName(group)}, {"maf_from", group.from}, {"maf_to", group.to}};
    AddToJson<GroupAccuracy>(accuracy, kGroupColumns, entry);
    list.push_back(entry);
  });
  return list;
}

Json SamplesJson(const Evaluation& evaluation) {
  Json list = Json::array();
  for (const SampleAccuracy& sample : evaluation.samples) {
    Json entry = {{"sample", sample.name}};
    AddToJson<SampleAccuracy>(sample, kSampleColumns, entry);
    list.push_back(entry);
  }
  return list;
}

Json PopulationsJson(const SampleGroups& populations, const Evaluation& evaluation) {
  Json list = Json::array();
  for (const SampleAccuracy& population : AccuracyOfGroups(evaluation, populations)) {
    Json entry = {{"population", population.name}, {"samples", SamplesIn(populations, list.size())}};
    AddToJson<SampleAccuracy>(population, kSampleColumns, entry);
    list.push_back(entry);
  }
  return list;
}

Json PhaseJson(const PhaseAccuracy& phase) {
  Json by_allele_count = Json::array();
  for (const AlleleCountSwitches& bin : phase.by_allele_count) {
    by_allele_count.push_back({{"from", bin.from},
                               {"to", bin.to == SIZE_MAX ? Json() : Json(bin.to)},
                               {"neighbors", bin.switches.neighbors},
                               {"switch_errors", bin.switches.errors}});
  }
  return {{"neighbors", phase.switches.neighbors},
          {"switch_errors", phase.switches.errors},
          {"switch_error_rate", JsonNumber(phase.switches.rate())},
          {"flips", phase.flips},
          {"heterozygotes", phase.heterozygotes},
          {"hamming_errors", phase.hamming_errors},
          {"block_n50", phase.block_n50},
          {"block_n50_without_switch_error", phase.correct_n50},
          {"by_allele_count", by_allele_count}};
}

}  // namespace

std::string EvaluationTsv(const EvaluationReport& report) {
  const std::span<const ReportColumn<GroupAccuracy>> columns(kGroupColumns);
  std::string text = "imputed\tgroup\tmaf_from\tmaf_to" + TsvHeading(columns) + "\tiqs_from\n";
  for (const Evaluation& evaluation : report.imputed) {
    ForEachGroup(report, evaluation, [&](const MafGroup& group, const GroupAccuracy& accuracy) {
      text += fmt::format("{}\t{}\t{}\t{}{}\t{}\n", evaluation.name, GroupName(group), group.from, group.to,
                          TsvCells(accuracy, columns), IqsSource(evaluation));
    });
  }
  return text;
}

std::string PerSampleTsv(const EvaluationReport& report) {
  const std::span<const ReportColumn<SampleAccuracy>> columns(kSampleColumns);
  std::string text = "imputed\tsample" + TsvHeading(columns) + "\tiqs_from\n";
  for (const Evaluation& evaluation : report.imputed) {
    for (const SampleAccuracy& sample : evaluation.samples) {
      text +=
          fmt::format("{}\t{}{}\t{}\n", evaluation.name, sample.name, TsvCells(sample, columns), IqsSource(evaluation));
    }
  }
  return text;
}

std::string PerSiteTsv(const EvaluationReport& report, const TruthSet& truth) {
  const auto number = [](double value) { return std::isnan(value) ? "NA" : fmt::format("{:.6g}", value); };
  std::string text = "imputed\tcontig\tposition\tid\tref\talt\tmaf\tgenotypes\tr2\tmse\tdr2\n";
  for (const Evaluation& evaluation : report.imputed) {
    std::vector<const SiteAccuracy*> sites;
    for (const SiteAccuracy& site : evaluation.sites) sites.push_back(&site);
    std::ranges::sort(sites, {}, &SiteAccuracy::site);
    for (const SiteAccuracy* site : sites) {
      const Marker& marker = truth.marker(site->site);
      const double frequency = truth.alt_frequency(site->site);
      const bool varies = site->minor.VarianceOfTruth() > 0;
      text +=
          fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", evaluation.name, truth.contig(site->site),
                      marker.position, marker.id, marker.ref, marker.alt, number(std::min(frequency, 1 - frequency)),
                      site->minor.n, number(varies ? site->minor.SiteR2() : kUndefined),
                      number(site->minor.MeanSquaredError()), number(site->estimated_r2));
    }
  }
  return text;
}

std::string EvaluationJson(const EvaluationReport& report) {
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
                 {"groups", GroupsJson(report, evaluation)},
                 {"per_sample", SamplesJson(evaluation)}};
    if (i > 0) {
      const RelativeError relative = ErrorRelativeTo(evaluation, report.imputed.front());
      file["mse_relative_to_first"] = {{"ratio", JsonNumber(relative.ratio)},
                                       {"low", JsonNumber(relative.low)},
                                       {"high", JsonNumber(relative.high)}};
    }
    if (evaluation.repeats) {
      file["repeat_lengths"] = {{"records", evaluation.repeats->records},
                                {"mean_r2", JsonNumber(evaluation.repeats->mean_r2)}};
    }
    if (report.populations) file["per_population"] = PopulationsJson(*report.populations, evaluation);
    if (!report.phase.empty()) file["phase"] = PhaseJson(report.phase[i]);
    json["imputed"].push_back(file);
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace haplospin
