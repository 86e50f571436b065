#include "genotypes/imputation/models/copying/study_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace haplospin {
namespace {

// Studies of the panel's populations, with 2 % of wrong genotypes, have at most 1.2 times the switches; studies of
// others that differ least, Europeans on an African panel, have 1.45 times the switches and 2.5 times the mismatches.
constexpr double kForeignSwitches = 1.35, kForeignMismatches = 2.2, kForeignDeviations = 3;

// Africans on a European panel match none of it at a third of the typed markers, other studies of 1000 Genomes at less
// than a tenth, haplotypes that have nothing in common with the panel at nearly all. With one typed marker in 50 kb,
// half of them match none, but the panel's own do so as well.
constexpr double kForeignUnmatched = 0.25;  // difference from the panel's own share

constexpr int kMaxTold = 100;  // The panel's number is too small to tell a larger ratio.

constexpr size_t kMaxHaplotypes = 32;  // per batch

// A study with fewer mismatches is taken to have no errors.
constexpr double kErroneousMismatches = 1.2, kErroneousDeviations = 2;
constexpr float kMinTriedMismatch = 2.5e-3f, kMaxTriedMismatch = 4e-2f;

// Returns whether `count` is above `ratio` * `expected` by more than so many standard deviations.
bool IsMany(double count, double expected, double ratio, double deviations) {
  return count > ratio * expected + deviations * std::sqrt(ratio * expected);
}

std::string Times(double ratio) {
  return ratio > kMaxTold ? fmt::format("more than {} times", kMaxTold) : fmt::format("{:.1f} times", ratio);
}

}  // namespace

StudyFit& StudyFit::operator+=(const StudyFit& other) {
  switches += other.switches;
  panel_switches += other.panel_switches;
  mismatches += other.mismatches;
  panel_mismatches += other.panel_mismatches;
  unmatched += other.unmatched;
  panel_unmatched += other.panel_unmatched;
  typed += other.typed;
  return *this;
}

bool StudyFit::MatchesNone() const { return unmatched - panel_unmatched > kForeignUnmatched * typed; }

bool StudyFit::IsOfAnotherPopulation() const {
  return MatchesNone() || (IsMany(switches, panel_switches, kForeignSwitches, kForeignDeviations) &&
                           IsMany(mismatches, panel_mismatches, kForeignMismatches, kForeignDeviations));
}

std::string Describe(const StudyFit& fit) {
  std::string text = fmt::format("{} as many switches and {} as many mismatches as the panel's own",
                                 Times(fit.SwitchRatio()), Times(fit.MismatchRatio()));
  if (fit.MatchesNone()) {
    text += fmt::format(", and match no panel haplotype at {:.0f} % of the typed markers (the panel's own: {:.0f} %)",
                        100 * fit.unmatched / fit.typed, 100 * fit.panel_unmatched / fit.typed);
  }
  return text;
}

StudyFit FitStudy(const PanelCopying& copying, CopyingSample& sample) {
  if (copying.last_round.switch_probability.empty() || sample.num_alleles() == 0) return {};
  sample.Run(copying.last_round);
  const std::vector<double> switches = sample.Switches();
  const auto alleles = static_cast<double>(sample.num_alleles());
  const auto typed = static_cast<double>(sample.num_haplotypes() * (switches.size() + 1));
  return {.switches = std::accumulate(switches.begin(), switches.end(), 0.0),
          .panel_switches = copying.switches * static_cast<double>(sample.num_haplotypes()),
          .mismatches = sample.MismatchRate() * alleles,
          .panel_mismatches = copying.mismatch_rate * alleles,
          .unmatched = sample.UnmatchedShare() * typed,
          .panel_unmatched = copying.unmatched_share * typed,
          .typed = typed};
}

std::vector<size_t> HaplotypesToFit(std::span<const TargetHaplotype* const> haplotypes) {
  std::vector<size_t> known;
  for (size_t h = 0; h < haplotypes.size(); ++h) {
    const std::vector<uint64_t>& observed = haplotypes[h]->observed;
    if (std::ranges::any_of(observed, [](uint64_t word) { return word != 0; })) known.push_back(h);
  }
  std::vector<size_t> chosen(std::min(known.size(), kMaxHaplotypes));
  for (size_t k = 0; k < chosen.size(); ++k) chosen[k] = known[k * known.size() / chosen.size()];
  return chosen;
}

StudyFit FitHaplotypes(const TypedPanel& panel, const PanelCopying& copying,
                       std::span<const TargetHaplotype* const> haplotypes, const StateOptions& options) {
  std::vector<const TargetHaplotype*> chosen;
  for (const size_t h : HaplotypesToFit(haplotypes)) chosen.push_back(haplotypes[h]);
  if (chosen.empty()) return {};
  std::vector<size_t> selected(chosen.size());
  std::iota(selected.begin(), selected.end(), size_t{0});
  const StateSelection selection(panel, chosen, options);
  CopyingSample sample(panel, chosen, selection, selected);
  return FitStudy(copying, sample);
}

float MismatchProbabilityOfStudy(const PanelCopying& copying, const StudyFit& fit, double min_gain,
                                 CopyingSample& sample) {
  CopyingModel model = copying.model;
  float& mismatch = model.mismatch_probability;
  if (!IsMany(fit.mismatches, fit.panel_mismatches, kErroneousMismatches, kErroneousDeviations)) return mismatch;
  if (!fit.IsOfAnotherPopulation() && mismatch < kMinTriedMismatch) {
    const double excess = (fit.mismatches - fit.panel_mismatches) / static_cast<double>(sample.num_alleles());
    mismatch = std::min(mismatch + static_cast<float>(excess), kMinTriedMismatch);
  }
  sample.Run(model);
  double max_error = sample.LeftOutError() * (1 - min_gain);
  float best = mismatch;
  for (float tried = kMinTriedMismatch; tried <= kMaxTriedMismatch; tried *= 2) {
    if (tried <= best) continue;
    mismatch = tried;
    sample.Run(model);
    if (sample.LeftOutError() > max_error) break;  // The error in large panels falls a little up to any value.
    max_error = sample.LeftOutError() * (1 - min_gain);
    best = tried;
  }
  return best;
}

}  // namespace haplospin
