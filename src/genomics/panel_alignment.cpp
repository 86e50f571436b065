#include "genomics/panel_alignment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "genomics/allele_relation.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kMaxExamples = 3;

std::string Example(const std::string& contig, const Marker& study, const Marker& panel) {
  return fmt::format("{}:{} {}>{}, panel has {}>{}", contig, study.position, study.ref, study.alt, panel.ref,
                     panel.alt);
}

// Joins the study markers of one position with the panel markers of that position.
class PositionJoin {
 public:
  PositionJoin(const StudyGenotypes& study, size_t first_study, const HaplotypePanel& panel, PanelAlignment& alignment)
      : study_(study), first_study_(first_study), panel_(panel), alignment_(alignment) {}

  void Join(size_t study_begin, size_t study_end, size_t panel_begin, size_t panel_end) {
    for (size_t s = study_begin; s < study_end; ++s) {
      if (RepeatsEarlier(study_begin, s)) {
        ++counts().duplicates;
        alignment_.panel_marker[s - first_study_] = kRepeatsEarlier;
      } else {
        JoinMarker(s, panel_begin, panel_end);
      }
      if (panel_begin != panel_end) ++counts().same_position;
    }
  }

 private:
  AlignmentCounts& counts() { return alignment_.counts; }

  bool RepeatsEarlier(size_t begin, size_t s) const {
    for (size_t earlier = begin; earlier < s; ++earlier) {
      if (RelateAlleles(study_.markers[s], study_.markers[earlier]) == AlleleRelation::kSame) return true;
    }
    return false;
  }

  void JoinMarker(size_t s, size_t panel_begin, size_t panel_end) {
    const Marker& marker = study_.markers[s];
    AlleleRelation nearest = AlleleRelation::kOther;
    size_t nearest_marker = panel_begin;
    for (size_t p = panel_begin; p < panel_end; ++p) {
      const AlleleRelation relation = RelateAlleles(marker, panel_.marker(p));
      if (relation >= nearest) continue;
      nearest = relation;
      nearest_marker = p;
    }
    switch (nearest) {
      case AlleleRelation::kSame:
        alignment_.panel_marker[s - first_study_] = static_cast<uint32_t>(nearest_marker);
        ++counts().matched;
        return;
      case AlleleRelation::kSwapped:
        ++counts().swapped;
        break;
      case AlleleRelation::kFlipped:
      case AlleleRelation::kFlippedAndSwapped:
        ++counts().strand_flipped;
        break;
      case AlleleRelation::kOther:
        return;
    }
    if (counts().examples.size() < kMaxExamples) {
      counts().examples.push_back(Example(study_.contig, marker, panel_.marker(nearest_marker)));
    }
  }

  const StudyGenotypes& study_;
  const size_t first_study_;
  const HaplotypePanel& panel_;
  PanelAlignment& alignment_;
};

}  // namespace

AlignmentCounts& AlignmentCounts::operator+=(const AlignmentCounts& other) {
  panel_markers += other.panel_markers;
  study_markers += other.study_markers;
  matched += other.matched;
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
  HS_ASSERT(panel.num_markers() < kRepeatsEarlier);
  PanelAlignment alignment;
  alignment.panel_marker.assign(study.markers.size() - first_study, kNotInPanel);
  alignment.counts.panel_markers = panel.num_markers() - first_panel;
  alignment.counts.study_markers = study.markers.size() - first_study;
  PositionJoin join(study, first_study, panel, alignment);
  size_t panel_end = first_panel;
  for (size_t study_begin = first_study, study_end; study_begin < study.markers.size(); study_begin = study_end) {
    const int64_t position = study.markers[study_begin].position;
    for (study_end = study_begin; study_end < study.markers.size() && study.markers[study_end].position == position;) {
      ++study_end;
    }
    size_t panel_begin = panel_end;
    while (panel_begin < panel.num_markers() && panel.marker(panel_begin).position < position) ++panel_begin;
    panel_end = panel_begin;
    while (panel_end < panel.num_markers() && panel.marker(panel_end).position == position) ++panel_end;
    join.Join(study_begin, study_end, panel_begin, panel_end);
  }
  return alignment;
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
  if (counts.study_markers == 0) return "the study has no site there: check the region";
  if (counts.panel_markers == 0) return "the panel has no site there: check the region";
  // By chance alone, a few positions of two genome builds agree.
  if (counts.same_position * 20 < counts.study_markers) {
    return "positions do not agree: probably another genome build (such as GRCh37 against GRCh38) or another region; "
           "lift one over";
  }
  if (counts.strand_flipped > counts.swapped) {
    return fmt::format("alleles are those of the other strand ({}): haplospin check --fix mends them",
                       Examples(counts));
  }
  if (counts.swapped > 0) {
    return fmt::format("REF and ALT are swapped ({}): haplospin check --fix mends them", Examples(counts));
  }
  return "alleles differ at the same positions: check that both are coded as REF and ALT of the same genome";
}

}  // namespace

std::string NoSharedSiteMessage(const AlignmentCounts& counts, const AlignedFile& study, const AlignedFile& panel) {
  return fmt::format(
      "no typed site is shared: {} has {} sites (contigs {}), {} has {} (contigs {}), and {} study sites are at a "
      "panel position with whatever alleles; {}",
      study.path, counts.study_markers, JoinNames(study.contigs), panel.path, counts.panel_markers,
      JoinNames(panel.contigs), counts.same_position, Guess(counts, study, panel));
}

std::string AlignmentWarning(const AlignmentCounts& counts, const AlignedFile& study) {
  std::string warning;
  const size_t misfits = counts.swapped + counts.strand_flipped;
  if (misfits > 1 && misfits * 100 >= counts.same_position) {
    warning = fmt::format(
        "{} of the {} study sites at panel positions have REF and ALT swapped and {} are on the other strand ({}); "
        "they are not used: haplospin check --fix mends them",
        counts.swapped, counts.same_position, counts.strand_flipped, Examples(counts));
  }
  if (counts.duplicates > 0) {
    warning += fmt::format("{}{} study sites repeat an earlier one, which is used", warning.empty() ? "" : "; ",
                           counts.duplicates);
  }
  return warning.empty() ? "" : study.path + ": " + warning;
}

}  // namespace haplospin
