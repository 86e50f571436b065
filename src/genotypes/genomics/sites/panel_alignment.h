// Joins study markers to panel markers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "haplospin/haplotype_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

inline constexpr uint32_t kNotInPanel = UINT32_MAX;
inline constexpr uint32_t kRepeatsEarlier = UINT32_MAX - 1;
inline constexpr uint32_t kMisaligned =
    UINT32_MAX - 2;  // has a panel marker's alleles swapped or complemented, or perhaps so

// The smallest fraction of a study's sites within a panel that must be in it: where it is less, the few are chance, as
// with another genome build. A study of an array or of sequence has most of its sites in a panel.
inline constexpr double kDefaultMinRatio = 0.1;

// The number of typed sites per Mb of a panel below which accuracy is low: an array made for imputation has 50 and
// more.
inline constexpr double kMinSitesPerMegabase = 10;

// The length between two neighboring panel markers, bp, as far as it counts for sites per Mb: not where the panel has
// nothing, as at a centromere.
inline int64_t CoveredBetween(int64_t first, int64_t second) {
  constexpr int64_t kMaxGap = 100'000;
  return std::min(second - first, kMaxGap);
}

// Study sites from which on a contig tells whether two files belong together.
inline constexpr size_t kManySites = 200;

// Counts that explain why two files do not match. Summed over windows with +=.
struct AlignmentCounts {
  size_t panel_markers = 0;
  size_t study_markers = 0;
  size_t matched = 0;      // markers of the same position, REF and ALT; or without ALT, and REF is REF or ALT
  size_t without_alt = 0;  // matched markers without ALT
  size_t exchanged = 0;  // matched markers whose REF and ALT are exchanged, in a study that does not know which is REF
  size_t in_order = 0;   // matched markers with ALT whose REF and ALT are not, without A/T and C/G, which do not tell
  size_t same_position = 0;           // markers of the same position, whatever their alleles
  SiteCounts misaligned;              // sites that are swapped, flipped or both, and not matched
  size_t duplicates = 0;              // study markers that repeat another one: the first with genotypes is used
  NotedSites contradicting;           // of these, with other genotypes of many samples
  size_t undecided_indels = 0;        // indels of which it is not known whether they are the panel's (MatchMarkers())
  std::string first_undecided;        // "contig:position REF>ALT"
  size_t coded_indels = 0;            // the same of indels coded as I, D or -
  std::string first_coded;            // "contig:position REF>ALT"
  size_t perhaps_shifted = 0;         // indels that are perhaps the panel's, but not left-aligned
  std::string first_shifted;          // "contig:position REF>ALT"
  NotedSites several_snvs;            // IsOfSeveralSnvs()
  NotedSites without_ref;             // LacksRef(), at a panel position
  std::vector<std::string> examples;  // up to 3 "contig:position REF>ALT, panel has REF>ALT" of swaps and flips

  // Returns whether REF and ALT are exchanged at all matched markers: then a file has ALT first.
  bool AreAllExchanged() const;

  size_t NumSwapped() const { return misaligned[SiteRelation::kSwapped]; }
  size_t NumFlipped() const {  // complements of the panel's alleles, exchanged or not
    return misaligned[SiteRelation::kFlipped] + misaligned[SiteRelation::kFlippedAndSwapped];
  }

  AlignmentCounts& operator+=(const AlignmentCounts& other);
};

struct PanelAlignment {
  std::vector<uint32_t> panel_marker;  // [study markers] panel marker, kNotInPanel, kRepeatsEarlier or kMisaligned
  std::vector<size_t> exchanged;       // joined study markers whose REF is the panel's ALT
  AlignmentCounts counts;
};

// Joins the same variants (genomics/sites/variant.h); both sides sorted by position. A study marker without ALT is
// joined where its only allele is one of the panel's. If the study does not know which allele is REF, so is one with
// the two exchanged, except A/T and C/G, which may as well be of the other strand, and indels whose allele frequency
// and linkage contradict it. No panel marker is joined twice. `earlier` are the panel markers, or values of
// PanelAlignment, of study markers before these, and `first_panel` is the first panel marker that was read since; the
// panel must have been read up to LastPosition() of the study.
PanelAlignment AlignToPanel(const StudyGenotypes& study, const HaplotypePanel& panel,
                            std::span<const uint32_t> earlier = {}, size_t first_panel = 0);

// The last position at which a variant of the markers begins, bp; 0 without markers.
int64_t LastPosition(std::span<const StudyMarker> markers);

// The first panel marker that may be one of the study's.
size_t FirstPanelMarker(const HaplotypePanel& panel, std::span<const StudyMarker> study);

// Returns whether a study marker is joined to a panel marker.
inline bool IsTyped(uint32_t panel_marker) { return panel_marker < kMisaligned; }

// Gives the joined markers the panel's coding of alleles, and its REF and ALT where theirs are exchanged, coded as I
// and D, or one alone. Their positions stay.
void UsePanelAlleles(const PanelAlignment& alignment, const HaplotypePanel& panel, StudyGenotypes& study);

// A study or panel, for messages.
struct AlignedFile {
  std::string path;
  std::vector<std::string> contigs;
  bool is_site_list = false;  // of --sites, at which a study has reads: `check --fix` does not correct it
};

// What to do about alleles that are not those of the panel in order or strand.
std::string AlleleRemedy(bool is_site_list);

// Returns a line for the InputError where no site is shared: the sites and contigs of each side, their overlap by
// position, and a guess at the reason (contig names, genome build, strand, REF and ALT swapped, other alleles) with its
// remedy.
std::string NoSharedSiteMessage(const AlignmentCounts& counts, const AlignedFile& study, const AlignedFile& panel);

// The arguments of bcftools that make SNVs of sites of several bases, and that write a REF that is unknown.
inline constexpr const char* kSplitSnvs = "norm --atomize";
inline constexpr const char* kSetRef = "norm -c s -f REF.fa";

// Returns a line of warning where at least 1 % of the study's sites at panel positions, and more than one, are swapped
// or strand-flipped, a study marker repeats another or contradicts it, indels are perhaps not left-aligned, or sites
// are of several SNVs or without REF; empty if there is no problem.
std::string AlignmentWarning(const AlignmentCounts& counts, const AlignedFile& study);

}  // namespace haplospin
