#include "genotypes/imputation/models/phasing/pair_stops.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// A shorter gap takes as long as its markers do one by one.
constexpr uint32_t kFewestGapMarkers = 4;

// With more carriers, all states are visited in less time.
constexpr size_t kStatesPerCarrier = 16;

// Phred-scaled likelihood of the genotype without the rare allele, up to which a stop may be sparse: sums over the
// states without that allele are differences, which would lose their digits.
constexpr uint8_t kMaxPhred = 20;

// Returns whether nothing is known of a missing genotype.
bool IsUnknown(const SampleGenotypes& sample, uint32_t k) {
  const uint32_t j = sample.missing[k];
  if (sample.alleles[0][j] != kMissingAllele || sample.alleles[1][j] != kMissingAllele) return false;
  return sample.likelihoods.empty() || sample.likelihoods[k].IsFlat();
}

// Returns the markers of the gap that begins with missing genotype k at marker j; 0 if there is none.
uint32_t GapLength(const SampleGenotypes& sample, const PhasingStates& states, uint32_t k, uint32_t j) {
  if (!sample.is_passive.empty() || states.imputed == nullptr) return 0;
  uint32_t end = k;
  while (end < sample.missing.size() && sample.missing[end] == j + (end - k) && IsUnknown(sample, end) &&
         states.imputed->Has(sample.missing[end])) {
    ++end;
  }
  return end - k < kFewestGapMarkers ? 0 : end - k;
}

// The genotypes of a sample that are looked at next: indices of the heterozygotes and of the missing ones, and a
// marker.
struct NextGenotypes {
  uint32_t het = 0, missing = 0, marker = 0;
};

// Returns the stop at marker j, but for its switches and, of missing genotypes, the place.
PairStop StopAt(const SampleGenotypes& sample, const PhasingStates& states, uint32_t j, NextGenotypes& next) {
  PairStop stop{.marker = j, .kind = PairStop::Kind::kKnown, .index = 0, .place = 0, .switching = 0};
  if (next.het < sample.hets.size() && sample.hets[next.het] == j) {
    stop.kind = PairStop::Kind::kHet;
    stop.index = stop.place = next.het++;
  } else if (next.missing < sample.missing.size() && sample.missing[next.missing] == j) {
    const uint32_t length = GapLength(sample, states, next.missing, j);
    stop.kind = length > 0 ? PairStop::Kind::kGap : PairStop::Kind::kMissing;
    stop.index = next.missing;
    stop.count = std::max(length, 1u);
    next.missing += stop.count;
  }
  next.marker = j + stop.count;
  return stop;
}

// Returns whether a genotype may well have no copy of an allele.
bool MayLack(const SampleGenotypes& sample, const PairStop& stop, uint8_t allele) {
  if (stop.kind == PairStop::Kind::kKnown) {
    return sample.alleles[0][stop.marker] != allele && sample.alleles[1][stop.marker] != allele;
  }
  if (stop.kind == PairStop::Kind::kHet || sample.likelihoods[stop.index].IsFlat()) return false;
  return sample.likelihoods[stop.index].phred[allele == 0 ? 2 : 0] <= kMaxPhred;
}

}  // namespace

void PairStops::Find(const SampleGenotypes& sample, std::span<const float> switch_probability,
                     const PhasingStates& states) {
  stops.clear();
  passive.clear();
  carriers.clear();
  has_sparse_ = sample.ploidy == 2 && !sample.is_passive.empty();
  // Genotypes are passive at stops whose states are stored, so that there must be one.
  const bool keeps_first = sample.hets.empty() && std::ranges::all_of(sample.is_passive, std::identity());
  num_stored = sample.hets.size();
  float switching = 0;
  NextGenotypes next;
  for (uint32_t j = 0; j < sample.alleles[0].size(); ++j) {
    if (j > 0) switching += (1 - switching) * states.switch_factor * switch_probability[j - 1];
    if (j < next.marker) continue;
    PairStop stop = StopAt(sample, states, j, next);
    stop.switching = switching;
    const bool is_missing = stop.kind == PairStop::Kind::kMissing;
    const bool is_passive = is_missing && !sample.is_passive.empty() && sample.is_passive[stop.index];
    if (is_passive && !(keeps_first && stop.index == 0)) {
      passive.push_back(stop.index);
      continue;
    }
    if (has_sparse_) stop.is_sparse = FindCarriers(sample, states, stop);
    if (stop.kind == PairStop::Kind::kGap || (is_missing && !stop.is_sparse)) {
      stop.place = static_cast<uint32_t>(num_stored++);
    }
    switching = 0;
    stops.push_back(stop);
  }
  if (passive.empty()) return;
  if (num_stored == 0) StoreOne();
  AssignPassive(sample, switch_probability);
}

// Returns whether a stop is sparse, and finds its carriers.
bool PairStops::FindCarriers(const SampleGenotypes& sample, const PhasingStates& states, PairStop& stop) {
  const size_t n = states.size();
  const uint64_t* const bits = states.at(stop.marker);
  size_t ones = 0;
  for (size_t word = 0; word * 64 < n; ++word) ones += static_cast<size_t>(std::popcount(bits[word]));
  stop.rare_allele = 2 * ones <= n ? 1 : 0;
  if (std::min(ones, n - ones) > n / kStatesPerCarrier || !MayLack(sample, stop, stop.rare_allele)) return false;
  stop.first_carrier = static_cast<uint32_t>(carriers.size());
  for (size_t first = 0; first < n; first += 64) {
    uint64_t rare = stop.rare_allele == 1 ? bits[first / 64] : ~bits[first / 64];
    if (n - first < 64) rare &= (uint64_t{1} << (n - first)) - 1;
    for (; rare != 0; rare &= rare - 1) {
      carriers.push_back(static_cast<uint32_t>(first) + static_cast<uint32_t>(std::countr_zero(rare)));
    }
  }
  stop.end_carrier = static_cast<uint32_t>(carriers.size());
  return true;
}

// Stores all states at the first missing genotype.
void PairStops::StoreOne() {
  PairStop& stop = *std::ranges::find(stops, PairStop::Kind::kMissing, &PairStop::kind);
  stop.is_sparse = false;
  stop.place = static_cast<uint32_t>(num_stored++);
}

// Finds the passive genotypes that are nearer to each stop with stored states than to others, by the probability of a
// switch.
void PairStops::AssignPassive(const SampleGenotypes& sample, std::span<const float> switch_probability) {
  std::vector<float> distance(sample.alleles[0].size());  // [typed]
  for (size_t j = 1; j < distance.size(); ++j) distance[j] = distance[j - 1] + switch_probability[j - 1];
  PairStop* last = nullptr;
  uint32_t next = 0;
  for (PairStop& stop : stops) {
    stop.first_passive = stop.end_passive = next;
    if (stop.kind == PairStop::Kind::kKnown || stop.is_sparse) continue;
    if (last != nullptr) {
      const float middle = 0.5f * (distance[last->marker] + distance[stop.marker]);
      while (next < passive.size() && distance[sample.missing[passive[next]]] < middle) ++next;
      last->end_passive = stop.first_passive = next;
    }
    last = &stop;
  }
  last->end_passive = static_cast<uint32_t>(passive.size());
}

}  // namespace haplospin
