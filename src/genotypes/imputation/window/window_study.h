// The study in a window, as the models see it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "genotypes/imputation/window/window_dosages.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// The alleles of each study haplotype at the typed markers, as views of tables that must outlive it.
struct WindowStudy {
  const SampleTable* samples;
  std::vector<uint32_t> typed;                    // panel markers, ascending
  std::vector<const std::vector<uint8_t>*> rows;  // [typed] alleles of all study haplotypes

  // Called by any thread as work is done, with the number of samples that it amounts to. May be empty.
  std::function<void(double)> on_progress = {};

  // [typed] 1 for each sample whose alleles may be in either order; null or empty if all are phased.
  std::vector<const std::vector<uint8_t>*> unphased = {};
  std::vector<const std::vector<uint32_t>*> phase_sets = {};              // [typed] see StudyGenotypes; the same
  std::vector<const std::vector<GenotypeLikelihoods>*> likelihoods = {};  // [typed] the same
  MarkerRange phased = {};  // [typed] those whose present order was found in an earlier window

  void Report(double work) const {
    if (on_progress) on_progress(work);
  }

  // Returns true if all alleles of all samples are in a known order.
  bool IsPhased() const {
    return std::ranges::all_of(unphased, [](const auto* samples) { return samples == nullptr || samples->empty(); });
  }

  bool IsUnphased(size_t j, size_t sample) const {
    return !unphased.empty() && unphased[j] != nullptr && !unphased[j]->empty() && (*unphased[j])[sample] != 0;
  }

  uint32_t PhaseSet(size_t j, size_t sample) const {
    const bool has_none = phase_sets.empty() || phase_sets[j] == nullptr || phase_sets[j]->empty();
    return has_none ? 0 : (*phase_sets[j])[sample];
  }

  // Returns whether the study gives likelihoods of genotypes. Then they, and missing alleles, are part of phasing.
  bool HasLikelihoods() const {
    return std::ranges::any_of(likelihoods,
                               [](const auto* samples) { return samples != nullptr && !samples->empty(); });
  }

  // Returns whether at least half as many of the genotypes of diploid samples are heterozygous as if their alleles were
  // drawn at random. Inbred lines have next to none; nor has a study without any genotype.
  bool IsOutbred() const;

  bool HasLikelihoods(size_t j) const {
    return !likelihoods.empty() && likelihoods[j] != nullptr && !likelihoods[j]->empty();
  }

  GenotypeLikelihoods Likelihoods(size_t j, size_t sample) const {
    return HasLikelihoods(j) ? (*likelihoods[j])[sample] : GenotypeLikelihoods();
  }
};

// The genotypes of a study at one marker. A table that is null or empty is as in StudyGenotypes.
struct StudyRow {
  const std::vector<uint8_t>* alleles = nullptr;                  // [haplotypes]
  const std::vector<uint8_t>* unphased = nullptr;                 // [samples]
  const std::vector<uint32_t>* phase_sets = nullptr;              // [samples]
  const std::vector<GenotypeLikelihoods>* likelihoods = nullptr;  // [samples]
};

// Returns the genotypes of marker s as the study has them.
StudyRow RowOf(const StudyGenotypes& study, size_t s);

// Returns the study markers that the panel has, in the order of the panel: two study markers at one position may be in
// another order. `panel_marker` is that of each of the first study markers, or as in PanelAlignment; row(s) are the
// genotypes of study marker s, which must outlive the result.
WindowStudy TypedSites(const SampleTable& samples, std::span<const uint32_t> panel_marker,
                       const std::function<StudyRow(size_t)>& row);

// Adds the panel markers of `range` that are not typed. All alleles of them are missing: `missing`, [haplotypes], must
// outlive the study.
void AddUntyped(MarkerRange range, const std::vector<uint8_t>& missing, WindowStudy& study);

}  // namespace haplospin
