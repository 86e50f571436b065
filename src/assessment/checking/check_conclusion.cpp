#include "assessment/checking/check_conclusion.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/group_digits.h"

namespace haplospin {
namespace {

// Sites that are the panel's, as they are or with their alleles exchanged or complemented.
size_t MatchingSites(const StudyCheck& check) {
  return check.Count(SiteFit::kSame) + check.Misfits() + check.Count(SiteFit::kUndecided) + check.without_alt_matched;
}

bool HasNoGenotype(const StudyCheck& check) {
  return std::ranges::all_of(check.samples, [](const SampleCheck& sample) { return sample.missing == sample.alleles; });
}

// Why a study should not be imputed, or nothing. `min_ratio` 0 accepts any that shares a site.
std::string Obstacle(const StudyCheck& check, double min_ratio) {
  if (HasNoGenotype(check)) return "all its genotypes are missing";
  if (!check.HasPanel()) return "";
  const size_t within = check.WithinPanel(), matching = MatchingSites(check);
  if (within == 0) return "no site is within the panel";
  const bool has_other_positions = check.PositionsDisagree();
  const bool is_too_few = static_cast<double>(matching) < min_ratio * static_cast<double>(within);
  if (matching == 0 || is_too_few || (min_ratio > 0 && has_other_positions)) {
    return fmt::format("only {} of the {} sites within the panel match it ({:.1f} %){}", GroupDigits(matching),
                       GroupDigits(within), 100 * static_cast<double>(matching) / static_cast<double>(within),
                       has_other_positions ? ", probably because of another genome build" : "");
  }
  for (const ContigCheck& contig : check.contigs) {
    const bool is_short = contig.HasMatching() && contig.SpanShare() < min_ratio &&
                          check.regions.PartAt(contig.name, contig.matching.first).IsWhole();
    if (!is_short) continue;
    // Most markers would be far from any site of the study.
    return fmt::format("its sites in the panel span only {:.2g} % of the panel's contig {}; impute --region {}:{}-{}",
                       100 * contig.SpanShare(), contig.panel_name, contig.name, contig.matching.first,
                       contig.matching.last);
  }
  return "";
}

}  // namespace

CheckConclusion ConcludeCheck(const StudyCheck& check, double min_ratio) {
  const std::string obstacle = Obstacle(check, min_ratio);
  if (!obstacle.empty()) return {CheckVerdict::kDoNotImpute, "do not impute this study: " + obstacle};
  if (!check.HasPanel()) {
    return {CheckVerdict::kNotCompared,
            "not compared with a panel: check the study again with --ref before imputation"};
  }
  const std::string but =
      check.IsOfAnotherPopulation() ? ", but the panel seems to be from another population: accuracy will be low" : "";
  if (check.Misfits() > 0) return {CheckVerdict::kReadyWhenFixed, "impute the copy that --fix writes" + but};
  return {CheckVerdict::kReady, "ready to impute" + but};
}

}  // namespace haplospin
