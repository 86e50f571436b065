// The parameters of the copying model in a window, learned from the panel itself by expectation-maximization.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/copying_constants.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/copying/forward_backward.h"
#include "genotypes/imputation/models/copying/typed_panel.h"

namespace haplospin {

// Returns the probability within the bounds that a model's switch probabilities have.
float SwitchProbability(double probability);

struct CopyingOptions {
  // Upper limit of the estimated mismatch probability, and its value if nothing can be estimated.
  float max_mismatch_probability = 5e-3f;

  size_t max_haplotypes = 160;  // number of evenly spaced panel haplotypes that the estimate averages over
  // The estimate is made at the typed markers whose less frequent allele is at least so frequent, and the switches
  // between them are spread over the gaps of the others.
  float min_frequency = 0;

  int rounds = 2;  // minimum of expectation-maximization rounds; more follow until the switches are stable
  StateOptions states;

  // Candidates of an interval: those with the largest forward * backward probability, at most so many (up to
  // kMaxCandidates), and none below this share of the largest.
  size_t max_candidates = kMaxCandidates;
  float min_product = 3e-4f;

  // Maximum of CopyingModel::multiplier. The best matching haplotypes are found more reliably with more switches than
  // the estimate.
  float rate_multiplier = 4.5f;

  // A study with more mismatches than the panel gets a larger mismatch probability if that lowers the squared error of
  // left-out alleles by this share.
  double min_mismatch_gain = 0.01;

  // The defaults are those for panels of 3,000 to 5,000 haplotypes. In smaller ones, fewer haplotypes match a target
  // well, so that fewer candidates have the same information. In larger panels, many haplotypes share a target's
  // longest matches: more of them tell better which alleles go with the match, and copying fits with fewer switches.
  // Beyond 100,000 haplotypes the longest matches are ever more alike, and half as many tell as much.
  CopyingOptions ForPanel(size_t num_haplotypes) const;
};

// The model of a panel whose haplotypes copy each other.
struct PanelCopying {
  CopyingModel model;       // model to impute with
  CopyingModel last_round;  // model of the last expectation step, which gave the numbers below; empty if none was run
  std::vector<float> switch_probability;  // [typed - 1] estimates, which `model` multiplies
  double switches = 0;                    // expected switches per haplotype
  double mismatch_rate = 0;               // expected mismatches per allele
  double unmatched_share = 0;             // mean probability of copying a haplotype without a state
};

// Evenly spaced haplotypes of a panel that are imputed from the others. Each is left out together with its neighbor,
// which is of the same sample. A panel of two haplotypes or with one typed marker has no such sample.
class PanelSample {
 public:
  PanelSample(const TypedPanel& panel, const CopyingOptions& options);

  std::span<const TargetHaplotype> haplotypes() const { return haplotypes_; }

 private:
  std::vector<TargetHaplotype> haplotypes_;
};

// Estimates the model by expectation-maximization over a sample of the panel, whose targets are the first ones of
// `selection`. The estimate of the switches is shrunk towards switches in proportion to genetic distance. Runs on all
// threads; the result does not depend on their number.
PanelCopying EstimatePanelCopying(const TypedPanel& panel, const PanelSample& sample, const StateSelection& selection,
                                  const CopyingOptions& options);

// Makes an estimate at some of the typed markers, `markers`, one at all. The gaps between two of them have the same
// probability of a switch together, in proportion to `morgans` [typed - 1]; those before the first and after the last
// have the mean rate.
void SpreadSwitches(std::span<const uint32_t> markers, std::span<const float> morgans, PanelCopying& copying);

// Draws the sample, searches for its matches and estimates the model.
PanelCopying EstimatePanelCopying(const TypedPanel& panel, const CopyingOptions& options);

// Returns the model that estimates of an earlier run give: [typed - 1] switch probabilities, and the two fields of
// PanelCopying with these names.
PanelCopying EarlierPanelCopying(std::vector<float> switch_probability, double mismatch_rate, double unmatched_share,
                                 const CopyingOptions& options);

}  // namespace haplospin
