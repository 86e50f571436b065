#include "genotypes/variant_io/alignments/pileup_site.h"

#include <htslib/hts.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/letter_case.h"
#include "genotypes/genomics/sites/variant.h"

namespace haplospin {
namespace {

std::optional<SiteKind> FindKind(const Variant& variant) {
  if (variant.IsSubstitution()) return variant.ref.size() == 1 ? SiteKind::kSnv : SiteKind::kSubstitution;
  const size_t shorter = std::min(variant.ref.size(), variant.alt.size());
  if (!variant.IsIndel() || shorter != 1 || !SameBases(variant.ref.substr(0, 1), variant.alt.substr(0, 1))) return {};
  return variant.alt.size() > 1 ? SiteKind::kInsertion : SiteKind::kDeletion;
}

bool IsTransition(const PileupSite& site) {
  if (site.kind != SiteKind::kSnv) return false;
  const std::string_view pairs[] = {"AG", "GA", "CT", "TC"};
  return std::ranges::find(pairs, site.ref + site.alt) != std::end(pairs);
}

void NoteOtherBases(std::vector<PileupSite>& sites) {
  for (size_t first = 0, last = 0; first < sites.size(); first = last) {
    uint8_t bases = 0;
    for (; last < sites.size() && sites[last].position == sites[first].position; ++last) {
      if (sites[last].kind == SiteKind::kSnv) bases |= BaseCode(sites[last].alt[0]);
    }
    for (size_t i = first; i < last; ++i) {
      if (sites[i].kind != SiteKind::kSnv) continue;
      const int own = BaseCode(sites[i].alt[0]) | BaseCode(sites[i].ref[0]);
      sites[i].other_bases = static_cast<uint8_t>(bases & ~own);
    }
  }
}

}  // namespace

uint8_t BaseCode(char base) { return seq_nt16_table[static_cast<unsigned char>(base)]; }

std::vector<PileupSite> PileupSites(std::span<const Marker> markers, bool ignores_transitions) {
  std::vector<PileupSite> sites;
  sites.reserve(markers.size());
  for (size_t m = 0; m < markers.size(); ++m) {
    const Variant variant = TrimVariant(markers[m]);
    const auto kind = FindKind(variant);
    if (!kind) continue;
    sites.push_back({variant.position - 1, *kind, m, ToUpper(variant.ref), ToUpper(variant.alt)});
  }
  std::ranges::stable_sort(sites, {}, &PileupSite::position);
  NoteOtherBases(sites);
  if (ignores_transitions) std::erase_if(sites, IsTransition);
  return sites;
}

}  // namespace haplospin
