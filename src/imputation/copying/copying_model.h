// The Li-Stephens copying model of a window and its switch probabilities, learned from the panel itself.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "imputation/copying/state_selection.h"
#include "imputation/copying/typed_panel.h"

namespace haplospin {

struct CopyingModel {
  std::vector<float> switch_probability;  // [typed - 1] of copying another haplotype at typed marker j + 1 than at j
  float mismatch_probability = 0;         // of an allele other than the copied haplotype's
  float multiplier = 1;                   // the factor by which the estimated switch probabilities were multiplied
};

// Within the bounds of a model.
float SwitchProbability(double probability);

struct CopyingOptions {
  float max_mismatch_probability = 5e-3f;  // of the estimate, and its value if the panel tells nothing
  size_t max_haplotypes = 160;             // number of evenly spaced panel haplotypes that the estimate averages over
  int rounds = 2;  // of expectation and maximization, at least: more follow until the switches are stable
  StateOptions states;
  float min_product = 3e-4f;  // of a candidate's forward and backward probability, relative to the best candidate
  float rate_multiplier =
      4.5f;  // at most: the best matching haplotypes are found more reliably with more switches than the estimate

  // Of the squared error of left-out alleles, where a study has more mismatches than the panel: a larger mismatch
  // probability is taken if it lowers that error by this share.
  double min_mismatch_gain = 0.01;

  // The defaults are those for panels of up to 5,000 haplotypes. In larger panels, many haplotypes share a target's
  // longest matches: more of them tell better which alleles go with the match, and copying fits with fewer switches.
  // Beyond 100,000 haplotypes the longest matches are ever more alike, and half as many tell as much.
  CopyingOptions ForPanel(size_t num_haplotypes) const;
};

// How the haplotypes of a panel copy each other.
struct PanelCopying {
  CopyingModel model;          // to impute with
  CopyingModel last_round;     // of expectation: what the numbers are of; empty if there was none
  double switches = 0;         // expected, per haplotype
  double mismatch_rate = 0;    // expected mismatches, per allele
  double unmatched_share = 0;  // mean probability of copying a haplotype without a state
};

// Evenly spaced haplotypes of a panel that are imputed from the others. Each is left out together with its neighbor,
// which is of the same sample. None of a panel of two haplotypes or with one typed marker.
class PanelSample {
 public:
  PanelSample(const TypedPanel& panel, const CopyingOptions& options);

  std::span<const TargetHaplotype> haplotypes() const { return haplotypes_; }

 private:
  std::vector<TargetHaplotype> haplotypes_;
};

// Expectation-maximization over a sample of the panel, whose targets are the first ones of `selection`. The estimate of
// the switches is shrunk towards switches in proportion to genetic distance. Runs on all threads; the result does not
// depend on their number.
PanelCopying EstimatePanelCopying(const TypedPanel& panel, const PanelSample& sample, const StateSelection& selection,
                                  const CopyingOptions& options);

// Estimates the same with a search of its own.
PanelCopying EstimatePanelCopying(const TypedPanel& panel, const CopyingOptions& options);

}  // namespace haplospin
