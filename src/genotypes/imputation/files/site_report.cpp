#include "genotypes/imputation/files/site_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

std::string NumberOrNone(const std::optional<double>& value) { return value ? fmt::format("{:.4g}", *value) : "."; }

std::string TextOrNone(const std::string& text) { return text.empty() ? "." : text; }

// The columns that tell what was wanted.
std::string WantedColumns(const WantedSite& site) {
  const bool has_place = !site.contig.empty();
  const std::string position = site.span.first == site.span.last
                                   ? fmt::format("{}", site.span.first)
                                   : fmt::format("{}-{}", site.span.first, site.span.last);
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}", TextOrNone(site.contig), has_place ? position : ".", site.id,
                     TextOrNone(site.allele), TextOrNone(site.other),
                     site.weight ? fmt::format("{}", *site.weight) : ".");
}

std::string FoundColumns(const FoundSite& found) {
  const Marker& marker = found.marker;
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t.", marker.id, found.contig, marker.position, marker.ref,
                     marker.alt, found.is_imputed ? "imputed" : "typed", NumberOrNone(found.panel_frequency),
                     NumberOrNone(found.r2));
}

// How well a record serves for a weight whose other allele is not told: it is mostly a base in place of a base, and
// common.
std::pair<bool, double> ServesWeight(const FoundSite& found) {
  const double p = found.panel_frequency.value_or(0);
  return {found.marker.ref.size() == found.marker.alt.size(), std::min(p, 1 - p)};
}

// Returns the records of a site that is in the output. A weight has one of them, since a sum over several would count
// its allele more than once.
std::span<const FoundSite> RecordsOf(const WantedSites& sites, size_t s) {
  const std::vector<FoundSite>& found = sites.Found(s);
  if (!sites.sites()[s].weight) return found;
  return {&*std::ranges::max_element(found, {}, ServesWeight), 1};
}

// Absent sites by their reasons, without the alleles in these.
std::string AbsentText(const WantedSites& sites) {
  std::map<std::string, size_t> reasons;
  for (size_t s = 0; s < sites.sites().size(); ++s) {
    if (!sites.Found(s).empty()) continue;
    const std::string reason = sites.Reason(s);
    ++reasons[reason.substr(0, reason.find(':'))];
  }
  std::string text;
  for (const auto& [reason, count] : reasons) {
    text += fmt::format("{}{} {}", text.empty() ? "; absent: " : ", ", count, reason);
  }
  return text;
}

// Returns whether few of the sites between the first and the last record of a contig are in the panel.
bool IsOfAnotherBuild(const WantedSites& sites) {
  constexpr size_t kMinSites = 20;
  constexpr double kMinWritten = 0.2;
  size_t within = 0, written = 0;
  for (size_t s = 0; s < sites.sites().size(); ++s) {
    within += sites.IsWithin(s) ? 1 : 0;
    written += sites.IsWithin(s) && !sites.Found(s).empty() ? 1 : 0;
  }
  return within >= kMinSites && static_cast<double>(written) < kMinWritten * static_cast<double>(within);
}

// Two deletions of a position may have the same alleles.
void WarnOfSeveralLengths(const WantedSites& sites) {
  size_t count = 0;
  std::string first;
  for (size_t s = 0; s < sites.sites().size(); ++s) {
    const WantedSite& site = sites.sites()[s];
    if (!site.IsOfAnyLength() || sites.Found(s).size() < 2) continue;
    if (count++ == 0) first = fmt::format("{}:{} {}>{}", site.contig, site.span.first, site.other, site.allele);
  }
  if (count == 0) return;
  LogWarning(
      "{}: {} without END or SVLEN (first: {}): each is several records of the output, of several lengths; give "
      "the lengths in a VCF",
      sites.path(), Counted(count, "symbolic allele"), first);
}

void WarnOfSeveralRecords(const WantedSites& sites) {
  size_t count = 0;
  std::string first;
  for (size_t s = 0; s < sites.sites().size(); ++s) {
    if (!sites.sites()[s].weight || sites.Found(s).size() < 2) continue;
    const Marker& marker = RecordsOf(sites, s).front().marker;
    if (count++ > 0) continue;
    first = fmt::format("{}:{} {}", sites.Found(s)[0].contig, marker.position, sites.sites()[s].allele);
  }
  if (count == 0) return;
  LogWarning(
      "{}: {} without other_allele at a position with several records (first: {}); --sites-report has the most common "
      "SNV for each; give other_allele where another one is meant",
      sites.path(), Counted(count, "weight"), first);
}

void TellOfScore(const WantedSites& sites) {
  WarnOfSeveralRecords(sites);
  const ScoreCoverage coverage = MeasureCoverage(sites);
  std::string r2;
  if (coverage.with_r2 > 0) {
    const bool are_all = coverage.with_r2 == coverage.imputed;
    r2 = fmt::format(", with a mean r2 of {:.3f}{}", coverage.r2,
                     are_all ? "" : fmt::format(" (known of {})", coverage.with_r2));
  } else if (coverage.imputed > 0) {
    r2 = ", whose r2 is not known: of few people DR2 does not tell it, and the panel is not adapted to the array "
         "(haplospin panel adapt)";
  }
  LogInfo(
      "{}: {} of {} weights matched ({:.1f} % of the sum of their absolute values); {:.1f} % of the variance of these "
      "is imputed, at {}{}; {} at A/T and C/G sites, whose strand letters do not tell",
      sites.path(), coverage.matched, coverage.weights, 100 * coverage.matched_share, 100 * coverage.imputed_share,
      Counted(coverage.imputed, "site"), r2, coverage.ambiguous);
}

}  // namespace

ScoreCoverage MeasureCoverage(const WantedSites& sites) {
  ScoreCoverage coverage{.weights = sites.sites().size()};
  double all = 0, matched = 0, variance = 0, imputed = 0, known = 0, weighted_r2 = 0;
  for (size_t s = 0; s < sites.sites().size(); ++s) {
    const double weight = sites.sites()[s].weight.value_or(0);
    all += std::abs(weight);
    if (sites.Found(s).empty()) continue;
    const FoundSite& found = RecordsOf(sites, s).front();
    ++coverage.matched;
    matched += std::abs(weight);
    coverage.ambiguous += IsStrandAmbiguous(found.marker) ? 1 : 0;
    const double p = found.panel_frequency.value_or(0), v = 2 * p * (1 - p) * weight * weight;
    variance += v;
    if (!found.is_imputed) continue;
    ++coverage.imputed;
    imputed += v;
    if (!found.r2) continue;
    ++coverage.with_r2;
    known += v;
    weighted_r2 += v * *found.r2;
  }
  coverage.matched_share = all > 0 ? matched / all : 0;
  coverage.imputed_share = variance > 0 ? imputed / variance : 0;
  coverage.r2 = known > 0 ? weighted_r2 / known : 0;
  return coverage;
}

std::string WantedSitesTsv(const WantedSites& sites) {
  std::string text =
      "contig\tposition\tid\tallele\tother_allele\tweight\toutput_id\toutput_contig\toutput_"
      "position\tref\talt\torigin\t"
      "panel_af\tr2\treason\n";
  const auto out = std::back_inserter(text);
  for (size_t s = 0; s < sites.sites().size(); ++s) {
    const std::string wanted = WantedColumns(sites.sites()[s]);
    if (sites.Found(s).empty()) {
      fmt::format_to(out, "{}\t.\t.\t.\t.\t.\tabsent\t.\t.\t{}\n", wanted, sites.Reason(s));
      continue;
    }
    for (const FoundSite& found : RecordsOf(sites, s)) fmt::format_to(out, "{}\t{}\n", wanted, FoundColumns(found));
  }
  return text;
}

void TellOfWantedSites(const WantedSites& sites) {
  size_t written = 0;
  for (size_t s = 0; s < sites.sites().size(); ++s) written += sites.Found(s).empty() ? 0 : 1;
  const std::string text = fmt::format("{}: {} of {} written{}", sites.path(), written,
                                       Counted(sites.sites().size(), "site"), AbsentText(sites));
  if (IsOfAnotherBuild(sites)) {
    LogWarning("{}; it is probably of another genome build: give the file of that of the panel", text);
  } else if (written == 0) {
    LogWarning("{}", text);
  } else {
    LogInfo("{}", text);
  }
  WarnOfSeveralLengths(sites);
  if (sites.IsScore()) TellOfScore(sites);
}

}  // namespace haplospin
