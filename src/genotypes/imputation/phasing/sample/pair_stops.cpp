#include "genotypes/imputation/phasing/sample/pair_stops.h"

#include <algorithm>
#include <functional>

namespace haplospin {

void PairStops::Find(const SampleGenotypes& sample, std::span<const float> switch_probability, float factor) {
  stops.clear();
  filled.clear();
  const std::vector<uint32_t>& missing = sample.missing;
  const std::vector<uint32_t>& hets = sample.hets;
  // Genotypes are filled at stops whose states are stored, so that there must be one.
  const bool keeps_first = hets.empty() && std::ranges::all_of(sample.is_filled, std::identity());
  auto place = static_cast<uint32_t>(hets.size());
  float switching = 0;
  uint32_t het = 0, k = 0;
  for (uint32_t j = 0; j < sample.alleles[0].size(); ++j) {
    if (j > 0) switching += (1 - switching) * factor * switch_probability[j - 1];
    PairStop stop{.marker = j, .kind = PairStop::Kind::kKnown, .index = 0, .place = 0, .switching = switching};
    if (het < hets.size() && hets[het] == j) {
      stop.kind = PairStop::Kind::kHet;
      stop.index = stop.place = het++;
    } else if (k < missing.size() && missing[k] == j) {
      stop.kind = PairStop::Kind::kMissing;
      stop.index = k++;
      const bool is_filled = !sample.is_filled.empty() && sample.is_filled[stop.index];
      if (is_filled && !(keeps_first && stop.index == 0)) {
        filled.push_back(stop.index);
        continue;
      }
      stop.place = place++;
    }
    switching = 0;
    stops.push_back(stop);
  }
  if (!filled.empty()) AssignFilled(sample, switch_probability);
}

// Finds the filled genotypes that are nearer to each stop with stored states than to others, by the probability of a
// switch.
void PairStops::AssignFilled(const SampleGenotypes& sample, std::span<const float> switch_probability) {
  std::vector<float> distance(sample.alleles[0].size());  // [typed]
  for (size_t j = 1; j < distance.size(); ++j) distance[j] = distance[j - 1] + switch_probability[j - 1];
  PairStop* last = nullptr;
  uint32_t next = 0;
  for (PairStop& stop : stops) {
    stop.first_filled = stop.end_filled = next;
    if (stop.kind == PairStop::Kind::kKnown) continue;
    if (last != nullptr) {
      const float middle = 0.5f * (distance[last->marker] + distance[stop.marker]);
      while (next < filled.size() && distance[sample.missing[filled[next]]] < middle) ++next;
      last->end_filled = stop.first_filled = next;
    }
    last = &stop;
  }
  last->end_filled = static_cast<uint32_t>(filled.size());
}

}  // namespace haplospin
