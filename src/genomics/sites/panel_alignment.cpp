#include "genomics/sites/panel_alignment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "genomics/sites/marker_matching.h"
#include "genomics/sites/site_name.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kMaxExamples = 3;

// Whether the alleles of a study marker are those of its panel marker. The one allele of a marker without ALT is known
// in the panel's coding even where it is the panel's ALT.
bool IsJoined(const MarkerMatch& match, const Marker& marker) {
  if (match.is_duplicate) return false;
  return match.relation == AlleleRelation::kSame || (match.relation == AlleleRelation::kSwapped && !marker.HasAlt());
}

void Count(const MarkerMatch& match, const std::string& contig, const Marker& marker, const HaplotypePanel& panel,
           AlignmentCounts& counts) {
  counts.same_position += match.HasPosition();
  counts.duplicates += match.is_duplicate;
  if (IsJoined(match, marker)) {
    ++counts.matched;
    counts.without_alt += !marker.HasAlt();
    return;
  }
  if (match.is_duplicate) return;
  switch (match.relation) {
    case AlleleRelation::kSame:
      return;
    case AlleleRelation::kSwapped:
      ++counts.swapped;
      break;
    case AlleleRelation::kFlipped:
    case AlleleRelation::kFlippedAndSwapped:
      ++counts.strand_flipped;
      break;
    case AlleleRelation::kOther:
      return;
  }
  if (counts.examples.size() < kMaxExamples) {
    counts.examples.push_back(SiteNameWithPanel(contig, marker, panel.marker(match.panel_marker)));
  }
}

uint32_t PanelMarker(const MarkerMatch& match, const Marker& marker) {
  if (match.is_duplicate) return kRepeatsEarlier;
  if (IsJoined(match, marker)) return match.panel_marker;
  return match.relation == AlleleRelation::kOther ? kNotInPanel : kMisaligned;
}

}  // namespace

AlignmentCounts& AlignmentCounts::operator+=(const AlignmentCounts& other) {
  panel_markers += other.panel_markers;
  study_markers += other.study_markers;
  matched += other.matched;
  without_alt += other.without_alt;
  same_position += other.same_position;
  swapped += other.swapped;
  strand_flipped += other.strand_flipped;
  duplicates += other.duplicates;
  for (const std::string& example : other.examples) {
    if (examples.size() < kMaxExamples) examples.push_back(example);
  }
  return *this;
}

PanelAlignment AlignToPanel(const StudyGenotypes& study, const HaplotypePanel& panel, size_t first_study,
                            size_t first_panel) {
  HS_ASSERT(panel.num_markers() < kMisaligned);
  const std::span<const Marker> markers = std::span(study.markers).subspan(first_study);
  const std::vector<MarkerMatch> matches = MatchMarkers(markers, &panel, first_panel);
  PanelAlignment alignment;
  alignment.counts.panel_markers = panel.num_markers() - first_panel;
  alignment.counts.study_markers = markers.size();
  for (size_t s = 0; s < markers.size(); ++s) {
    alignment.panel_marker.push_back(PanelMarker(matches[s], markers[s]));
    if (IsTyped(alignment.panel_marker.back()) && matches[s].relation == AlleleRelation::kSwapped) {
      alignment.all_alt.push_back(first_study + s);
    }
    Count(matches[s], study.contig, markers[s], panel, alignment.counts);
  }
  return alignment;
}

void UsePanelAlleles(const PanelAlignment& alignment, StudyGenotypes& study) {
  for (const size_t s : alignment.all_alt) std::ranges::replace(study.alleles[s], uint8_t{0}, uint8_t{1});
}

namespace {

bool SharesContig(const AlignedFile& a, const AlignedFile& b) {
  return std::ranges::any_of(a.contigs, [&](const std::string& name) {
    return std::ranges::any_of(b.contigs, [&](const std::string& other) { return SameContig(name, other); });
  });
}

std::string Examples(const AlignmentCounts& counts) { return fmt::format("{}", fmt::join(counts.examples, "; ")); }

std::string Guess(const AlignmentCounts& counts, const AlignedFile& study, const AlignedFile& panel) {
  if (!SharesContig(study, panel)) {
    return "no contig is in both: give the panel of the study's contigs, or rename them (bcftools annotate "
           "--rename-chrs)";
  }
  if (counts.study_markers == 0) return "the study has no site in the region: check the region";
  if (counts.panel_markers == 0) return "the panel has no site in the region: check the region";
  // By chance alone, a few positions of two genome builds agree.
  if (counts.same_position * 20 < counts.study_markers) {
    return "positions do not agree: probably different genome builds (such as GRCh37 and GRCh38) or different regions; "
           "lift one file over";
  }
  if (counts.strand_flipped > counts.swapped) {
    return fmt::format("alleles are those of the other strand ({}): haplospin check --fix corrects them",
                       Examples(counts));
  }
  if (counts.swapped > 0) {
    return fmt::format("REF and ALT are swapped ({}): haplospin check --fix corrects them", Examples(counts));
  }
  return "alleles differ at the same positions: check that both files are coded as REF and ALT of the same genome";
}

}  // namespace

std::string NoSharedSiteMessage(const AlignmentCounts& counts, const AlignedFile& study, const AlignedFile& panel) {
  return fmt::format(
      "no typed site is shared: {} has {} sites (contigs {}), {} has {} (contigs {}), and {} study sites are at a "
      "panel position with any alleles; {}",
      study.path, counts.study_markers, JoinNames(study.contigs), panel.path, counts.panel_markers,
      JoinNames(panel.contigs), counts.same_position, Guess(counts, study, panel));
}

std::string AlignmentWarning(const AlignmentCounts& counts, const AlignedFile& study) {
  std::string warning;
  const size_t misfits = counts.swapped + counts.strand_flipped;
  if (misfits > 1 && misfits * 100 >= counts.same_position) {
    warning = fmt::format(
        "{} of the {} study sites at panel positions have REF and ALT swapped and {} are on the other strand ({}); "
        "they are not used: haplospin check --fix corrects them",
        counts.swapped, counts.same_position, counts.strand_flipped, Examples(counts));
  }
  if (counts.duplicates > 0) {
    warning += fmt::format("{}{} study sites repeat an earlier one, which is used", warning.empty() ? "" : "; ",
                           counts.duplicates);
  }
  return warning.empty() ? "" : study.path + ": " + warning;
}

}  // namespace haplospin
