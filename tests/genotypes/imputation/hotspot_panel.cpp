#include "genotypes/imputation/hotspot_panel.h"

#include "core/random.h"

namespace haplospin {
namespace {

constexpr int64_t kLength = 4'000'000, kSpacing = 1000;
constexpr size_t kFounders = 6;

}  // namespace

HotspotPanel::HotspotPanel(size_t haplotypes, uint64_t seed)
    : mosaic{{}, std::vector<std::vector<uint8_t>>(haplotypes)} {
  RandomStream random(seed);
  for (int64_t at = 50'000; at < kLength; at += 10'000 + static_cast<int64_t>(random.UniformInt(110'000))) {
    hotspots.push_back(at);
  }
  std::vector<size_t> founders(haplotypes);
  auto next = hotspots.begin();
  for (int64_t position = kSpacing; position < kLength; position += kSpacing) {
    const bool is_after_hotspot = next != hotspots.end() && position > *next;
    if (is_after_hotspot) ++next;
    if (is_after_hotspot || position == kSpacing) {
      for (size_t& founder : founders) founder = random.UniformInt(kFounders);
    }
    std::vector<uint8_t> alleles(kFounders);
    for (uint8_t& allele : alleles) allele = random.Bernoulli(0.4);
    mosaic.markers.push_back({position, ".", "A", "C"});
    for (size_t h = 0; h < haplotypes; ++h) mosaic.alleles[h].push_back(alleles[founders[h]]);
  }
}

std::vector<std::pair<int64_t, double>> HotspotPanel::Map(int64_t shift) const {
  std::vector<std::pair<int64_t, double>> map;
  double length = 0;
  for (const int64_t hotspot : hotspots) {
    map.emplace_back(hotspot - 1000 + shift, length += 0.005);
    map.emplace_back(hotspot + 1000 + shift, length += 0.1);
  }
  return map;
}

}  // namespace haplospin
