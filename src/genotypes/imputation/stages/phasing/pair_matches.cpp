#include "genotypes/imputation/stages/phasing/pair_matches.h"

#include <algorithm>
#include <utility>

namespace haplospin {
namespace {

std::vector<uint32_t> PanelMarkers(const PanelWindow& window, std::vector<uint32_t> typed) {
  for (uint32_t& j : typed) j = window.typed_markers()[j];
  return typed;
}

}  // namespace

FrequentMarkers::FrequentMarkers(const PanelWindow& window, float min_frequency)
    : num_typed_(window.typed_markers().size()),
      markers_(FrequentAmong(window.panel(), window.typed_markers(), min_frequency)),
      panel_(window.panel(), PanelMarkers(window, markers_), window.map()) {}

TargetHaplotype FrequentMarkers::Target(const std::vector<uint8_t>& alleles, const ExcludedHaplotypes& own) const {
  std::vector<uint8_t> frequent;
  frequent.reserve(markers_.size());
  for (const uint32_t j : markers_) frequent.push_back(alleles[j]);
  return TargetHaplotype(std::move(frequent), own);
}

// A match begins after the last frequent marker that differs, and ends before the next one.
void FrequentMarkers::Widen(std::vector<HaplotypeMatch>& matches) const {
  for (HaplotypeMatch& match : matches) {
    match.begin = match.begin == 0 ? 0 : markers_[match.begin - 1] + 1;
    match.end = match.end == markers_.size() ? static_cast<uint32_t>(num_typed_) : markers_[match.end];
  }
}

PairMatches::PairMatches(const PhasingReference& reference, const WindowStudy& study,
                         std::span<const SampleGenotypes> samples, std::span<const size_t> index,
                         const FrequentMarkers* frequent, const MatchOptions& options) {
  std::vector<TargetHaplotype> haplotypes;
  haplotypes.reserve(2 * samples.size());
  for (size_t k = 0; k < samples.size(); ++k) {
    const ExcludedHaplotypes own = reference.Own(study, index[k]);
    for (size_t c = 0; c < 2; ++c) {
      std::vector<uint8_t> alleles = ImputedAlleles(samples[k], c);
      haplotypes.push_back(frequent != nullptr ? frequent->Target(alleles, own)
                                               : TargetHaplotype(std::move(alleles), own));
    }
  }
  const HaplotypeRows rows = frequent != nullptr ? frequent->rows() : reference.rows();
  matches_ = FindMatches(rows, PointersTo(haplotypes), options);
  if (frequent == nullptr) return;
  for (std::vector<HaplotypeMatch>& matches : matches_) frequent->Widen(matches);
}

}  // namespace haplospin
