#include "genotypes/imputation/models/phasing/state_alts.h"

#include <algorithm>

#include "genotypes/imputation/models/phasing/genotype_emission.h"
#include "genotypes/imputation/models/phasing/imputed_alts.h"

namespace haplospin {

void StateAlts::Read(const PairStops& stops, const PhasingStates& states, const SampleGenotypes& sample) {
  first_place_ = sample.hets.size();
  num_states_ = states.size();
  std::vector<uint32_t> missing;  // [missing genotypes that copy the states]
  row_.assign(stops.num_stored - first_place_, 0);
  for (const PairStop& stop : stops.stops) {
    if (stop.kind != PairStop::Kind::kMissing || stop.is_sparse || IsInformative(sample, stop.index)) continue;
    row_[stop.place - first_place_] = static_cast<uint32_t>(missing.size());
    missing.push_back(stop.marker);
  }
  if (missing.empty()) return;
  const size_t n = num_states_;
  const ImputedAlts& imputed = *states.imputed;
  alt_.resize(missing.size() * n);
  if (!std::ranges::all_of(missing, [&](uint32_t j) { return imputed.Has(j); })) {
    for (size_t k = 0; k < missing.size(); ++k) {
      const uint64_t* bits = states.at(missing[k]);
      for (size_t s = 0; s < n; ++s) alt_[k * n + s] = bits[s / 64] >> (s % 64) & 1 ? kCertainAlt : 0;
    }
    return;
  }
  ReadImputed(missing, states);
}

// Reads the probabilities of missing genotypes that are imputed ones of the reference.
void StateAlts::ReadImputed(std::span<const uint32_t> missing, const PhasingStates& states) {
  const size_t n = num_states_;
  const ImputedAlts& imputed = *states.imputed;
  std::vector<uint32_t> place;  // [missing] in a row
  for (const uint32_t j : missing) place.push_back(imputed.place(j));
  std::vector<uint32_t> haplotype = states.haplotype;
  std::vector<size_t> next(n);  // [states] missing genotype that is read next
  const auto read = [&, n](size_t s, size_t end) {
    const uint8_t* const row = imputed.row(haplotype[s]);
    const uint32_t* const places = place.data();
    uint8_t* const to = alt_.data() + s;  // local pointers, as bytes that are written might be any object otherwise
    for (size_t k = next[s]; k < end; ++k) to[k * n] = row[places[k]];
    next[s] = std::max(next[s], end);
  };
  // All states at a few genotypes before the next ones, as neighboring states are neighbors in memory.
  constexpr size_t kAtATime = 32;
  auto change = states.changes.begin();
  for (size_t end = 0, last = 0; last < missing.size();) {
    last = std::min(last + kAtATime, missing.size());
    for (; change != states.changes.end() && change->marker <= missing[last - 1]; ++change) {
      while (missing[end] < change->marker) ++end;
      read(change->state, end);
      haplotype[change->state] = change->haplotype;
    }
    for (size_t s = 0; s < n; ++s) read(s, last);
  }
}

}  // namespace haplospin
