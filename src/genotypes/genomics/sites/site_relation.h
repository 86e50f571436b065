// The panel markers that study markers are: the relation of their alleles, and the names of sites in messages.
#pragma once

#include <array>
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

// What a study site is to the panel. The first four are ordered from the best match to the least. "Flipped" means read
// from the other strand; it is used only if the alleles do not match without it, because A/T and C/G are the same on
// both strands.
enum class SiteRelation : uint8_t {
  kSame,               // position and alleles
  kSwapped,            // REF and ALT exchanged
  kFlipped,            // the panel's alleles read from the other strand
  kFlippedAndSwapped,  // flipped, with REF and ALT exchanged
  kInverted,           // position and alleles, but 0 is the panel's ALT in the genotypes, as in a part of the sites
  kUndecided,          // A/T or C/G, and the strand cannot be determined; or perhaps inverted; or an indel without REF
  kDuplicate,          // repeats another study site, or is the same panel site
  kOtherAlleles,       // the position alone
  kNoAlt,              // the position alone, and the study has no ALT
  kNotInPanel,
};
inline constexpr size_t kNumSiteRelations = 10;

// Numbers of sites of each relation.
class SiteCounts {
 public:
  size_t operator[](SiteRelation relation) const { return values_[static_cast<size_t>(relation)]; }
  size_t& operator[](SiteRelation relation) { return values_[static_cast<size_t>(relation)]; }
  SiteCounts& operator+=(const SiteCounts& other) {
    for (size_t i = 0; i < kNumSiteRelations; ++i) values_[i] += other.values_[i];
    return *this;
  }

 private:
  std::array<size_t, kNumSiteRelations> values_{};
};

// Relates two variants: kSame is SameVariant(). Letters tell only of substitutions that they are swapped or flipped: an
// insertion and the deletion with the same letters are two variants.
SiteRelation RelateAlleles(const Marker& study, const Marker& panel);

// Relates a study marker without ALT ("."), all of whose alleles are REF: kSame where that is the panel's REF, kSwapped
// where it is the panel's ALT, as PLINK writes a site with one allele. A single base says nothing about an indel.
SiteRelation RelateMonomorphic(const Marker& study, const Marker& panel);

// The complement on the other strand, in upper case; "" if the allele is not a sequence of bases.
std::string ReverseComplement(std::string_view allele);

// A single base exchanged for another.
bool IsSnv(const Marker& marker);

// A/T or C/G: the other strand has the same two alleles.
bool IsStrandAmbiguous(const Marker& marker);

// Returns whether the alleles are I and D, which arrays write for the longer and the shorter allele of an indel, or "-"
// and the bases of the longer one, or one of these codes alone.
bool IsCodedIndel(const Marker& marker);

// Returns whether the study has a substitution of several bases where the panel has one of a single base: callers such
// as freebayes write neighboring SNVs of one haplotype so.
bool IsOfSeveralSnvs(const Marker& study, const Marker& panel);

// Returns whether REF is unknown, as N or ".".
bool LacksRef(const Marker& marker);

// "20:100 A>C".
std::string SiteName(const std::string& contig, const Marker& marker);

// "20:100 A>C, panel has C>A".
std::string SiteNameWithPanel(const std::string& contig, const Marker& study, const Marker& panel);

// Sites of which a message has the number and the first.
struct NotedSites {
  size_t count = 0;
  std::string first = {};  // "20:100 A>C"

  void Add(const std::string& contig, const Marker& marker) {
    if (count++ == 0) first = SiteName(contig, marker);
  }
  NotedSites& operator+=(const NotedSites& other) {
    if (count == 0) first = other.first;
    count += other.count;
    return *this;
  }
};

struct MarkerMatch {
  static constexpr uint32_t kNone = UINT32_MAX;

  // The panel marker at the position whose alleles fit best (the first of several); kNone: the panel has none there. Of
  // panel markers that differ only in their IDs, as alleles of HLA genes do, it is the one with the study marker's.
  uint32_t panel_marker = kNone;

  // What the letters of the alleles tell: kSame to kFlippedAndSwapped, kOtherAlleles or kNotInPanel; or kDuplicate: the
  // study marker has position and alleles of another one (the first with genotypes is none), or is without ALT where
  // another one is the same panel marker.
  SiteRelation relation = SiteRelation::kNotInPanel;

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
// insertion or its deletion, and those of one coded as I and D, or without a base before it, do not tell which indel it
// is. It is the marker whose allele frequency it has, and whose linkage with the SNVs around it, if there is one such
// marker, and one of the two is clear enough to tell; or the panel's only one with its alleles, if neither contradicts.
// Otherwise it is kUndecided: beside the panel's it might be a second record of the same alleles, or one of alleles
// that VCF does not have. A panel without haplotypes is the sites of the study itself, whose letters tell.
// A symbolic ALT that has no END and SVLEN, as in .bed and BGEN files, or is that of such a panel, is the only one of
// the panel with these alleles, where the study has one, too.
std::vector<MarkerMatch> MatchMarkers(const StudyGenotypes& study, const HaplotypePanel* panel, size_t first_panel = 0);

}  // namespace haplospin
