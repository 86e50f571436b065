// The founders of families as a study of their own, with what their children tell of their haplotypes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "genotypes/imputation/models/pedigree/family_sampler.h"
#include "genotypes/imputation/window/study_builder.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

// A founder of families, or a person of the study who is in none.
struct Founder {
  std::optional<size_t> sample;                // of the study; none: somebody without genotypes
  std::optional<InferredHaplotypes> inferred;  // none: the sample is as it was
  size_t haplotypes = 2;                       // of somebody without genotypes
};

// People without genotypes become one or two haploid samples with the inferred alleles. Those with genotypes have the
// inferred order and phase sets, and inferred genotypes where theirs are missing. All others are as they were.
class FounderStudy {
 public:
  FounderStudy(const WindowStudy& study, std::span<const Founder> founders);
  FounderStudy(const FounderStudy&) = delete;
  FounderStudy& operator=(const FounderStudy&) = delete;

  const WindowStudy& study() const { return *study_; }

  // Returns the first sample of a founder; that of its second haplotype, if any, follows, if it has no genotypes.
  size_t first_sample(size_t founder) const { return first_sample_[founder]; }

 private:
  StudyBuilder builder_;
  std::vector<size_t> first_sample_;  // [founders]
  std::optional<WindowStudy> study_;
};

}  // namespace haplospin
