#include "genotypes/imputation/run/study_only.h"

#include <algorithm>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/imputation/imputing/phase_window.h"

namespace haplospin {
namespace {

bool IsToImpute(const ContigBuffer& buffer, size_t s) {
  return buffer.panel_marker()[s] == kNotInPanel && buffer.study().markers[s].HasAlt() &&
         HasMissing(*buffer.Row(s).alleles);
}

// The study's markers without those that repeat another one, as a panel without haplotypes.
struct StudySites {
  MutablePanel panel;
  std::vector<uint32_t> marker;  // [study markers] that of the panel, or kRepeatsEarlier
};

StudySites SitesUntil(const ContigBuffer& buffer, int64_t end) {
  const StudyGenotypes& study = buffer.study();
  StudySites sites{MutablePanel(study.contig, {}), std::vector<uint32_t>(study.markers.size(), kRepeatsEarlier)};
  for (size_t s = 0; s < study.markers.size() && study.markers[s].position <= end; ++s) {
    if (buffer.panel_marker()[s] != kNotInPanel && !IsTyped(buffer.panel_marker()[s])) continue;
    sites.marker[s] = static_cast<uint32_t>(sites.panel.num_markers());
    sites.panel.Append(study.markers[s], nullptr);
  }
  return sites;
}

}  // namespace

bool HasMissing(const std::vector<uint8_t>& alleles) {
  return std::ranges::find(alleles, kMissingAllele) != alleles.end();
}

std::optional<StudyOnlyDosages> ImputeStudyOnly(const ContigBuffer& buffer, const GeneticMap& map,
                                                const StudyOnlyRange& range, size_t max_markers, uint64_t seed) {
  const std::vector<Marker>& markers = buffer.study().markers;
  if (buffer.study().samples.num_samples() < kMinSamplesOfStudyOnly) return std::nullopt;
  const auto begin =
      static_cast<size_t>(std::ranges::lower_bound(markers, range.first, {}, &Marker::position) - markers.begin());
  const auto end =
      static_cast<size_t>(std::ranges::upper_bound(markers, range.last, {}, &Marker::position) - markers.begin());
  std::vector<size_t> to_impute;
  for (size_t s = begin; s < end; ++s) {
    if (IsToImpute(buffer, s)) to_impute.push_back(s);
  }
  if (to_impute.empty()) return std::nullopt;
  const StudySites sites = SitesUntil(buffer, range.end);
  if (sites.panel.num_markers() > max_markers) return std::nullopt;
  std::vector<uint32_t> imputed(markers.size(), kNotInPanel);
  for (const size_t s : to_impute) imputed[s] = sites.marker[s];
  WindowStudy rows = TypedSites(buffer.study().samples, sites.marker, [&](size_t s) { return buffer.Row(s); });
  const MarkerRange wanted{imputed[to_impute.front()], imputed[to_impute.back()] + size_t{1}};
  rows.phased = {0, wanted.end};
  const PanelWindow window(sites.panel, map, rows.typed, wanted);
  return StudyOnlyDosages{std::move(imputed),
                          PhaseWindow(window, rows, {.source = PhasingSource::kStudy, .seed = seed})};
}

}  // namespace haplospin
