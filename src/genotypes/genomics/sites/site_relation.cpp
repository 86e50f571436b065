#include "genotypes/genomics/sites/site_relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/letter_case.h"
#include "genotypes/genomics/sites/strand.h"
#include "genotypes/genomics/sites/variant.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int64_t kShift = 50;  // bp by which an indel that is not left-aligned is looked for

// How an indel whose REF is not known is compared with one of the panel: the largest difference of their frequencies,
// also in standard errors of the study's, and the number of SNVs on either side whose linkage is compared.
constexpr double kMaxDifference = 0.2, kMaxStandardErrors = 3;
constexpr size_t kMaxLinkedNeighbors = 20;

// The panel markers at a position, in their order, or a little before it with padding. Positions may go up and down.
class PanelSites {
 public:
  PanelSites(const HaplotypePanel* panel, size_t first)
      : panel_(panel), first_(first), next_(first), size_(panel == nullptr ? 0 : panel->num_markers()) {
    HS_ASSERT(size_ < MarkerMatch::kNone);
    for (size_t p = first_; p < size_; ++p) {
      if (TrimVariant(panel_->marker(p)).position != panel_->marker(p).position) padded_.push_back(p);
    }
  }

  // Calls function(p) with the panel markers whose variants begin at `position`.
  template <typename Function>
  void ForEachAt(int64_t position, Function function) {
    MoveTo(position);
    for (size_t p = next_; p < size_ && panel_->marker(p).position == position; ++p) {
      if (TrimVariant(panel_->marker(p)).position == position) function(p);
    }
    for (const size_t p : padded_) {
      if (TrimVariant(panel_->marker(p)).position == position) function(p);
    }
  }

  // Calls function(p) with the panel markers whose records are from `first` to `last`.
  template <typename Function>
  void ForEachWithin(int64_t first, int64_t last, Function function) {
    MoveTo(first);
    for (size_t p = next_; p < size_ && panel_->marker(p).position <= last; ++p) function(p);
  }

  const HaplotypePanel& panel() const { return *panel_; }

 private:
  void MoveTo(int64_t position) {
    while (next_ < size_ && panel_->marker(next_).position < position) ++next_;
    while (next_ > first_ && panel_->marker(next_ - 1).position >= position) --next_;
  }

  const HaplotypePanel* panel_;
  const size_t first_;
  size_t next_;  // the first marker at or after the last position asked for
  const size_t size_;
  std::vector<size_t> padded_;  // markers whose variants begin after their records
};

constexpr std::string_view kNoBases = "-";  // an allele

// Returns whether the code of an indel may be of this one: D or "-" is its shorter allele, and I or bases that are
// inserted or deleted the longer one.
bool MayBeCodeOf(const Marker& coded, const Variant& indel) {
  const std::string& bases = coded.ref == kNoBases ? coded.alt : coded.ref;
  const std::string_view longer = indel.ref.size() > indel.alt.size() ? indel.ref : indel.alt;
  return (coded.ref != kNoBases && coded.alt != kNoBases) || SameBases(longer.substr(1), bases);
}

bool IsShortCode(std::string_view allele) { return allele == "D" || allele == kNoBases; }

// A study's indel may be a panel marker: their letters, perhaps exchanged, or its codes.
std::optional<SiteRelation> RelateIndels(const Marker& study, const Marker& panel) {
  const Variant x = TrimVariant(study), y = TrimVariant(panel);
  if (x.position != y.position) return std::nullopt;
  if (IsCodedIndel(study)) {
    if (!y.IsIndel() || !study.HasAlt() || !MayBeCodeOf(study, y)) return std::nullopt;
    return IsShortCode(study.alt) == (y.ref.size() > y.alt.size()) ? SiteRelation::kSame : SiteRelation::kSwapped;
  }
  if (SameBases(x.ref, y.ref) && SameBases(x.alt, y.alt)) return SiteRelation::kSame;
  if (SameBases(x.ref, y.alt) && SameBases(x.alt, y.ref)) return SiteRelation::kSwapped;
  return std::nullopt;
}

// Matches the indels of a study that does not know which allele is REF, once its SNVs are matched.
class IndelMatcher {
 public:
  IndelMatcher(const StudyGenotypes& study, std::span<const MarkerMatch> matches, PanelSites& sites)
      : study_(study), matches_(matches), sites_(sites) {}

  // The match of marker `s` of the matches.
  MarkerMatch Match(size_t s) const {
    const Marker& marker = study_.markers[s].marker;
    std::vector<MarkerMatch> candidates;
    MarkerMatch found;
    sites_.ForEachAt(TrimVariant(marker).position, [&](size_t p) {
      if (!found.HasPosition()) found = {static_cast<uint32_t>(p), SiteRelation::kOtherAlleles};
      const auto relation = RelateIndels(marker, sites_.panel().marker(p));
      if (relation) candidates.push_back({static_cast<uint32_t>(p), *relation});
    });
    if (!candidates.empty() || IsCodedIndel(marker)) found.relation = SiteRelation::kUndecided;
    const std::optional<MarkerMatch> chosen = Choose(s, candidates);
    return chosen ? *chosen : found;
  }

 private:
  // The one candidate that fits or, if none is clear, the only one. Near a half, neither order of its alleles is more
  // frequent, so that another variant of the same letters would be as common as the panel's, and the panel lacks it.
  std::optional<MarkerMatch> Choose(size_t s, std::span<const MarkerMatch> candidates) const {
    std::vector<MarkerMatch> clear, possible;
    const std::vector<StrandSite> neighbors = candidates.empty() ? std::vector<StrandSite>() : Neighbors(s);
    for (const MarkerMatch& candidate : candidates) {
      const Strand strand =
          Compare(MakeSite(s, candidate.panel_marker, candidate.relation == SiteRelation::kSwapped), neighbors);
      if (strand == Strand::kSame) clear.push_back(candidate);
      if (strand == Strand::kUndecided) possible.push_back(candidate);
    }
    if (clear.size() == 1) return clear[0];
    return clear.empty() && candidates.size() == 1 && possible.size() == 1 ? std::optional(possible[0]) : std::nullopt;
  }

  // kSame where the alleles fit, kOther where their frequencies or their linkage contradict it.
  static Strand Compare(const StrandSite& site, const std::vector<StrandSite>& neighbors) {
    std::vector<const StrandSite*> pointers;
    for (const StrandSite& neighbor : neighbors) pointers.push_back(&neighbor);
    if (!HaveOneFrequency(site.PanelFrequency(), site.StudyFrequency())) return Strand::kOther;
    const Strand by_linkage = StrandByLinkage(site, pointers), by_frequency = StrandByFrequency(site);
    if (by_linkage == Strand::kUndecided || by_frequency == Strand::kUndecided) {
      return by_linkage == Strand::kUndecided ? by_frequency : by_linkage;
    }
    return by_linkage == by_frequency ? by_linkage : Strand::kOther;
  }

  static bool HaveOneFrequency(const AlleleFrequency& panel, const AlleleFrequency& study) {
    if (study.haplotypes == 0) return true;
    const double standard_error = std::sqrt(panel.value * (1 - panel.value) / study.haplotypes);
    return std::abs(study.value - panel.value) <= std::max(kMaxDifference, kMaxStandardErrors * standard_error);
  }

  StrandSite MakeSite(size_t s, size_t panel_marker, bool is_exchanged) const {
    StrandSite site =
        MakeStrandSite(sites_.panel(), panel_marker, study_.samples, study_.markers[s].genotypes.alleles, is_exchanged);
    site.is_phased = false;
    return site;
  }

  // The nearest SNVs that are certain.
  std::vector<StrandSite> Neighbors(size_t s) const {
    std::vector<StrandSite> neighbors;
    if (study_.samples.num_samples() < kMinSamplesForStrand) return neighbors;
    const auto position = [&](size_t i) { return study_.markers[i].marker.position; };
    const auto add = [&](size_t i, size_t limit) {
      if (neighbors.size() == limit || std::abs(position(i) - position(s)) > kLinkageReach) return false;
      const MarkerMatch& match = matches_[i];
      const Marker& marker = study_.markers[i].marker;
      if (match.HasPosition() && match.relation <= SiteRelation::kSwapped && IsSnv(marker) &&
          !IsStrandAmbiguous(marker)) {
        neighbors.push_back(MakeSite(i, match.panel_marker, match.relation == SiteRelation::kSwapped));
      }
      return true;
    };
    for (size_t before = s; before > 0 && add(before - 1, kMaxLinkedNeighbors);) --before;
    const size_t limit = neighbors.size() + kMaxLinkedNeighbors;
    for (size_t after = s + 1; after < matches_.size() && add(after, limit);) ++after;
    return neighbors;
  }

  const StudyGenotypes& study_;
  const std::span<const MarkerMatch> matches_;
  PanelSites& sites_;
};

MarkerMatch MatchByAlleles(const Marker& marker, PanelSites& sites) {
  MarkerMatch best;
  size_t num_same = 0;
  bool has_own_id = false, have_one_id = true;  // facts about the panel markers that are the same variant
  sites.ForEachAt(TrimVariant(marker).position, [&](size_t p) {
    const Marker& candidate = sites.panel().marker(p);
    const auto index = static_cast<uint32_t>(p);
    const SiteRelation relation =
        marker.HasAlt() ? RelateAlleles(marker, candidate) : RelateMonomorphic(marker, candidate);
    if (!best.HasPosition() || relation < best.relation) best = {.panel_marker = index, .relation = relation};
    if (relation != SiteRelation::kSame || !marker.HasAlt()) return;
    ++num_same;
    have_one_id = have_one_id && candidate.id == sites.panel().marker(best.panel_marker).id;
    if (has_own_id || candidate.id != marker.id) return;
    has_own_id = true;
    best.panel_marker = index;
  });
  if (num_same > 1 && !has_own_id && !have_one_id) best.relation = SiteRelation::kOtherAlleles;
  return best;
}

// Returns the panel's marker of a symbolic ALT such as <DEL> that may be that of the study, where neither has another
// at the position: .bed, BGEN and other files without END and SVLEN do not tell which one is meant. `here`: the study's
// markers at the position.
std::optional<uint32_t> FindOnlySymbolic(const Marker& marker, std::span<const StudyMarker> here, PanelSites& sites) {
  if (!marker.IsSymbolic()) return std::nullopt;
  const auto has_same_alleles = [&](const StudyMarker& other) {
    return SameBases(other.marker.ref, marker.ref) && SameBases(other.marker.alt, marker.alt);
  };
  if (std::ranges::count_if(here, has_same_alleles) > 1) return std::nullopt;
  std::optional<uint32_t> found;
  size_t candidates = 0;
  sites.ForEachAt(marker.position, [&](size_t p) {
    if (!MayBeSameVariant(marker, sites.panel().marker(p))) return;
    ++candidates;
    found = static_cast<uint32_t>(p);
  });
  return candidates == 1 ? found : std::nullopt;
}

bool MayBeShifted(const Marker& marker, PanelSites& sites) {
  const Variant variant = TrimVariant(marker);
  if (!variant.IsIndel()) return false;
  bool is_found = false;
  sites.ForEachWithin(variant.position - kShift, variant.position + kShift, [&](size_t p) {
    const Variant candidate = TrimVariant(sites.panel().marker(p));
    is_found = is_found || (candidate.position != variant.position && MayBeShifted(variant, candidate));
  });
  return is_found;
}

// Returns whether a study marker repeats one of the earlier ones, which are at its position. Markers of one variant
// that have two names, and are not both the same panel marker, are two.
bool IsDuplicate(std::span<const StudyMarker> earlier, std::span<const MarkerMatch> matches, const Marker& marker,
                 const MarkerMatch& match) {
  for (size_t s = 0; s < earlier.size(); ++s) {
    const Marker& other = earlier[s].marker;
    if (!SameVariant(other, marker)) continue;
    const bool have_names = other.id != marker.id && other.id != "." && marker.id != ".";
    const bool are_one_in_panel = match.relation == SiteRelation::kSame && matches[s].relation == match.relation &&
                                  matches[s].panel_marker == match.panel_marker;
    if (!have_names || are_one_in_panel) return true;
  }
  return false;
}

// The markers from `first` on that have its position.
std::span<const StudyMarker> AtPosition(std::span<const StudyMarker> markers, size_t first) {
  size_t end = first;
  while (end < markers.size() && markers[end].marker.position == markers[first].marker.position) ++end;
  return markers.subspan(first, end - first);
}

bool HasGenotypes(const StudyMarker& study) {
  const GenotypeRow& row = study.genotypes;
  return row.HasLikelihoods() || std::ranges::any_of(row.alleles, [](uint8_t a) { return a != kMissingAllele; });
}

// The second of two probes for a variant takes the place of the first, if only the second one worked.
void PreferWithGenotypes(std::span<const StudyMarker> study, std::vector<MarkerMatch>& matches) {
  for (size_t s = 1; s < study.size(); ++s) {
    if (matches[s].relation != SiteRelation::kDuplicate || !HasGenotypes(study[s])) continue;
    for (size_t next = s; next > 0 && study[next - 1].marker.position == study[s].marker.position; --next) {
      const size_t other = next - 1;
      const bool is_first =
          matches[other].relation != SiteRelation::kDuplicate && SameVariant(study[other].marker, study[s].marker);
      if (!is_first || HasGenotypes(study[other])) continue;
      std::swap(matches[other], matches[s]);
      break;
    }
  }
}

// A panel marker is joined to one study marker: to one with an ALT before one without.
void MarkRepeatedMonomorphic(std::span<const StudyMarker> study, std::vector<MarkerMatch>& matches) {
  const auto marker = [&](size_t s) -> const Marker& { return study[s].marker; };
  const auto is_joined = [&](size_t s) {
    return matches[s].HasPosition() && matches[s].relation != SiteRelation::kDuplicate;
  };
  for (size_t s = 0; s < study.size(); ++s) {
    if (marker(s).HasAlt() || !is_joined(s)) continue;
    const auto takes_its_place = [&](size_t other) {
      return marker(other).position == marker(s).position && is_joined(other) &&
             matches[other].panel_marker == matches[s].panel_marker && (marker(other).HasAlt() || other < s);
    };
    bool is_repeated = false;
    for (size_t other = s; other > 0 && marker(other - 1).position == marker(s).position; --other) {
      is_repeated = is_repeated || takes_its_place(other - 1);
    }
    for (size_t other = s + 1; other < study.size() && marker(other).position == marker(s).position; ++other) {
      is_repeated = is_repeated || takes_its_place(other);
    }
    if (is_repeated) matches[s].relation = SiteRelation::kDuplicate;
  }
}

}  // namespace

std::string ReverseComplement(std::string_view allele) {
  std::string other;
  for (auto base = allele.rbegin(); base != allele.rend(); ++base) {
    switch (ToUpper(*base)) {
      case 'A':
        other += 'T';
        break;
      case 'C':
        other += 'G';
        break;
      case 'G':
        other += 'C';
        break;
      case 'T':
        other += 'A';
        break;
      default:
        return "";
    }
  }
  return other;
}

SiteRelation RelateAlleles(const Marker& study, const Marker& panel) {
  if (SameVariant(study, panel)) return SiteRelation::kSame;
  const Variant x = TrimVariant(study), y = TrimVariant(panel);
  if (x.position != y.position || !x.IsSubstitution() || !y.IsSubstitution()) return SiteRelation::kOtherAlleles;
  if (SameBases(x.ref, y.alt) && SameBases(x.alt, y.ref)) return SiteRelation::kSwapped;
  const std::string ref = ReverseComplement(x.ref), alt = ReverseComplement(x.alt);
  const bool is_padded = x.ref.size() < study.ref.size();  // the padding is on the other side of the other strand
  if (is_padded || ref.empty() || alt.empty()) return SiteRelation::kOtherAlleles;
  if (SameBases(ref, y.ref) && SameBases(alt, y.alt)) return SiteRelation::kFlipped;
  if (SameBases(ref, y.alt) && SameBases(alt, y.ref)) return SiteRelation::kFlippedAndSwapped;
  return SiteRelation::kOtherAlleles;
}

SiteRelation RelateMonomorphic(const Marker& study, const Marker& panel) {
  if (study.position != panel.position || (study.ref.size() == 1 && !IsSnv(panel))) return SiteRelation::kOtherAlleles;
  if (SameBases(study.ref, panel.ref)) return SiteRelation::kSame;
  if (SameBases(study.ref, panel.alt)) return SiteRelation::kSwapped;
  const std::string ref = ReverseComplement(study.ref);
  if (SameBases(ref, panel.ref)) return SiteRelation::kFlipped;
  if (SameBases(ref, panel.alt)) return SiteRelation::kFlippedAndSwapped;
  return SiteRelation::kOtherAlleles;
}

bool IsSnv(const Marker& marker) {
  return marker.ref.size() == 1 && marker.alt.size() == 1 && !ReverseComplement(marker.ref).empty() &&
         !ReverseComplement(marker.alt).empty();
}

bool IsStrandAmbiguous(const Marker& marker) {
  return IsSnv(marker) && SameBases(marker.alt, ReverseComplement(marker.ref));
}

bool IsCodedIndel(const Marker& marker) {
  if (marker.ref == kNoBases || marker.alt == kNoBases) return true;
  const auto is_code = [](const std::string& allele) { return allele == "I" || allele == "D"; };
  return is_code(marker.ref) && (!marker.HasAlt() || (is_code(marker.alt) && marker.alt != marker.ref));
}

bool IsOfSeveralSnvs(const Marker& study, const Marker& panel) {
  const Variant variant = TrimVariant(study);
  return variant.IsSubstitution() && variant.ref.size() > 1 && IsSnv(panel);
}

bool LacksRef(const Marker& marker) {
  return marker.ref == "." || (!marker.ref.empty() && marker.ref.find_first_not_of("Nn") == std::string::npos);
}

std::string SiteName(const std::string& contig, const Marker& marker) {
  return fmt::format("{}:{} {}>{}", contig, marker.position, marker.ref, marker.alt);
}

std::string SiteNameWithPanel(const std::string& contig, const Marker& study, const Marker& panel) {
  const bool differ_in_length = study.IsSymbolic() && study.ref == panel.ref && study.alt == panel.alt;
  return fmt::format("{}, panel has {}>{}{}", SiteName(contig, study), panel.ref, panel.alt,
                     differ_in_length ? " of another length (END or SVLEN)" : "");
}

std::vector<MarkerMatch> MatchMarkers(const StudyGenotypes& study, const HaplotypePanel* panel, size_t first_panel) {
  const std::span<const StudyMarker> markers = study.markers;
  PanelSites sites(panel, first_panel);
  std::vector<MarkerMatch> matches(markers.size());
  const bool has_frequencies = panel != nullptr && panel->num_haplotypes() > 0;  // else it is the study's own sites
  const auto is_unknown_indel = [&](size_t s) {
    const Marker& marker = markers[s].marker;
    return IsCodedIndel(marker) || (study.ref_is_unknown && has_frequencies && TrimVariant(marker).IsIndel());
  };
  for (size_t s = 0; s < markers.size(); ++s) {
    if (!is_unknown_indel(s)) matches[s] = MatchByAlleles(markers[s].marker, sites);
  }
  const IndelMatcher indels(study, matches, sites);
  size_t first = 0;  // the first site of the present position
  for (size_t s = 0; s < markers.size(); ++s) {
    const Marker& marker = markers[s].marker;
    if (marker.position != markers[first].marker.position) first = s;
    MarkerMatch& match = matches[s];
    if (is_unknown_indel(s)) match = indels.Match(s);
    if (match.relation == SiteRelation::kOtherAlleles) {
      const std::optional<uint32_t> symbolic = FindOnlySymbolic(marker, AtPosition(markers, first), sites);
      if (symbolic) match = {.panel_marker = *symbolic, .relation = SiteRelation::kSame};
    }
    if (IsDuplicate(markers.subspan(first, s - first), std::span(matches).subspan(first), marker, match)) {
      match.relation = SiteRelation::kDuplicate;
    }
    const bool is_new = match.relation == SiteRelation::kOtherAlleles || match.relation == SiteRelation::kNotInPanel;
    match.may_be_shifted = is_new && MayBeShifted(marker, sites);
  }
  PreferWithGenotypes(markers, matches);
  MarkRepeatedMonomorphic(markers, matches);
  return matches;
}

}  // namespace haplospin
