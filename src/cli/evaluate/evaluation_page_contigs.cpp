#include <algorithm>
#include <cmath>
#include <span>

#include "cli/evaluate/evaluation_page_parts.h"
#include "genomics/sites/contig_names.h"

namespace haplospin {
namespace {

constexpr size_t kWindows = 60;  // along a contig

// Windows of equal length from the first to the last scored site of a contig.
struct Windows {
  std::string contig;
  int64_t first = INT64_MAX, last = 0;  // bp

  size_t Of(int64_t position) const {
    const double share = static_cast<double>(position - first) / static_cast<double>(last - first + 1);
    return static_cast<size_t>(std::clamp(share, 0., 1 - 1e-12) * double{kWindows});
  }
  double Megabases(size_t window) const {
    const double share = (static_cast<double>(window) + 0.5) / kWindows;
    return (static_cast<double>(first) + share * static_cast<double>(last - first)) / 1e6;
  }
};

std::vector<Windows> WindowsOfContigs(const TruthSet& truth) {
  std::vector<Windows> contigs;
  for (size_t site = 0; site < truth.num_sites(); ++site) {
    if (!truth.scored(site)) continue;
    if (contigs.empty() || contigs.back().contig != truth.contig(site)) contigs.push_back({truth.contig(site)});
    contigs.back().first = std::min(contigs.back().first, truth.marker(site).position);
    contigs.back().last = std::max(contigs.back().last, truth.marker(site).position);
  }
  return contigs;
}

void AddLineOfWindows(const std::string& name, const Windows& windows, std::span<const double> values, Chart& chart) {
  std::vector<double> x, y;
  for (size_t w = 0; w < kWindows; ++w) {
    if (std::isnan(values[w])) continue;
    x.push_back(windows.Megabases(w));
    y.push_back(values[w]);
  }
  chart.AddLine(name, x, y);
}

std::vector<double> R2OfWindows(const Evaluation& evaluation, const TruthSet& truth, const Windows& windows) {
  std::vector<DosageSums> sums(kWindows);
  for (const SiteAccuracy& site : evaluation.sites) {
    if (truth.contig(site.site) != windows.contig) continue;
    sums[windows.Of(truth.marker(site.site).position)] += site.minor;
  }
  std::vector<double> r2;
  r2.reserve(sums.size());
  for (const DosageSums& sum : sums) r2.push_back(sum.PooledR2());
  return r2;
}

std::vector<double> EmpiricalR2OfWindows(const Evaluation& evaluation, const Windows& windows) {
  std::vector<double> sums(kWindows), counts(kWindows);
  for (const EmpiricalAccuracy& site : evaluation.empirical) {
    if (!SameContig(site.contig, windows.contig) || site.position < windows.first || site.position > windows.last) {
      continue;
    }
    sums[windows.Of(site.position)] += site.r2;
    counts[windows.Of(site.position)] += 1;
  }
  for (size_t w = 0; w < kWindows; ++w) sums[w] /= counts[w];  // NaN where there is none
  return sums;
}

}  // namespace

void AddAlongContigs(const EvaluationReport& report, const TruthSet& truth, Page& page) {
  page.AddSection("Accuracy along the chromosome");
  const bool has_empirical =
      std::ranges::any_of(report.imputed, [](const Evaluation& evaluation) { return !evaluation.empirical.empty(); });
  if (has_empirical) {
    page.AddParagraph("ER2 is the accuracy of typed sites when each is left out and imputed; it needs no truth.",
                      PageTone::kNote);
  }
  for (const Windows& windows : WindowsOfContigs(truth)) {
    const std::string where = "contig " + windows.contig;
    Chart chart("r2, genotypes of a window's sites pooled: " + where, {.title = "Mb"}, ShareAxis("r2"));
    Chart empirical("Mean ER2 of a window's typed sites: " + where, {.title = "Mb"}, ShareAxis("ER2"));
    for (const Evaluation& evaluation : report.imputed) {
      AddLineOfWindows(evaluation.name, windows, R2OfWindows(evaluation, truth, windows), chart);
      AddLineOfWindows(evaluation.name, windows, EmpiricalR2OfWindows(evaluation, windows), empirical);
    }
    page.AddChart(chart);
    if (has_empirical) page.AddChart(empirical);
  }
}

}  // namespace haplospin
