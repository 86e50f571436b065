// How the samples of a study are phased. A plan is a value that is made before any sample is read, and carried out by
// StudyPhaser, PhaseGroup(), FindHaplotypes() and DrawHaplotypes(). The steps of a group are always these, and a plan
// says with what, how often and whether at all each is done:
//
//   1. Called genotypes are hidden, to learn how certain imputed alleles are (hides_genotypes).
//   2. The markers with enough copies of both alleles are chosen (scaffold). Without a scaffold, all take part.
//   3. First haplotypes are found (first), and improved in rounds of sweeps (improvement).
//   4. Rarer alleles are placed on these haplotypes, if there is a scaffold.
//   5. The populations of what a sample copies are found (population_sweeps).
//   6. The phase is drawn in rounds of sweeps (draws), over which the result is an average.
//   7. Alleles that one sample has are placed, if there is a scaffold.
//
// Steps 3 to 6 are one chain; there may be several, whose draws are averaged. What depends on the data, such as the
// share of missing alleles, is measured once (GroupFacts) and leads to the PhasingSchedule of a group.
//
// A new kind of study is a maker beside those at the end of this file, which fills in a plan and names the function
// that makes its schedule; plan/window_plan.cpp chooses it. If it begins in another way, it also takes a value of
// FirstHaplotypes, and a function in phasing_rounds.cpp. The constants of plans are in phasing_plan.cpp, each with its
// reason; benchmarks/phasing/LOG.md has what was tried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "genotypes/imputation/models/copying/haplotype_matches.h"
#include "genotypes/imputation/models/phasing/phase_draws.h"

namespace haplospin {

// Rates that a copying model is given for phasing.
struct PhasingRates {
  float multiplier;  // factor of the estimated switch probabilities
  float mismatch_probability;
};

// Factors of all rates at some markers.
struct RateFactors {
  float switching = 1;   // of the switch probabilities
  float mismatches = 1;  // of the mismatch probabilities
};

// How the first haplotypes of samples are found.
enum class FirstHaplotypes {
  kPanel,      // from evenly spaced haplotypes of the panel
  kNeighbors,  // from the neighbors in the positional Burrows-Wheeler order (first_haplotypes.h)
  kGuess,      // from the alleles that the study gives for this (GenotypeRow::guess)
  kClusters,   // from clusters that are fitted to the likelihoods (cluster_haplotypes.h)
};

// The markers of a study that are phased before rarer ones are placed on their haplotypes.
struct ScaffoldCopies {
  size_t shared;    // fewest copies of an allele that several people may share: such markers take part in the draws
  size_t frequent;  // fewest copies at the markers of the first haplotypes and their improvement
};

// What is measured of the samples of a group at some markers.
struct MarkerFacts {
  double missing_share = 0;          // of the alleles of all samples, where likelihoods tell nothing either
  bool has_imputed_alleles = false;  // missing alleles that are imputed while the samples are phased
  double gap = 0;                    // mean distance of two neighboring markers, cM
};

// What the schedule of a group depends on.
struct GroupFacts {
  size_t samples;                // of the group, phased ones among them
  size_t panel_haplotypes = 0;   // of a panel that is copied alone
  MarkerFacts frequent, shared;  // at the markers of either kind; at all markers without a scaffold
};

// The number of rounds of a group, and its rates.
struct PhasingSchedule {
  size_t chains = 1;
  int improvement_rounds = 0;  // of each chain
  size_t draw_rounds = 0;      // of each chain
  RateFactors frequent, shared;
};

// The sweeps of a round of improvement, all of which copy the matches of the phase that the last round found.
struct Improvement {
  int sweeps;
  PhasingRates rates;
};

struct PhasingPlan {
  // What samples copy.
  bool copies_panel;
  bool copies_each_other;
  size_t max_group = SIZE_MAX;  // most samples that copy each other
  size_t max_states;            // most composites of the matches of a sample
  MatchOptions matches = {};

  // While first haplotypes are improved, samples do not copy each other where their genotypes are identical
  // (identical_stretches.h), and in the first half of the rounds, samples on a large chip do not copy those on a small
  // one, most of whose alleles are imputed from them, with the errors of their phase. The draws begin with haplotypes
  // that are right in most places and copy all: what is missing in one of two identical samples is known from the
  // other.
  bool excludes_others = false;

  // Whether samples are copied that lack many of their alleles, most of which are imputed from the others.
  bool copies_incomplete = true;

  // The copying model is that of the panel or estimated from the samples' present haplotypes, before these are improved
  // and before the draws.
  bool estimates_model = false;

  // What is found, besides the phase.
  bool imputes_missing;  // the missing alleles of samples that are phased
  bool imputes_phased;   // also those of samples whose phase is given
  bool hides_genotypes = false;

  // The study's haplotypes are compared with the panel's own, for how well the panel fits. Genotypes that are certain
  // by few reads are no fair sample of all, so that they tell nothing of the population.
  bool judges_population = false;

  std::optional<ScaffoldCopies> scaffold = {};

  // Markers whose less frequent allele has a lower frequency in the panel are rare: no matches are searched there, and
  // they take part in the recursions only where the reads of a sample show that allele. Nothing: no marker is rare.
  std::optional<float> rare_frequency = {};

  // Where it is known which alleles are of one read, it is drawn which haplotype a read is of (read_sampler.h), in
  // place of the alleles by their likelihoods. There must be a rare_frequency.
  bool assigns_reads = false;

  FirstHaplotypes first;
  int first_sweeps = 0;                       // over evenly spaced haplotypes of the panel
  size_t first_states = 0;                    // most of these
  std::optional<int> population_sweeps = {};  // before the draws; the last two count what is copied
  Improvement improvement;
  DrawSweeps draws;
  std::vector<PhasingRates> draw_rates;  // of the first round of draws, the second and so on, and then again
  PhasingRates rates;                    // of everything else, and of the model that is handed on

  PhasingSchedule (*schedule)(const GroupFacts& facts);

  // Whether the haplotypes are only what families begin with: half of the rounds, in one chain, then do as well.
  bool is_rough = false;
};

PhasingSchedule MakeSchedule(const PhasingPlan& plan, const GroupFacts& facts);

// Returns the sweeps of a sample in all chains.
int CountSweeps(const PhasingPlan& plan, const PhasingSchedule& schedule);

// What decides what is copied.
struct CopyingFacts {
  size_t study_haplotypes;
  size_t panel_haplotypes = 0;
  double gap = std::numeric_limits<double>::infinity();  // mean distance of two neighboring markers of the study, cM
};

// Most composites of a sample's matches where genotypes are known by their likelihoods and there is a panel. In a large
// panel, samples may have more, but only those with few reads do, which need memory for few markers.
inline constexpr size_t kLikelihoodStates = 1000;

// Two thirds of the markers of a sequenced panel are rarer, and tell little of the others.
inline constexpr float kRareFrequency = 0.001f;

// The makers of plans; plan/window_plan.cpp says for which study each is.
using PhasingPlanMaker = PhasingPlan (*)(const CopyingFacts& facts);

// From the haplotypes of a panel and, in a large study, those of the other samples.
PhasingPlan PlanFromPanel(const CopyingFacts& facts);

// From a panel, where nothing but the phase is asked for: samples of a sequenced study copy each other, too.
PhasingPlan PlanOfPhase(const CopyingFacts& facts);

// From a panel whose haplotypes are shared far (stages/estimate_stage.h), and the other samples.
PhasingPlan PlanFromHerdPanel(const CopyingFacts& facts);

// From the haplotypes of the other samples, without a panel.
PhasingPlan PlanFromStudy(const CopyingFacts& facts);

// From the individuals of a panel, which are samples without a phase beside those of the study.
PhasingPlan PlanFromStudyAndPanel(const CopyingFacts& facts);

// From a panel; the genotypes of the study are known by their likelihoods, as with few reads.
PhasingPlan PlanFromPanelLikelihoods(const CopyingFacts& facts);

// From the other samples; genotypes are known by their likelihoods.
PhasingPlan PlanFromStudyLikelihoods(const CopyingFacts& facts);

}  // namespace haplospin
