#include "genotypes/imputation/models/clusters/ancestral_haplotypes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"

namespace haplospin {
namespace {

constexpr uint64_t kAncestorKey = 0x616E6365;  // of random streams
constexpr size_t kSteps = 5;

// Ancestors that begin with many switches stay short; so they begin with whole haplotypes.
constexpr double kFirstRate = 0.05;    // switches per Morgan
constexpr double kMinSwitches = 1e-6;  // between two markers
constexpr float kSpread = 0.3f;        // of the first probabilities of ALT around the frequency
constexpr float kMinFirst = 0.02f, kMinAlt = 0.0005f;
constexpr float kPriorHaplotypes = 0.02f;  // of an ancestor, which have the panel's frequency of ALT
constexpr float kPriorSwitches = 1;        // at a marker, the same number to each ancestor

}  // namespace

AncestorData::AncestorData(const HaplotypePanel& panel, const GeneticMap& map, MarkerRange markers) {
  const auto haplotypes = static_cast<float>(panel.num_haplotypes());
  for (size_t m = markers.begin; m < markers.end; ++m) {
    frequency.push_back((static_cast<float>(panel.alt_count(m)) + 0.5f) / (haplotypes + 1));
    const double now = map.Centimorgans(panel.marker(m).position);
    const double before = m == markers.begin ? now : map.Centimorgans(panel.marker(m - 1).position);
    morgans.push_back((now - before) / 100);
  }
  for (size_t h = 0; h < panel.num_haplotypes(); ++h) {
    for (size_t m = markers.begin; m < markers.end; ++m) alleles.push_back(static_cast<uint8_t>(panel.allele(m, h)));
  }
}

AncestralHaplotypes::AncestralHaplotypes(const AncestorData& data, uint64_t seed, uint64_t start)
    : rate_(kFirstRate), share_(data.num_markers() * kAncestors, 1.0f / kAncestors), switches_(data.num_markers()) {
  RandomStream random(seed, {kAncestorKey, start});
  for (const float frequency : data.frequency) {
    for (size_t k = 0; k < kAncestors; ++k) {
      const float first = frequency + kSpread * (static_cast<float>(random.Uniform()) - 0.5f);
      alt_.push_back(std::clamp(first, kMinFirst, 1 - kMinFirst));
    }
  }
  SetSwitches(data);
  for (size_t step = 0; step < kSteps; ++step) Improve(data);
}

void AncestralHaplotypes::SetSwitches(const AncestorData& data) {
  for (size_t m = 0; m < switches_.size(); ++m) {
    switches_[m] = m == 0 ? 1 : static_cast<float>(std::max(kMinSwitches, -std::expm1(-rate_ * data.morgans[m])));
  }
}

void AncestralHaplotypes::Improve(const AncestorData& data) {
  const size_t markers = data.num_markers(), haplotypes = data.num_haplotypes();
  std::vector<float> forward(markers * kAncestors), scale(markers);
  std::vector<float> ref(markers * kAncestors), alt(markers * kAncestors), switched(markers * kAncestors);
  for (size_t h = 0; h < haplotypes; ++h) {
    const uint8_t* alleles = &data.alleles[h * markers];
    AncestorForward(tables(), alleles, forward.data(), scale.data());
    CountAncestors(tables(), alleles, forward.data(), scale.data(), {ref.data(), alt.data(), switched.data()});
  }
  double switches = 0;
  for (size_t m = 0; m < markers; ++m) {
    const float all = std::accumulate(&switched[m * kAncestors], &switched[m * kAncestors] + kAncestors, 0.0f);
    if (m > 0) switches -= std::log1p(-std::min(0.999, static_cast<double>(all) / static_cast<double>(haplotypes)));
    for (size_t i = m * kAncestors; i < (m + 1) * kAncestors; ++i) {
      const float p = (alt[i] + kPriorHaplotypes * data.frequency[m]) / (ref[i] + alt[i] + kPriorHaplotypes);
      alt_[i] = std::clamp(p, kMinAlt, 1 - kMinAlt);
      share_[i] = (switched[i] + kPriorSwitches / kAncestors) / (all + kPriorSwitches);
    }
  }
  const double morgans = std::accumulate(data.morgans.begin(), data.morgans.end(), 0.0);
  if (morgans > 0) rate_ = switches / morgans;
  SetSwitches(data);
}

AncestorStops::AncestorStops(const AncestralHaplotypes& model, std::span<const uint32_t> typed) {
  const AncestorTables tables = model.tables();
  stops_ = {0};
  stops_.insert(stops_.end(), typed.begin(), typed.end());
  stops_.push_back(static_cast<uint32_t>(tables.markers - 1));
  stops_.erase(std::unique(stops_.begin(), stops_.end()), stops_.end());
  from_stays_.resize(tables.markers, 1);
  to_stays_.resize(tables.markers, 1);
  from_switched_.resize(tables.markers * kAncestors);
  to_switched_.resize(tables.markers * kAncestors);
  // Two steps together keep the ancestor if both do; the second one's switches follow any first step.
  for (size_t j = 1; j < stops_.size(); ++j) {
    for (size_t m = stops_[j - 1] + size_t{1}; m <= stops_[j]; ++m) {
      const float stays = 1 - tables.switches[m];
      const bool is_first = m == stops_[j - 1] + size_t{1};
      from_stays_[m] = stays * (is_first ? 1 : from_stays_[m - 1]);
      for (size_t k = 0; k < kAncestors; ++k) {
        const float before = is_first ? 0 : from_switched_[(m - 1) * kAncestors + k];
        from_switched_[m * kAncestors + k] = tables.switches[m] * tables.share[m * kAncestors + k] + stays * before;
      }
    }
    for (size_t m = stops_[j]; m-- > stops_[j - 1] + size_t{1};) {
      const float stays = 1 - tables.switches[m + 1];
      const bool is_last = m + 1 == stops_[j];
      const float after = is_last ? 1 : to_stays_[m + 1];
      to_stays_[m] = stays * after;
      for (size_t k = 0; k < kAncestors; ++k) {
        const float later = is_last ? 0 : to_switched_[(m + 1) * kAncestors + k];
        to_switched_[m * kAncestors + k] =
            later + after * tables.switches[m + 1] * tables.share[(m + 1) * kAncestors + k];
      }
    }
  }
}

}  // namespace haplospin
