#include "genomics/sites/allele_relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

bool SameAllele(const std::string& a, const std::string& b) {
  return a == b ||
         std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

bool IsDuplicate(std::span<const Marker> earlier, const Marker& marker) {
  return std::ranges::any_of(
      earlier, [&](const Marker& other) { return RelateAlleles(marker, other) == AlleleRelation::kSame; });
}

// Returns the best of the panel's markers [begin, end), which are all at the study marker's position.
MarkerMatch BestMatch(const Marker& marker, const HaplotypePanel& panel, size_t begin, size_t end) {
  MarkerMatch best{.panel_marker = static_cast<uint32_t>(begin)};
  for (size_t p = begin; p < end; ++p) {
    const AlleleRelation relation =
        marker.HasAlt() ? RelateAlleles(marker, panel.marker(p)) : RelateMonomorphic(marker, panel.marker(p));
    if (relation < best.relation) best = {.panel_marker = static_cast<uint32_t>(p), .relation = relation};
  }
  return best;
}

// A panel marker is joined to one study marker: to one with an ALT before one without.
void MarkRepeatedMonomorphic(std::span<const Marker> study, std::vector<MarkerMatch>& matches) {
  const auto is_joined = [&](size_t s) { return matches[s].HasPosition() && !matches[s].is_duplicate; };
  for (size_t s = 0; s < study.size(); ++s) {
    if (study[s].HasAlt() || !is_joined(s)) continue;
    const auto takes_its_place = [&](size_t other) {
      return study[other].position == study[s].position && is_joined(other) &&
             matches[other].panel_marker == matches[s].panel_marker && (study[other].HasAlt() || other < s);
    };
    bool is_repeated = false;
    for (size_t other = s; other > 0 && study[other - 1].position == study[s].position; --other) {
      is_repeated = is_repeated || takes_its_place(other - 1);
    }
    for (size_t other = s + 1; other < study.size() && study[other].position == study[s].position; ++other) {
      is_repeated = is_repeated || takes_its_place(other);
    }
    matches[s].is_duplicate = is_repeated;
  }
}

}  // namespace

std::string ReverseComplement(const std::string& allele) {
  std::string other;
  for (auto base = allele.rbegin(); base != allele.rend(); ++base) {
    switch (std::toupper(static_cast<unsigned char>(*base))) {
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

AlleleRelation RelateAlleles(const Marker& study, const Marker& panel) {
  if (SameAllele(study.ref, panel.ref) && SameAllele(study.alt, panel.alt)) return AlleleRelation::kSame;
  if (SameAllele(study.ref, panel.alt) && SameAllele(study.alt, panel.ref)) return AlleleRelation::kSwapped;
  const std::string ref = ReverseComplement(study.ref), alt = ReverseComplement(study.alt);
  if (SameAllele(ref, panel.ref) && SameAllele(alt, panel.alt)) return AlleleRelation::kFlipped;
  if (SameAllele(ref, panel.alt) && SameAllele(alt, panel.ref)) return AlleleRelation::kFlippedAndSwapped;
  return AlleleRelation::kOther;
}

AlleleRelation RelateMonomorphic(const Marker& study, const Marker& panel) {
  if (study.ref.size() == 1 && !IsSnv(panel)) return AlleleRelation::kOther;
  if (SameAllele(study.ref, panel.ref)) return AlleleRelation::kSame;
  if (SameAllele(study.ref, panel.alt)) return AlleleRelation::kSwapped;
  const std::string ref = ReverseComplement(study.ref);
  if (SameAllele(ref, panel.ref)) return AlleleRelation::kFlipped;
  if (SameAllele(ref, panel.alt)) return AlleleRelation::kFlippedAndSwapped;
  return AlleleRelation::kOther;
}

bool IsSnv(const Marker& marker) {
  return marker.ref.size() == 1 && marker.alt.size() == 1 && !ReverseComplement(marker.ref).empty() &&
         !ReverseComplement(marker.alt).empty();
}

bool IsStrandAmbiguous(const Marker& marker) {
  return IsSnv(marker) && SameAllele(marker.alt, ReverseComplement(marker.ref));
}

std::string SiteName(const std::string& contig, const Marker& marker) {
  return fmt::format("{}:{} {}>{}", contig, marker.position, marker.ref, marker.alt);
}

std::string SiteNameWithPanel(const std::string& contig, const Marker& study, const Marker& panel) {
  return fmt::format("{}, panel has {}>{}", SiteName(contig, study), panel.ref, panel.alt);
}

std::vector<MarkerMatch> MatchMarkers(std::span<const Marker> study, const HaplotypePanel* panel, size_t first_panel) {
  const size_t panel_markers = panel == nullptr ? 0 : panel->num_markers();
  HS_ASSERT(panel_markers < MarkerMatch::kNone);
  std::vector<MarkerMatch> matches(study.size());
  size_t first_study = 0, begin = first_panel, end = first_panel;  // range of the present position
  for (size_t s = 0; s < study.size(); ++s) {
    const int64_t position = study[s].position;
    if (s == 0 || position != study[s - 1].position) {
      first_study = s;
      for (begin = end; begin < panel_markers && panel->marker(begin).position < position;) ++begin;
      for (end = begin; end < panel_markers && panel->marker(end).position == position;) ++end;
    }
    if (IsDuplicate(study.subspan(first_study, s - first_study), study[s])) {
      matches[s].is_duplicate = true;
      if (begin < end) matches[s].panel_marker = static_cast<uint32_t>(begin);
    } else if (begin < end) {
      matches[s] = BestMatch(study[s], *panel, begin, end);
    }
  }
  MarkRepeatedMonomorphic(study, matches);
  return matches;
}

}  // namespace haplospin
