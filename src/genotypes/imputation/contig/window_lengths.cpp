#include "genotypes/imputation/contig/window_lengths.h"

#include <algorithm>

namespace haplospin {
namespace {

constexpr WindowLengths kDenseWindows{.core = 20, .flank = 2};
constexpr double kSitesOfCore = 1000, kSitesOfFlank = 100;
constexpr double kLongest = 1000;  // cM: longer than any chromosome

}  // namespace

WindowLengths ChooseWindowLengths(const WindowOptions& options, const SiteDensity& density) {
  WindowLengths lengths = kDenseWindows;
  if (density.sites > 1) {
    const double gap = density.centimorgans / static_cast<double>(density.sites - 1);
    lengths.core = std::clamp(kSitesOfCore * gap, kDenseWindows.core, kLongest);
    lengths.flank = std::clamp(kSitesOfFlank * gap, kDenseWindows.flank, kLongest);
  }
  return {.core = options.core.value_or(lengths.core), .flank = options.flank.value_or(lengths.flank)};
}

SiteDensity MeasureDensity(StudyFile& study, const std::string& contig, const GeneticMap& map) {
  if (!study.CanBeReadTwice()) return {};
  const FirstSites found = study.FindFirstSites(contig);
  return {.sites = found.sites, .centimorgans = map.Centimorgans(found.last) - map.Centimorgans(found.first)};
}

}  // namespace haplospin
