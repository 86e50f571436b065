// The panel markers that study markers are: the relation of their alleles, and the names of sites in messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "haplospin/haplotype_panel.h"
#include "haplospin/marker.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// Ordered from the best match to none. "Flipped" means read from the other strand; it is used only if the alleles do
// not match without it, because A/T and C/G are the same on both strands.
enum class AlleleRelation : uint8_t { kSame, kSwapped, kFlipped, kFlippedAndSwapped, kOther };

// Relates two variants: kSame is SameVariant(). Letters tell only of substitutions that they are swapped or flipped: an
// insertion and the deletion with the same letters are two variants.
AlleleRelation RelateAlleles(const Marker& study, const Marker& panel);

// Relates a study marker without ALT ("."), all of whose alleles are REF: kSame where that is the panel's REF, kSwapped
// where it is the panel's ALT, as PLINK writes a site with one allele. A single base says nothing about an indel.
AlleleRelation RelateMonomorphic(const Marker& study, const Marker& panel);

// The complement on the other strand, in upper case; "" if the allele is not a sequence of bases.
std::string ReverseComplement(std::string_view allele);

// A single base exchanged for another.
bool IsSnv(const Marker& marker);

// A/T or C/G: the other strand has the same two alleles.
bool IsStrandAmbiguous(const Marker& marker);

// "20:100 A>C".
std::string SiteName(const std::string& contig, const Marker& marker);

// "20:100 A>C, panel has C>A".
std::string SiteNameWithPanel(const std::string& contig, const Marker& study, const Marker& panel);

struct MarkerMatch {
  static constexpr uint32_t kNone = UINT32_MAX;

  // The panel marker at the position whose alleles fit best (the first of several); kNone: the panel has none there. Of
  // panel markers that differ only in their IDs, as alleles of HLA genes do, it is the one with the study marker's.
  uint32_t panel_marker = kNone;
  AlleleRelation relation = AlleleRelation::kOther;  // relation of its alleles to the study marker's

  // The study marker has position and alleles of an earlier one, or is without ALT where an earlier one is the same
  // panel marker. Its alleles are not compared with the panel's.
  bool is_duplicate = false;

  // An indel that is not in the panel, which inserts or deletes the same bases a little further on: if the study is not
  // left-aligned, it is perhaps the same variant.
  bool may_be_shifted = false;

  bool HasPosition() const { return panel_marker != kNone; }
};

// An entry for each study marker; one without ALT is compared by RelateMonomorphic(). Both sides
// are sorted by position; panel markers before `first_panel` take no part. `panel` is null where the panel does not
// have the contig.
//
// If the study does not know which allele is REF, the letters of an indel do not tell whether it is the panel's
// insertion or its deletion. It is the marker whose allele frequency it has, and whose linkage with the SNVs around it,
// if there is one such marker, and one of the two is clear enough to tell.
std::vector<MarkerMatch> MatchMarkers(const StudyGenotypes& study, const HaplotypePanel* panel, size_t first_panel = 0);

}  // namespace haplospin
