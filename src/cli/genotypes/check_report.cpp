// The report of `haplospin check`, as text and as a page.
#include "cli/genotypes/check_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "cli/options/output.h"
#include "core/counted.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "report/page.h"

namespace haplospin {
namespace {

constexpr size_t kPageSamples = 20;  // rows of the table of samples with the most missing genotypes

// Titles and their values.
using CheckRows = std::vector<std::pair<std::string, std::string>>;

std::string PercentText(size_t part, size_t whole) {
  if (whole == 0) return "";
  return fmt::format(" ({:.1f} %)", PercentageOf(part, whole));
}

std::string ArrayName(const std::string& path) { return std::filesystem::path(path).filename(); }

std::vector<std::string> StudyContigs(const StudyCheck& check) {
  std::vector<std::string> names;
  names.reserve(check.contigs.size());
  for (const ContigCheck& contig : check.contigs) names.push_back(contig.name);
  return names;
}

CheckRows FileRows(const StudyCheck& check) {
  const auto build = [](const std::string& name) { return name.empty() ? "not in the header" : name; };
  CheckRows rows{
      {"study", fmt::format("{}: {}, {}, contigs {}", check.options.study, Counted(check.samples.size(), "sample"),
                            CountedInGroups(check.sites, "site"), JoinNames(StudyContigs(check)))}};
  if (!check.HasPanel()) {
    rows.emplace_back("panel", "none");
    rows.emplace_back("genome build", build(check.study_build));
  } else {
    rows.emplace_back(
        "panel", fmt::format("{}: {}, contigs {}", check.options.panel, CountedInGroups(check.panel_samples, "sample"),
                             JoinNames(check.panel_contigs)));
    rows.emplace_back("genome build",
                      check.SamePosition() == 0
                          ? "study and panel have no position in common"
                          : fmt::format("study {}, panel {}; positions {}", build(check.study_build),
                                        build(check.panel_build), check.PositionsDisagree() ? "disagree" : "agree"));
  }
  for (const ArrayOverlap& array : check.arrays) {
    rows.emplace_back("array " + ArrayName(array.path),
                      fmt::format("{} of its {} sites there{}", GroupDigits(array.shared),
                                  GroupDigits(array.sites_there), PercentText(array.shared, array.sites_there)));
  }
  if (!check.arrays.empty()) {
    rows.emplace_back("array", check.identified_array < 0
                                   ? "none of the lists matches the study"
                                   : ArrayName(check.arrays[static_cast<size_t>(check.identified_array)].path));
  }
  return rows;
}

void AddCount(const StudyCheck& check, const char* title, size_t count, CheckRows& rows) {
  rows.emplace_back(title, GroupDigits(count) + PercentText(count, check.sites));
}

CheckRows ComparedSites(const StudyCheck& check) {
  CheckRows rows;
  const auto add = [&](const char* title, size_t count) { AddCount(check, title, count, rows); };
  add("at a panel position", check.SamePosition());
  add("same alleles", check.Count(SiteRelation::kSame));
  add("REF and ALT swapped", check.Count(SiteRelation::kSwapped));
  add("other strand", check.Count(SiteRelation::kFlipped));
  add("other strand and swapped", check.Count(SiteRelation::kFlippedAndSwapped));
  add("inverted", check.Count(SiteRelation::kInverted));
  add("A/T or C/G, undecided", check.Count(SiteRelation::kUndecided));
  add("duplicates", check.Count(SiteRelation::kDuplicate));
  add("other alleles", check.Count(SiteRelation::kOtherAlleles));
  add("without ALT", check.Count(SiteRelation::kNoAlt));
  if (check.without_alt_matched > 0) {
    rows.back().second +=
        fmt::format("; {} have an allele of the panel and are used", GroupDigits(check.without_alt_matched));
  }
  add("not in the panel", check.Count(SiteRelation::kNotInPanel));
  rows.emplace_back(
      "A/T and C/G sites",
      fmt::format("{}: {} on the panel's strand, {} on the other, {} undecided", GroupDigits(check.ambiguous),
                  GroupDigits(check.ambiguous_same_strand), GroupDigits(check.ambiguous_other_strand),
                  GroupDigits(check.ambiguous - check.ambiguous_same_strand - check.ambiguous_other_strand)));
  return rows;
}

CheckRows SiteRows(const StudyCheck& check) {
  CheckRows rows;
  const auto add = [&](const char* title, size_t count) { AddCount(check, title, count, rows); };
  if (check.HasPanel()) {
    rows = ComparedSites(check);
  } else {
    add("duplicates", check.Count(SiteRelation::kDuplicate));
    add("without ALT", check.quality.without_alt);
    add("A/T or C/G", check.quality.strand_ambiguous);
  }
  if (check.samples.size() > 1) add("monomorphic", check.quality.monomorphic);  // one person's sites mostly are
  add("MAF below 1 %", check.quality.rare);
  add("over 10 % missing", check.quality.often_missing);
  add("excess of heterozygotes", check.quality.heterozygous);
  return rows;
}

// Returns the samples with the most missing genotypes, in descending order, without those that have none.
std::vector<SampleCheck> SamplesMostMissing(const StudyCheck& check, size_t limit) {
  std::vector<SampleCheck> samples = check.samples;
  std::erase_if(samples, [](const SampleCheck& sample) { return sample.missing == 0; });
  std::ranges::stable_sort(samples, std::ranges::greater(), &SampleCheck::MissingShare);
  if (samples.size() > limit) samples.resize(limit);
  return samples;
}

std::string RelativesText(const FoundRelatives& relatives) {
  std::string text = "no parents and children found";
  if (relatives.with_both_parents + relatives.with_one_parent > 0) {
    text = fmt::format("{} with both parents, {} with one", CountedInGroups(relatives.with_both_parents, "sample"),
                       GroupDigits(relatives.with_one_parent));
  } else if (relatives.is_too_short) {
    text = fmt::format("the sites span {:.0f} cM, too short to tell parents and children", relatives.centimorgans);
  }
  if (relatives.undecided == 0) return text;
  return text + fmt::format("; {} more seem to have close relatives, but the genome is too short to tell which",
                            GroupDigits(relatives.undecided));
}

std::string DuplicatesText(const FoundDuplicates& duplicates) {
  if (duplicates.is_too_short) {
    return fmt::format("the sites span {:.0f} cM, too short to tell them from full sibs", duplicates.centimorgans);
  }
  return duplicates.pairs.empty() ? "none" : CountedInGroups(duplicates.pairs.size(), "pair");
}

std::string SexesText(const SexCheck& sexes) {
  const size_t others = sexes.contradictions.size();
  return fmt::format("{} as given, {} not", GroupDigits(sexes.compared - others), GroupDigits(others));
}

CheckRows SampleRows(const StudyCheck& check) {
  size_t haploid = 0, diploid = 0, mixed = 0, absent = 0, missing = 0, alleles = 0;
  for (const SampleCheck& sample : check.samples) {
    ++(sample.is_haploid ? sample.is_diploid ? mixed : haploid : sample.is_diploid ? diploid : absent);
    missing += sample.missing;
    alleles += sample.alleles;
  }
  std::string worst;
  for (const SampleCheck& sample : SamplesMostMissing(check, kSamplesShown)) {
    worst += fmt::format("{}{} {:.2f} %", worst.empty() ? "; most: " : ", ", sample.name, 100 * sample.MissingShare());
  }
  const std::string without = absent == 0 ? "" : fmt::format(", {} without the contig", GroupDigits(absent));
  CheckRows rows{{"ploidy", fmt::format("{} diploid, {} haploid, {} of both{}", GroupDigits(diploid),
                                        GroupDigits(haploid), GroupDigits(mixed), without)},
                 {"phase", check.is_unphased      ? "unphased"
                           : check.has_phase_sets ? "phased in sets (PS)"
                                                  : "phased"},
                 {"missing alleles", GroupDigits(missing) + PercentText(missing, alleles) + worst}};
  if (check.HasPanel()) {
    rows.emplace_back("haplotypes", check.panel_fit ? check.panel_fit->text : "not compared with the panel's");
  }
  if (check.sexes && check.sexes->compared > 0) rows.emplace_back("sexes by X", SexesText(*check.sexes));
  if (check.duplicates) rows.emplace_back("same genotypes", DuplicatesText(*check.duplicates));
  if (check.relatives) rows.emplace_back("relatives", RelativesText(*check.relatives));
  return rows;
}

CheckRows FrequencyRows(const StudyCheck& check) {
  const FrequencyComparison& frequencies = check.frequencies;
  if (check.samples.size() == 1) return {{"sites compared", "none: one sample has no frequencies"}};
  return {{"sites compared", GroupDigits(frequencies.sites)},
          {"correlation",
           std::isnan(frequencies.correlation) ? "undefined" : fmt::format("{:.4f}", frequencies.correlation)},
          {"outliers", GroupDigits(frequencies.num_outliers)}};
}

PageTone VerdictTone(const StudyCheck& check, const CheckConclusion& conclusion) {
  const bool is_bad = conclusion.verdict == CheckVerdict::kDoNotImpute || check.IsOfAnotherPopulation();
  return is_bad ? PageTone::kBad : check.HasPanel() ? PageTone::kGood : PageTone::kPlain;
}

void AddFindings(const StudyCheck& check, Page& page) {
  std::vector<std::pair<std::string, std::string>> points;
  for (const CheckFinding& finding : CheckFindings(check)) points.emplace_back(finding.what, finding.remedy);
  points.empty() ? page.AddParagraph("Nothing to fix.") : page.AddList(points);
}

// A heat map of the sites; they are on the diagonal if the frequencies agree.
Chart FrequencyMap(const FrequencyComparison& frequencies) {
  constexpr size_t kBins = FrequencyComparison::kBins;
  HeatMap map{.columns = kBins, .rows = kBins, .values = {}, .has_log_colors = true, .unit = "sites"};
  for (size_t study = 0; study < kBins; ++study) {
    for (size_t panel = 0; panel < kBins; ++panel) {
      const size_t count = frequencies.histogram[panel][study];
      map.values.push_back(count == 0 ? NAN : static_cast<double>(count));
    }
  }
  Chart chart("Allele frequency, study against panel", {.title = "panel"}, {.title = "study"});
  chart.AddHeatMap(std::move(map));
  chart.AddReferenceLine(0, 0, 1, 1);
  return chart;
}

void AddOutliers(const FrequencyComparison& frequencies, Page& page) {
  if (frequencies.outliers.empty()) return;
  PageTable table{.headings = {"largest differences", "study", "panel"}, .rows = {}, .summary = ""};
  for (const FrequencyOutlier& outlier : frequencies.outliers) {
    table.rows.push_back({outlier.site, fmt::format("{:.3f}", outlier.study), fmt::format("{:.3f}", outlier.panel)});
  }
  page.AddTable(table);
}

void AddMostMissing(const StudyCheck& check, Page& page) {
  const auto samples = SamplesMostMissing(check, kPageSamples);
  if (samples.empty()) return;
  PageTable table{.headings = {"most missing", "alleles", "missing", "%"}, .rows = {}, .summary = ""};
  for (const SampleCheck& sample : samples) {
    table.rows.push_back({sample.name, GroupDigits(sample.alleles), GroupDigits(sample.missing),
                          fmt::format("{:.2f}", 100 * sample.MissingShare())});
  }
  page.AddTable(table);
}

}  // namespace

std::string CheckText(const StudyCheck& check, const CheckConclusion& conclusion) {
  std::string text = RowsText("Files", FileRows(check)) + RowsText("Sites of the study", SiteRows(check)) +
                     RowsText("Samples", SampleRows(check));
  if (check.HasPanel()) text += RowsText("Allele frequencies of study and panel", FrequencyRows(check));
  const std::vector<CheckFinding> findings = CheckFindings(check);
  text += findings.empty() ? "Nothing to fix\n" : "To fix\n";
  for (const CheckFinding& finding : findings) text += fmt::format("  - {}\n    {}\n", finding.what, finding.remedy);
  return text + fmt::format("\nVerdict: {}\n", conclusion.text);
}

std::string CheckPage(const StudyCheck& check, const CheckConclusion& conclusion, const Provenance& provenance) {
  Page page("Check of " + check.options.study);
  page.AddParagraph("Verdict: " + conclusion.text, VerdictTone(check, conclusion));
  page.AddSection("To fix");
  AddFindings(check, page);
  page.AddSection("Files");
  page.AddFacts(FileRows(check));
  page.AddSection("Sites of the study");
  page.AddFacts(SiteRows(check));
  page.AddSection("Samples");
  page.AddFacts(SampleRows(check));
  AddMostMissing(check, page);
  if (check.HasPanel()) {
    page.AddSection("Allele frequencies of study and panel");
    page.AddFacts(FrequencyRows(check));
    if (check.samples.size() > 1) {
      page.AddChart(FrequencyMap(check.frequencies));
      AddOutliers(check.frequencies, page);
    }
  }
  return page.Html(provenance);
}

}  // namespace haplospin
