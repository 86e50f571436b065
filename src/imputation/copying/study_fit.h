// How well the haplotypes of a study fit a panel.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "imputation/copying/copying_model.h"
#include "imputation/copying/copying_sample.h"

namespace haplospin {

// Expected switches and mismatches of some haplotypes of a study, and those that as many haplotypes of the panel would
// have. Summed over windows with +=.
struct StudyFit {
  double switches = 0, panel_switches = 0;
  double mismatches = 0, panel_mismatches = 0;
  // Typed markers where they match no haplotype of the panel.
  double unmatched = 0, panel_unmatched = 0;
  double typed = 0;  // markers of all of these haplotypes

  StudyFit& operator+=(const StudyFit& other);

  double SwitchRatio() const { return switches / panel_switches; }
  double MismatchRatio() const { return mismatches / panel_mismatches; }

  // Where a haplotype matches none, neither switches nor mismatches are seen.
  bool MatchesNone() const;

  // Wrong genotypes add mismatches, errors of phase add switches; haplotypes of a population that the panel lacks have
  // more of both, or match none of it.
  bool IsOfAnotherPopulation() const;
};

// What the study's haplotypes have: "2.7 times as many switches and 12.1 times as many mismatches as the panel's own",
// and where they match none of it, ", and match no panel haplotype at 98 % of the typed markers (the panel's own: 1 %)"
// after it.
std::string Describe(const StudyFit& fit);

// Up to 32 evenly spaced indices below `count`: the haplotypes of a batch of samples that are compared with the panel.
std::vector<size_t> HaplotypesToFit(size_t count);

// Runs the sample as the last round of `copying` was run.
StudyFit FitStudy(const PanelCopying& copying, CopyingSample& sample);

// The same of up to 32 of `haplotypes`.
StudyFit FitHaplotypes(const TypedPanel& panel, const PanelCopying& copying,
                       std::span<const TargetHaplotype* const> haplotypes, const StateOptions& options);

// That of the panel, unless the study has clearly more mismatches. Then these are taken for wrong genotypes, and their
// share of the alleles is added; a larger value is taken if it lowers the squared error of left-out alleles by more
// than `min_gain` (CopyingOptions).
float MismatchProbabilityOfStudy(const PanelCopying& copying, const StudyFit& fit, double min_gain,
                                 CopyingSample& sample);

}  // namespace haplospin
