// The fit of a study's haplotypes to a panel: whether they are of its populations, and how many genotypes are wrong.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/copying/copying_sample.h"

namespace haplospin {

// Expected switches and mismatches of some haplotypes of a study, and those that as many haplotypes of the panel would
// have. Summed over windows with +=.
struct StudyFit {
  double switches = 0, panel_switches = 0;
  double mismatches = 0, panel_mismatches = 0;
  double unmatched = 0, panel_unmatched = 0;  // typed markers at which a haplotype matches none of the panel
  double typed = 0;                           // typed markers, summed over the haplotypes

  StudyFit& operator+=(const StudyFit& other);

  double SwitchRatio() const { return switches / panel_switches; }
  double MismatchRatio() const { return mismatches / panel_mismatches; }

  // Returns whether the study has many more unmatched markers than the panel. Neither switches nor mismatches are seen
  // at these.
  bool MatchesNone() const;

  // Returns whether the study is of a population that the panel lacks: it has more switches and more mismatches, or
  // matches none of the panel. Wrong genotypes add mismatches only, and errors of phase add switches only.
  bool IsOfAnotherPopulation() const;
};

// Returns what the study's haplotypes have: "2.7 times as many switches and 12.1 times as many mismatches as the
// panel's own". If MatchesNone(), ", and match no panel haplotype at 98 % of the typed markers (the panel's own: 1 %)"
// follows.
std::string Describe(const StudyFit& fit);

// Returns the indices of up to 32 evenly spaced haplotypes of a batch, which are compared with the panel. Those of
// people without genotypes are not among them.
std::vector<size_t> HaplotypesToFit(std::span<const TargetHaplotype* const> haplotypes);

// Runs the sample with the model of the last expectation step of `copying`, and compares the numbers.
StudyFit FitStudy(const PanelCopying& copying, CopyingSample& sample);

// Does so with a sample of HaplotypesToFit().
StudyFit FitHaplotypes(const TypedPanel& panel, const PanelCopying& copying,
                       std::span<const TargetHaplotype* const> haplotypes, const StateOptions& options);

// Returns the mismatch probability of the panel, unless the study has clearly more mismatches. These are taken for
// wrong genotypes, and their share of the alleles is added. A larger value is taken if it lowers the squared error of
// left-out alleles by more than the share `min_gain` (CopyingOptions::min_mismatch_gain).
float MismatchProbabilityOfStudy(const PanelCopying& copying, const StudyFit& fit, double min_gain,
                                 CopyingSample& sample);

}  // namespace haplospin
