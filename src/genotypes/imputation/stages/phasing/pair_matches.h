// The haplotypes that match the present haplotypes of samples while they are phased.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/haplotype_matches.h"
#include "genotypes/imputation/models/copying/typed_panel.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "genotypes/imputation/stages/phasing/phasing_reference.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

// The typed markers of a panel with frequent alleles, at which matches are searched. An allele that no read has shown
// is imputed as the more frequent one, so that rare alleles would end the matches with the haplotypes that have them.
class FrequentMarkers {
 public:
  // `window` is that of the typed markers. The less frequent allele has at least `min_frequency`.
  FrequentMarkers(const PanelWindow& window, float min_frequency);

  HaplotypeRows rows() const { return panel_.rows(); }

  // Returns a haplotype at these markers, from its alleles at all typed ones.
  TargetHaplotype Target(const std::vector<uint8_t>& alleles, const ExcludedHaplotypes& own) const;

  // Makes the markers of matches typed ones.
  void Widen(std::vector<HaplotypeMatch>& matches) const;

 private:
  size_t num_typed_;
  std::vector<uint32_t> markers_;  // typed ones, ascending
  TypedPanel panel_;
};

class PairMatches {
 public:
  // The samples index[k] of the study have the present haplotypes samples[k]. `frequent`: null if matches are searched
  // at all typed markers.
  PairMatches(const PhasingReference& reference, const WindowStudy& study, std::span<const SampleGenotypes> samples,
              std::span<const size_t> index, const FrequentMarkers* frequent, const MatchOptions& options);

  // Returns the matches of both haplotypes of sample s.
  std::vector<HaplotypeMatch> Both(size_t s) const { return MergeMatches(matches_[2 * s], matches_[2 * s + 1]); }

 private:
  std::vector<std::vector<HaplotypeMatch>> matches_;  // [samples, 2]
};

}  // namespace haplospin
