#include "genotypes/variant_io/joining/contig_weights.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "core/threads.h"
#include "genotypes/genomics/quantized_probability.h"
#include "genotypes/variant_io/joining/panel_union.h"
#include "genotypes/variant_io/joining/panel_weights.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
void ContigWeights::Add(std::span<const TypedSite* const> panel_sites) {
  const TypedSite& first = *panel_sites[0];
  if (segments_.empty() || segments_.back().first_haplotype != first.first_haplotype) {
    segments_.push_back({first.first_haplotype, {}});
  }
  Site site{first, {}};
  std::vector<uint8_t>& alleles = site.typed.alleles;
  for (const TypedSite* other : panel_sites) {
    HS_ASSERT(other->first_haplotype == first.first_haplotype);
    for (size_t h = 0; h < alleles.size(); ++h) {
      if (other->alleles[h] != alleles[h]) alleles[h] = kMissingAllele;
    }
    site.weights.insert(site.weights.end(), other->left_out.begin(), other->left_out.end());
  }
  segments_.back().sites.push_back(std::move(site));
  ++num_sites_;
}

void ContigWeights::Find() {
  tbb::task_arena arena(Threads());
  for (Segment& segment : segments_) {
    arena.execute([&] {
      tbb::parallel_for(size_t{0}, size_t{segment.first_haplotype.back()}, [&](size_t h) { FindWeights(h, segment); });
    });
  }
}

void ContigWeights::FindWeights(size_t haplotype, Segment& segment) const {
  const size_t num_haplotypes = segment.first_haplotype.back();
  std::vector<int64_t> positions;
  std::vector<float> probabilities;  // [sites * panels] of ALT
  std::vector<float> observed;       // [sites * panels] of the typed allele
  for (const Site& site : segment.sites) {
    positions.push_back(site.typed.marker.position);
    const uint8_t allele = site.typed.alleles[haplotype];
    for (size_t k = 0; k < num_panels_; ++k) {
      const float p = UnpackProbability(site.weights[k * num_haplotypes + haplotype]);
      probabilities.push_back(p);
      observed.push_back(allele == kMissingAllele ? 1 : allele == 1 ? p : 1 - p);
    }
  }
  const PanelWeights weights = FindPanelWeights(positions, num_panels_, observed);
  for (size_t i = 0; i < segment.sites.size(); ++i) {
    Site& site = segment.sites[i];
    float left_out = 0;
    for (size_t k = 0; k < num_panels_; ++k) {
      const size_t at = i * num_panels_ + k;
      site.weights[k * num_haplotypes + haplotype] = PackProbability(weights.posterior[at]);
      left_out += weights.left_out[at] * probabilities[at];
    }
    site.typed.left_out[haplotype] = PackProbability(left_out);
  }
}

void ContigWeights::WeightsAt(int64_t position, const std::vector<uint32_t>& first_haplotype,
                              std::vector<float>& weights) const {
  weights.assign(num_panels_ * first_haplotype.back(), 1.0F / static_cast<float>(num_panels_));
  const auto distance = [&](const Segment& segment) {
    return std::max({segment.sites.front().typed.marker.position - position,
                     position - segment.sites.back().typed.marker.position, int64_t{0}});
  };
  const Segment* nearest = nullptr;
  for (const Segment& segment : segments_) {
    if (segment.first_haplotype != first_haplotype) continue;
    if (nearest == nullptr || distance(segment) < distance(*nearest)) nearest = &segment;
  }
  if (nearest == nullptr) return;
  const std::vector<Site>& sites = nearest->sites;
  const auto next =
      std::ranges::lower_bound(sites, position, {}, [](const Site& site) { return site.typed.marker.position; });
  const Site& right = next == sites.end() ? sites.back() : *next;
  const Site& left = next == sites.begin() ? right : *(next - 1);
  const int64_t length = right.typed.marker.position - left.typed.marker.position;
  const float share =
      length <= 0 ? 0
                  : static_cast<float>(std::min(position, right.typed.marker.position) - left.typed.marker.position) /
                        static_cast<float>(length);
  for (size_t w = 0; w < weights.size(); ++w) {
    weights[w] = (1 - share) * UnpackProbability(left.weights[w]) + share * UnpackProbability(right.weights[w]);
  }
}

const TypedSite* ContigWeights::FindSite(const Marker& marker) const {
  for (const Segment& segment : segments_) {
    const auto at = std::ranges::equal_range(segment.sites, marker.position, {},
                                             [](const Site& site) { return site.typed.marker.position; });
    const auto found = std::ranges::find_if(at, [&](const Site& site) { return IsSameAlt(site.typed.marker, marker); });
    if (found != at.end()) return &found->typed;
  }
  return nullptr;
}

}  // namespace haplospin
