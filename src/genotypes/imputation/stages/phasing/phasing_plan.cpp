#include "genotypes/imputation/stages/phasing/phasing_plan.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// ---- Sweeps. ----

constexpr int kFirstSweeps = 2;       // a third changes the first phase little, and the rounds change it anyway
constexpr int kPopulationSweeps = 3;  // one to leave the first phase, two that count what is copied
constexpr int kBurnIn = 1;            // each round has new matches, which the phase follows within a sweep
constexpr int kPanelDrawSweeps = 12;  // four rounds of 12 have the fewest errors for their time
constexpr int kStudyDrawSweeps = 4;   // copied haplotypes have errors that each round removes a part of: short rounds
constexpr int kJointDrawSweeps = 2;   // the fewest after a burn-in of one: a sweep forward finds missing alleles
constexpr int kPanelImproveSweeps = 2;
constexpr int kStudyImproveSweeps = 1;  // more rounds are better than longer ones

// By likelihoods from a panel, each sweep also finds the genotypes, in both directions.
constexpr int kLikelihoodImproveSweeps = 1;
constexpr DrawSweeps kLikelihoodDraws = {.burn_in = 0, .averaged = 7};
constexpr DrawSweeps kStudyLikelihoodDraws = {.burn_in = 0, .averaged = 3};

static_assert(DrawSweeps{kBurnIn, kJointDrawSweeps}.FindProbabilities());

// ---- Rates. ----

// The estimated switch probabilities, and a mismatch probability on which results depend little.
constexpr PhasingRates kRates = {1, 3e-3f};

// Rates of the rounds of draws, each over matches of the present phase. The mean of the rounds depends less on the
// rates than a single round.
constexpr PhasingRates kDrawRates[] = {{1, 1e-3f}, {1, 6e-3f}, {1.5f, 1e-3f}, {1.5f, 6e-3f}};

// Errors of the samples' present haplotypes look like switches, so that the estimate is too high.
constexpr PhasingRates kStudyRates = {0.7f, 3e-3f};

// On average, two markers of an array are further apart than kArrayGap, cM. In sequences, where they are closer, fewer
// of them differ from the copied haplotype: the mismatch probabilities are in proportion, but not below
// kMinMismatchShare.
constexpr float kArrayGap = 1.5e-3f, kMinMismatchShare = 0.3f;

// In a sequenced study, where markers are closer than kSequencedGap, the longest matches of a haplotype are of close
// relatives, so that it copies few haplotypes, and is drawn with fewest errors if it leaves them often.
constexpr double kSequencedGap = 1e-3;
constexpr float kSequencedSwitchFactor = 2;

// Where all markers of a panel are phased by likelihoods: the haplotypes of a panel differ less from each other, and
// switch less, than called genotypes with their errors do.
constexpr float kLikelihoodMismatchShare = 0.06f, kLikelihoodSwitchFactor = 0.8f;

// From this share of missing alleles on, errors of imputed alleles look like switches too: the switch probabilities are
// in proportion to the share of alleles that are not missing, but not below kMinSwitchFactor.
constexpr double kManyMissing = 0.5;
constexpr float kMinSwitchFactor = 0.1f;

// ---- Rounds. ----

constexpr size_t kPanelDrawRounds = std::size(kDrawRates);
constexpr size_t kStudyDrawRounds = 2 * std::size(kDrawRates);  // shorter ones

// A first guess from likelihoods is too poor for draws. With half as many rounds, a chain in ten or so stays at a wrong
// one.
constexpr int kLikelihoodRounds = 12;

// The animals of a study share more with each other than with a panel of few, so that their phase, of which the first
// one comes from the panel alone, is improved before the draws.
constexpr int kHerdRounds = 4;

// The longest matches of a haplotype in a block are of several lineages in a panel of kFewHaplotypes. In a larger one,
// they are ever closer relatives of each other: a chain whose states all carry a wrong guess stays there, and is too
// certain. So a sample has more matches, in proportion to the root of the panel's size, and begins with more of the
// haplotypes, in proportion to it; then fewer rounds and draws are needed. From kManyHaplotypes on, all stay as they
// are, for the time.
constexpr double kFewHaplotypes = 5000, kManyHaplotypes = 40000;

// Without a panel, many short rounds are better than a few long ones. From kManySamples on there are longer matches,
// so that fewer rounds are needed; if more than kManyMissing of the alleles are missing, each round finds fewer of
// them, so that there are up to kMaxRoundsFactor as many. By likelihoods, the first haplotypes are better.
constexpr int kStudyRounds = 24, kManySamplesRounds = 12;
constexpr size_t kManySamples = 2000;
constexpr double kMaxRoundsFactor = 4;

// The panel's phase and the first imputed alleles are right at most places, so that a few rounds are enough.
constexpr int kJointRounds = 4;
constexpr size_t kJointDrawRounds = kPanelDrawRounds;

// Two chains make different errors, so that the mean of their draws has fewer than one chain of twice the rounds. If
// about half of the alleles are missing, one chain needs all rounds; from kManySamples on one has few rounds already.
constexpr size_t kStudyChains = 2;
constexpr double kMaxMissingShareForChains = 0.4;

// ---- States and markers. ----

constexpr size_t kMaxPanelStates = 512;  // 1,024 take twice the time for about a hundredth of the errors
constexpr size_t kMaxStudyStates = 256;  // as good as 512 where there are many rounds
constexpr size_t kFirstStates = 512;

// In a sequenced study with a panel, haplotypes that match less far only add errors.
constexpr size_t kSequencedStates = 192, kSequencedMatches = 6;
constexpr size_t kSequencedGroup = 1024;  // samples, whose alleles at all markers of a window are in memory

// In a large panel there are up to this many times kLikelihoodStates: more take time and gain little.
constexpr double kMaxStatesFactor = 1.5;

// Frequent alleles have kFrequentCopies copies or, in a small study, a share of kFrequentShare; in a large one,
// kLargeStudyFrequentShare. Rarer ones tell little of the others, and are placed in less time than phased.
constexpr double kFrequentCopies = 6, kFrequentShare = 0.006, kLargeStudyFrequentShare = 0.002;
constexpr size_t kSharedCopies = 2;  // an allele of one person tells nothing of the others

// Returns the size of a panel relative to kFewHaplotypes, within the limits.
double RelativeSize(size_t panel_haplotypes) {
  return std::clamp(static_cast<double>(panel_haplotypes) / kFewHaplotypes, 1.0, kManyHaplotypes / kFewHaplotypes);
}

size_t Rounded(double value) { return static_cast<size_t>(std::lround(value)); }

// Imputed alleles of other samples are wrong more often than alleles that were observed, so nothing is lowered for
// them.
float MismatchShare(const MarkerFacts& facts) {
  if (facts.has_imputed_alleles) return 1;
  return std::clamp(static_cast<float>(facts.gap) / kArrayGap, kMinMismatchShare, 1.0f);
}

float SwitchFactor(double missing_share) {
  return std::clamp(static_cast<float>((1 - missing_share) / (1 - kManyMissing)), kMinSwitchFactor, 1.0f);
}

RateFactors PanelFactors(const MarkerFacts& facts) { return {.mismatches = MismatchShare(facts)}; }

RateFactors StudyFactors(const MarkerFacts& facts) {
  RateFactors factors = PanelFactors(facts);
  factors.switching = SwitchFactor(facts.missing_share);
  return factors;
}

int CompleteStudyRounds(const GroupFacts& facts) {
  return facts.samples < kManySamples ? kStudyRounds : kManySamplesRounds;
}

int StudyRounds(const GroupFacts& facts) {
  const double found = 1 - std::min(facts.frequent.missing_share, 1 - 1e-6);
  const double factor = std::min(kManyMissing / found, kMaxRoundsFactor);
  return static_cast<int>(std::lround(CompleteStudyRounds(facts) * std::max(1.0, factor)));
}

PhasingSchedule PanelSchedule(const GroupFacts& facts) {
  return {
      .draw_rounds = kPanelDrawRounds, .frequent = PanelFactors(facts.frequent), .shared = PanelFactors(facts.shared)};
}

PhasingSchedule SequencedPanelSchedule(const GroupFacts& facts) {
  PhasingSchedule schedule = PanelSchedule(facts);
  schedule.shared.switching = kSequencedSwitchFactor;
  return schedule;
}

PhasingSchedule HerdPanelSchedule(const GroupFacts& facts) {
  PhasingSchedule schedule = PanelSchedule(facts);
  schedule.improvement_rounds = kHerdRounds;
  return schedule;
}

PhasingSchedule PanelLikelihoodSchedule(const GroupFacts& facts) {
  const RateFactors factors{.switching = kLikelihoodSwitchFactor, .mismatches = kLikelihoodMismatchShare};
  return {.improvement_rounds = static_cast<int>(Rounded(kLikelihoodRounds / RelativeSize(facts.panel_haplotypes))),
          .draw_rounds = kPanelDrawRounds,
          .frequent = factors,
          .shared = factors};
}

PhasingSchedule StudySchedule(const GroupFacts& facts) {
  const bool has_chains = facts.samples < kManySamples && facts.frequent.missing_share <= kMaxMissingShareForChains;
  const size_t chains = has_chains ? kStudyChains : 1;
  return {.chains = chains,
          .improvement_rounds = StudyRounds(facts) / static_cast<int>(chains),
          .draw_rounds = kStudyDrawRounds / chains,
          .frequent = StudyFactors(facts.frequent),
          .shared = StudyFactors(facts.shared)};
}

PhasingSchedule JointSchedule(const GroupFacts& facts) {
  return {.improvement_rounds = kJointRounds,
          .draw_rounds = kJointDrawRounds,
          .frequent = StudyFactors(facts.frequent),
          .shared = StudyFactors(facts.shared)};
}

PhasingSchedule StudyLikelihoodSchedule(const GroupFacts& facts) {
  return {.improvement_rounds = CompleteStudyRounds(facts),
          .draw_rounds = kStudyDrawRounds,
          .frequent = StudyFactors(facts.frequent),
          .shared = StudyFactors(facts.shared)};
}

// Sequences have alleles that are rare in the panel or absent from it, and that several people of the study have: these
// tell more of each other there than the panel does.
void CopySequences(PhasingPlan& plan) {
  plan.copies_each_other = true;
  plan.max_group = kSequencedGroup;
  plan.imputes_missing = true;
  plan.max_states = kSequencedStates;
  plan.matches.per_block = kSequencedMatches;
  plan.schedule = SequencedPanelSchedule;
}

size_t FrequentCopies(size_t study_haplotypes) {
  const auto haplotypes = static_cast<double>(study_haplotypes);
  const double copies =
      std::max(std::min(kFrequentCopies, kFrequentShare * haplotypes), kLargeStudyFrequentShare * haplotypes);
  return std::max(kSharedCopies, static_cast<size_t>(copies));
}

}  // namespace

PhasingSchedule MakeSchedule(const PhasingPlan& plan, const GroupFacts& facts) {
  PhasingSchedule schedule = plan.schedule(facts);
  if (!plan.is_rough) return schedule;
  schedule.chains = 1;
  schedule.improvement_rounds /= 2;
  schedule.draw_rounds /= 2;
  HS_ASSERT(schedule.draw_rounds > 0);
  return schedule;
}

int CountSweeps(const PhasingPlan& plan, const PhasingSchedule& schedule) {
  const int draws = static_cast<int>(schedule.draw_rounds) * (plan.draws.burn_in + plan.draws.averaged);
  const int improvement = schedule.improvement_rounds * plan.improvement.sweeps;
  const int sweeps = plan.first_sweeps + improvement + plan.population_sweeps.value_or(0) + draws;
  return static_cast<int>(schedule.chains) * sweeps;
}

// In a study that is smaller than the panel, a sample should not depend on the others, and gains little from them.
PhasingPlan PlanFromPanel(const CopyingFacts& facts) {
  const bool copies_each_other = facts.study_haplotypes >= facts.panel_haplotypes;
  return {.copies_panel = true,
          .copies_each_other = copies_each_other,
          .max_states = kMaxPanelStates,
          .imputes_missing = copies_each_other,
          .imputes_phased = false,
          .judges_population = true,
          .first = FirstHaplotypes::kPanel,
          .first_sweeps = kFirstSweeps,
          .first_states = kFirstStates,
          .population_sweeps = kPopulationSweeps,
          .improvement = {kPanelImproveSweeps, kRates},
          .draws = {kBurnIn, kPanelDrawSweeps},
          .draw_rates = {std::begin(kDrawRates), std::end(kDrawRates)},
          .rates = kRates,
          .schedule = PanelSchedule};
}

PhasingPlan PlanOfPhase(const CopyingFacts& facts) {
  PhasingPlan plan = PlanFromPanel(facts);
  if (facts.gap < kSequencedGap) CopySequences(plan);
  return plan;
}

PhasingPlan PlanFromHerdPanel(const CopyingFacts& facts) {
  PhasingPlan plan = PlanFromPanel(facts);
  plan.copies_each_other = true;
  plan.imputes_missing = true;
  plan.schedule = HerdPanelSchedule;
  return plan;
}

PhasingPlan PlanFromStudy(const CopyingFacts& facts) {
  return {.copies_panel = false,
          .copies_each_other = true,
          .max_states = kMaxStudyStates,
          .excludes_others = true,
          .estimates_model = true,
          .imputes_missing = true,
          .imputes_phased = true,
          .hides_genotypes = true,
          .scaffold = ScaffoldCopies{.shared = kSharedCopies, .frequent = FrequentCopies(facts.study_haplotypes)},
          .first = FirstHaplotypes::kNeighbors,
          .improvement = {kStudyImproveSweeps, kStudyRates},
          .draws = {kBurnIn, kStudyDrawSweeps},
          .draw_rates = {std::begin(kDrawRates), std::end(kDrawRates)},
          .rates = kRates,
          .schedule = StudySchedule};
}

PhasingPlan PlanFromStudyAndPanel(const CopyingFacts& facts) {
  PhasingPlan plan = PlanFromStudy(facts);
  plan.copies_incomplete = false;
  plan.hides_genotypes = false;
  plan.first = FirstHaplotypes::kGuess;
  plan.draws.averaged = kJointDrawSweeps;
  plan.schedule = JointSchedule;
  return plan;
}

// Haplotypes match less clearly than those of called genotypes, so that there are more states, and all missing alleles
// are found: they are what was asked for.
PhasingPlan PlanFromPanelLikelihoods(const CopyingFacts& facts) {
  PhasingPlan plan = PlanFromPanel(facts);
  const double size = RelativeSize(facts.panel_haplotypes);
  plan.max_states = Rounded(kLikelihoodStates * std::min(std::sqrt(size), kMaxStatesFactor));
  if (!plan.copies_each_other) {
    plan.rare_frequency = kRareFrequency;
    plan.assigns_reads = true;
    plan.matches.per_block = Rounded(std::sqrt(size) * static_cast<double>(plan.matches.per_block));
    plan.first_states = Rounded(size * kFirstStates);
    plan.improvement.sweeps = kLikelihoodImproveSweeps;
    plan.draws = kLikelihoodDraws;
    plan.draws.averaged = static_cast<int>(Rounded(plan.draws.averaged / std::pow(size, 0.25)));
  }
  plan.imputes_missing = true;
  plan.imputes_phased = true;
  plan.judges_population = false;
  plan.schedule = PanelLikelihoodSchedule;
  return plan;
}

// All markers take part at once, and none is hidden: those genotypes that are certain by few reads are heterozygotes,
// so that they tell nothing of the copies of an allele, of identical samples or of the others.
PhasingPlan PlanFromStudyLikelihoods(const CopyingFacts& facts) {
  PhasingPlan plan = PlanFromStudy(facts);
  plan.excludes_others = false;
  plan.hides_genotypes = false;
  plan.scaffold.reset();
  plan.first = FirstHaplotypes::kClusters;
  plan.draws = kStudyLikelihoodDraws;
  plan.schedule = StudyLikelihoodSchedule;
  return plan;
}

}  // namespace haplospin
