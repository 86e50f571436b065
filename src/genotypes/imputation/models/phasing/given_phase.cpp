#include "genotypes/imputation/models/phasing/given_phase.h"

#include <cstdint>

namespace haplospin {
namespace {

constexpr size_t kNoHet = SIZE_MAX;

}  // namespace

void GivenPhase::Start(const SampleGenotypes& sample) {
  sample_ = &sample;
  const size_t n = sample.given.size();
  up_to_.assign(n, kNoHet);
  from_.assign(n, kNoHet);
  for (size_t h = 0; h < n; ++h) {
    if (sample.IsGiven(h)) {
      up_to_[h] = h;
    } else if (h > 0 && sample.ContinuesSet(h - 1)) {
      up_to_[h] = up_to_[h - 1];
    }
  }
  for (size_t h = n; h-- > 0;) {
    if (sample.IsGiven(h)) {
      from_[h] = h;
    } else if (sample.ContinuesSet(h)) {
      from_[h] = from_[h + 1];
    }
  }
}

double GivenPhase::Factor(size_t het, bool flip, bool swapped, bool is_forward) const {
  const size_t behind = Nearest(het, !is_forward), ahead = Nearest(het, is_forward);
  if (!sample_->IsGiven(het)) return PairFactor(behind, ahead, swapped);
  return PairFactor(behind, het, flip) * PairFactor(het, ahead, swapped != flip);
}

// Returns the nearest given heterozygote of the same set before or after `het`, or kNoHet.
size_t GivenPhase::Nearest(size_t het, bool is_after) const {
  if (from_.empty()) return kNoHet;
  if (is_after) return sample_->ContinuesSet(het) ? from_[het + 1] : kNoHet;
  return het > 0 && sample_->ContinuesSet(het - 1) ? up_to_[het - 1] : kNoHet;
}

// Returns the factor of the phase of two given heterozygotes relative to each other, if the one ahead is swapped.
double GivenPhase::PairFactor(size_t behind, size_t ahead, bool swapped) const {
  if (behind == kNoHet || ahead == kNoHet) return 1;
  return sample_->IsExchanged(behind) == (sample_->IsExchanged(ahead) != swapped) ? 1 : kContradiction;
}

}  // namespace haplospin
