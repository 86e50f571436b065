// Called genotypes of a study that are hidden while it is imputed from its own samples. They tell how certain the
// imputed alleles are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "genotypes/imputation/models/phasing/phase_draws.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

class HiddenGenotypes {
 public:
  // Hides a few random genotypes of the samples `index` if most of theirs are missing. The study must outlive the
  // object.
  HiddenGenotypes(const WindowStudy& study, std::span<const size_t> index, uint64_t seed);

  // The study, in which the hidden genotypes are missing.
  const WindowStudy& study() const { return with_gaps_; }

  // Returns the power of the odds of imputed alleles by which the hidden genotypes are most probable, 1 if there are
  // none. Where most alleles are copied from imputed ones, a probability is the share of the ways to copy that end at
  // an observed ALT; as these are evidence in many ways, the allele is more certain than that. The samples have the
  // typed markers `markers`.
  double OddsPower(std::span<const uint32_t> markers, std::span<const SampleGenotypes> samples,
                   std::span<const PhasePosterior> draws) const;

  // Gives the samples `index` their hidden genotypes back. Heterozygotes without a given phase have it as imputed, and
  // are not among SampleGenotypes::hets.
  void Restore(std::span<PhasePosterior> draws, std::span<SampleGenotypes> samples) const;

 private:
  struct Hidden {
    size_t k;         // of `index`
    uint32_t marker;  // typed
    std::array<uint8_t, 2> alleles;
    bool is_unphased;
  };

  void Hide(const WindowStudy& study, size_t j, size_t count, std::span<const size_t> index,
            std::span<const size_t> places);

  std::deque<GenotypeRow> rows_;
  WindowStudy with_gaps_;
  std::vector<Hidden> hidden_;
};

// Raises the odds of the probabilities of imputed alleles to a power.
void SharpenOdds(double power, PhasePosterior& draws);

}  // namespace haplospin
