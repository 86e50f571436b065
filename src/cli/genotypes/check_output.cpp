#include "cli/genotypes/check_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/options/text_table.h"
#include "genomics/contig_names.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

constexpr size_t kSamplesShown = 3;
constexpr double kMuchMissing = 0.05;
constexpr double kMinCorrelation = 0.9;

std::string Percent(size_t part, size_t whole) {
  if (whole == 0) return "";
  return fmt::format(" ({:.1f} %)", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string Examples(const StudyCheck& check, SiteFit fit) {
  const std::vector<std::string>& examples = check.examples[static_cast<size_t>(fit)];
  return examples.empty() ? "" : "; first: " + examples.front();
}

std::string FileName(const std::string& path) { return std::filesystem::path(path).filename(); }

std::vector<std::string> StudyContigs(const StudyCheck& check) {
  std::vector<std::string> names;
  for (const ContigCheck& contig : check.contigs) names.push_back(contig.name);
  return names;
}

size_t SitesOfPanelContigs(const StudyCheck& check) {
  size_t sites = 0;
  for (const ContigCheck& contig : check.contigs) sites += contig.panel_name.empty() ? 0 : contig.sites;
  return sites;
}

// By chance a position is one of the panel's as often as those are dense.
bool PositionsDisagree(const StudyCheck& check) {
  double sites = 0, same = 0, by_chance = 0;
  for (const ContigCheck& contig : check.contigs) {
    if (contig.panel_name.empty()) continue;
    sites += static_cast<double>(contig.sites);
    same += static_cast<double>(contig.same_position);
    by_chance += static_cast<double>(contig.sites) * static_cast<double>(contig.panel_sites) /
                 static_cast<double>(contig.last - contig.first + 1);
  }
  return sites >= 20 && same < 0.05 * sites + 2 * by_chance && same < 0.5 * sites;
}

size_t MisfitCount(const StudyCheck& check) {
  return check.Count(SiteFit::kSwapped) + check.Count(SiteFit::kFlipped) + check.Count(SiteFit::kFlippedAndSwapped);
}

void AddContigFindings(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  std::vector<std::string> absent, renamed;
  for (const ContigCheck& contig : check.contigs) {
    if (contig.panel_name.empty()) {
      absent.push_back(contig.name);
    } else if (contig.panel_name != contig.name) {
      renamed.push_back(fmt::format("{} is {}", contig.name, contig.panel_name));
    }
  }
  if (!absent.empty()) {
    findings.push_back(
        {fmt::format("contigs that the panel lacks: {} (it has {})", JoinNames(absent), JoinNames(check.panel_contigs)),
         "give the panel of these contigs, or rename them (bcftools annotate --rename-chrs)"});
  }
  if (!renamed.empty()) {
    findings.push_back({fmt::format("contigs are named otherwise in the panel: {}", JoinNames(renamed)),
                        "haplospin impute takes them as they are; --fix renames them", true});
  }
  const bool builds_differ =
      !check.study_build.empty() && !check.panel_build.empty() && check.study_build != check.panel_build;
  if (builds_differ || PositionsDisagree(check)) {
    findings.push_back({builds_differ
                            ? fmt::format("the study's contig lengths are those of {}, the panel's those of {}",
                                          check.study_build, check.panel_build)
                            : fmt::format("only {} of {} positions are the panel's: probably another genome build",
                                          GroupDigits(check.SamePosition()), GroupDigits(SitesOfPanelContigs(check))),
                        "lift the study over to the panel's build (bcftools +liftover, Picard LiftoverVcf)"});
  }
}

void AddSiteFindings(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  const auto add = [&](SiteFit fit, const std::string& what, const std::string& remedy, bool is_fixed) {
    const size_t count = check.Count(fit);
    if (count == 0) return;
    findings.push_back({fmt::format("{} {}{}", GroupDigits(count), what, Examples(check, fit)), remedy, is_fixed});
  };
  add(SiteFit::kSwapped, "sites have REF and ALT swapped", "--fix exchanges them and recodes the genotypes", true);
  add(SiteFit::kFlipped, "sites are on the other strand", "--fix flips them", true);
  add(SiteFit::kFlippedAndSwapped, "sites are on the other strand with REF and ALT swapped",
      "--fix flips and exchanges them", true);
  add(SiteFit::kUndecided, "A/T or C/G sites whose strand cannot be told",
      check.samples.size() < 20 ? "20 samples or more are needed to tell; --fix leaves them out"
                                : "--fix leaves them out",
      true);
  add(SiteFit::kDuplicate, "sites repeat another", "--fix keeps the first", true);
  add(SiteFit::kOtherAlleles, "sites have other alleles than the panel",
      "not used for imputation; remove them if they are many (bcftools norm may mend indels)", false);
  if (check.SamePosition() > 0 && check.Count(SiteFit::kSame) == 0 && MisfitCount(check) == 0) {
    findings.push_back({"no site has the panel's alleles", "check that both code REF and ALT of the same genome"});
  }
}

void AddQualityFindings(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  const auto samples = std::ranges::count_if(
      check.samples, [](const SampleCheck& sample) { return sample.MissingShare() > kMuchMissing; });
  if (samples > 0) {
    findings.push_back({fmt::format("{} samples lack more than 5 % of their genotypes", samples),
                        "consider leaving them out (bcftools view -s ^NAME)"});
  }
  if (check.sites_often_missing > 0) {
    findings.push_back(
        {fmt::format("{} sites lack more than 10 % of their genotypes", GroupDigits(check.sites_often_missing)),
         "consider leaving them out (bcftools view -e 'F_MISSING>0.1')"});
  }
  const FrequencyComparison& frequencies = check.frequencies;
  if (frequencies.num_outliers > 0) {
    const FrequencyOutlier& first = frequencies.outliers.front();
    findings.push_back({fmt::format("{} sites have another allele frequency than the panel; first: {}, {:.3f} against "
                                    "{:.3f}",
                                    GroupDigits(frequencies.num_outliers), first.site, first.study, first.panel),
                        "look at their genotype clusters, or leave them out"});
  }
  if (frequencies.sites >= 20 && frequencies.correlation < kMinCorrelation) {
    findings.push_back(
        {fmt::format("allele frequencies correlate with the panel's by {:.3f} only", frequencies.correlation),
         "use a panel of the study's ancestry, and check that alleles were not coded A/B"});
  }
}

nlohmann::ordered_json NumberOrNull(double value) {
  return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(std::stod(fmt::format("{:.6g}", value)));
}

constexpr const char* kFitKeys[kNumSiteFits] = {
    "same",          "swapped",     "strand_flipped", "strand_flipped_and_swapped", "ambiguous_undecided", "duplicate",
    "other_alleles", "without_alt", "not_in_panel"};

nlohmann::ordered_json SitesJson(const StudyCheck& check) {
  nlohmann::ordered_json json = {{"total", check.sites}, {"same_position", check.SamePosition()}};
  for (size_t fit = 0; fit < kNumSiteFits; ++fit) json[kFitKeys[fit]] = check.fits[fit];
  json["ambiguous"] = {{"total", check.ambiguous},
                       {"same_strand", check.ambiguous_same_strand},
                       {"other_strand", check.ambiguous_other_strand},
                       {"undecided", check.ambiguous - check.ambiguous_same_strand - check.ambiguous_other_strand}};
  json["often_missing"] = check.sites_often_missing;
  for (size_t fit = 0; fit < kNumSiteFits; ++fit) {
    if (!check.examples[fit].empty()) json["examples"][kFitKeys[fit]] = check.examples[fit];
  }
  return json;
}

nlohmann::ordered_json FrequenciesJson(const FrequencyComparison& frequencies) {
  nlohmann::ordered_json json = {{"sites", frequencies.sites},
                                 {"correlation", NumberOrNull(frequencies.correlation)},
                                 {"outliers", frequencies.num_outliers},
                                 {"largest", nlohmann::ordered_json::array()}};
  for (const FrequencyOutlier& outlier : frequencies.outliers) {
    json["largest"].push_back(
        {{"site", outlier.site}, {"study", NumberOrNull(outlier.study)}, {"panel", NumberOrNull(outlier.panel)}});
  }
  return json;
}

std::string PloidyText(const SampleCheck& sample) {
  return sample.is_haploid ? sample.is_diploid ? "1 and 2" : "1" : "2";
}

std::string RowsText(const std::string& title, const CheckRows& rows) {
  if (rows.empty()) return "";
  size_t width = 0;
  for (const auto& [name, value] : rows) width = std::max(width, name.size());
  std::string text = title + "\n";
  for (const auto& [name, value] : rows) text += fmt::format("  {:<{}}  {}\n", name, width, value);
  return text + "\n";
}

}  // namespace

std::vector<CheckFinding> CheckFindings(const StudyCheck& check) {
  std::vector<CheckFinding> findings;
  AddContigFindings(check, findings);
  AddSiteFindings(check, findings);
  AddQualityFindings(check, findings);
  return findings;
}

CheckRows FileRows(const StudyCheck& check) {
  const auto build = [](const std::string& name) { return name.empty() ? "not told by its header" : name; };
  CheckRows rows{
      {"study", fmt::format("{}: {} samples, {} sites, contigs {}", check.study_path, GroupDigits(check.samples.size()),
                            GroupDigits(check.sites), JoinNames(StudyContigs(check)))},
      {"panel", fmt::format("{}: {} samples, contigs {}", check.panel_path, GroupDigits(check.panel_samples),
                            JoinNames(check.panel_contigs))},
      {"genome build", fmt::format("study {}, panel {}; positions {}", build(check.study_build),
                                   build(check.panel_build), PositionsDisagree(check) ? "disagree" : "agree")}};
  if (check.SamePosition() == 0) rows.back().second = "study and panel share no position";
  for (const ArrayFit& array : check.arrays) {
    rows.emplace_back("array " + FileName(array.path),
                      fmt::format("{} of its {} sites there{}", GroupDigits(array.shared),
                                  GroupDigits(array.sites_there), Percent(array.shared, array.sites_there)));
  }
  if (!check.arrays.empty()) {
    rows.emplace_back("array", check.identified_array < 0
                                   ? "none of the lists fits the study"
                                   : FileName(check.arrays[static_cast<size_t>(check.identified_array)].path));
  }
  return rows;
}

CheckRows SiteRows(const StudyCheck& check) {
  CheckRows rows;
  const auto add = [&](const char* title, size_t count) {
    rows.emplace_back(title, GroupDigits(count) + Percent(count, check.sites));
  };
  add("at a panel position", check.SamePosition());
  add("same alleles", check.Count(SiteFit::kSame));
  add("REF and ALT swapped", check.Count(SiteFit::kSwapped));
  add("other strand", check.Count(SiteFit::kFlipped));
  add("other strand and swapped", check.Count(SiteFit::kFlippedAndSwapped));
  add("A/T or C/G, undecided", check.Count(SiteFit::kUndecided));
  add("duplicates", check.Count(SiteFit::kDuplicate));
  add("other alleles", check.Count(SiteFit::kOtherAlleles));
  add("without ALT", check.Count(SiteFit::kNoAlt));
  add("not in the panel", check.Count(SiteFit::kNotInPanel));
  rows.emplace_back(
      "A/T and C/G sites",
      fmt::format("{}: {} on the panel's strand, {} on the other, {} undecided", GroupDigits(check.ambiguous),
                  GroupDigits(check.ambiguous_same_strand), GroupDigits(check.ambiguous_other_strand),
                  GroupDigits(check.ambiguous - check.ambiguous_same_strand - check.ambiguous_other_strand)));
  return rows;
}

CheckRows SampleRows(const StudyCheck& check) {
  size_t haploid = 0, diploid = 0, mixed = 0, missing = 0, alleles = 0;
  for (const SampleCheck& sample : check.samples) {
    ++(sample.is_haploid ? sample.is_diploid ? mixed : haploid : diploid);
    missing += sample.missing;
    alleles += sample.alleles;
  }
  std::string worst;
  for (const SampleCheck& sample : SamplesMostMissing(check, kSamplesShown)) {
    worst += fmt::format("{}{} {:.2f} %", worst.empty() ? "; most: " : ", ", sample.name, 100 * sample.MissingShare());
  }
  return {{"ploidy", fmt::format("{} diploid, {} haploid, {} of both", GroupDigits(diploid), GroupDigits(haploid),
                                 GroupDigits(mixed))},
          {"missing alleles", GroupDigits(missing) + Percent(missing, alleles) + worst}};
}

CheckRows FrequencyRows(const StudyCheck& check) {
  const FrequencyComparison& frequencies = check.frequencies;
  return {{"sites compared", GroupDigits(frequencies.sites)},
          {"correlation",
           std::isnan(frequencies.correlation) ? "undefined" : fmt::format("{:.4f}", frequencies.correlation)},
          {"outliers", GroupDigits(frequencies.num_outliers)}};
}

std::vector<SampleCheck> SamplesMostMissing(const StudyCheck& check, size_t limit) {
  std::vector<SampleCheck> samples = check.samples;
  std::erase_if(samples, [](const SampleCheck& sample) { return sample.missing == 0; });
  std::ranges::stable_sort(samples, std::ranges::greater(), &SampleCheck::MissingShare);
  if (samples.size() > limit) samples.resize(limit);
  return samples;
}

std::string CheckText(const StudyCheck& check) {
  std::string text = RowsText("Files", FileRows(check)) + RowsText("Sites of the study", SiteRows(check)) +
                     RowsText("Samples", SampleRows(check)) +
                     RowsText("Allele frequencies of study and panel", FrequencyRows(check));
  const std::vector<CheckFinding> findings = CheckFindings(check);
  text += findings.empty() ? "Nothing to mend\n" : "To mend\n";
  for (const CheckFinding& finding : findings) text += fmt::format("  - {}\n    {}\n", finding.what, finding.remedy);
  return text;
}

std::string CheckJson(const StudyCheck& check) {
  using Json = nlohmann::ordered_json;
  const auto text_or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  Json json = {
      {"haplospin", kVersion},
      {"study",
       {{"path", check.study_path}, {"samples", check.samples.size()}, {"build", text_or_null(check.study_build)}}},
      {"panel",
       {{"path", check.panel_path}, {"samples", check.panel_samples}, {"build", text_or_null(check.panel_build)}}},
      {"contigs", Json::array()},
      {"sites", SitesJson(check)},
      {"frequencies", FrequenciesJson(check.frequencies)},
      {"arrays", Json::array()},
      {"array", Json()},
      {"findings", Json::array()},
      {"per_sample", Json::array()}};
  for (const ContigCheck& contig : check.contigs) {
    json["contigs"].push_back({{"name", contig.name},
                               {"panel_name", text_or_null(contig.panel_name)},
                               {"sites", contig.sites},
                               {"first", contig.first},
                               {"last", contig.last},
                               {"panel_sites", contig.panel_sites},
                               {"same_position", contig.same_position}});
  }
  for (const ArrayFit& array : check.arrays) {
    json["arrays"].push_back(
        {{"path", array.path}, {"sites", array.sites}, {"sites_there", array.sites_there}, {"shared", array.shared}});
  }
  if (check.identified_array >= 0) json["array"] = check.arrays[static_cast<size_t>(check.identified_array)].path;
  for (const CheckFinding& finding : CheckFindings(check)) {
    json["findings"].push_back(
        {{"what", finding.what}, {"remedy", finding.remedy}, {"mended_by_fix", finding.is_fixed}});
  }
  for (const SampleCheck& sample : check.samples) {
    json["per_sample"].push_back({{"sample", sample.name},
                                  {"ploidy", PloidyText(sample)},
                                  {"alleles", sample.alleles},
                                  {"missing", sample.missing}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace haplospin
