// The alleles that one aligned read shows.
#pragma once

#include <htslib/sam.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "genotypes/variant_io/alignments/damage_model.h"
#include "genotypes/variant_io/alignments/pileup_site.h"
#include "genotypes/variant_io/alignments/read_base.h"
#include "genotypes/variant_io/alignments/read_filter.h"

namespace haplospin {

// Why a read that is aligned to a place does not count, if the user should know.
enum class LeftOut : uint8_t { kMapq, kDuplicate, kFailed };
inline constexpr size_t kReasonsLeftOut = 3;

enum class ShownAllele : uint8_t { kRef, kAlt, kNeither };

struct Observation {
  ShownAllele allele = ShownAllele::kNeither;
  uint8_t quality = 0;                // phred: that the allele was read wrongly, or the read is of another place
  uint8_t max_quality = kMaxQuality;  // of several reads of the molecule, which all show its damage
};

// The quality of reads that have none.
inline constexpr uint8_t kUnknownQuality = 20;

class AlignedRead {
 public:
  // `read`, `filter` and `errors` must outlive it. Without `errors`, bases are as certain as their qualities tell.
  AlignedRead(const bam1_t& read, const ReadFilter& filter, const ErrorModel* errors = nullptr);

  // Returns whether the read counts.
  bool Passes() const;

  // Returns why it does not; nothing for one that counts, and for secondary, supplementary and unmapped ones.
  std::optional<LeftOut> Reason() const;

  // Returns the allele of a site, or nothing if the read does not tell. Sites are asked for in ascending order.
  //
  // An indel is what the alignment has after the first base, also where it has put the same indel further to the right
  // in a repeat. The quality is that of the bases that would differ from the other allele. A read counts, whichever
  // allele it has, only where a read with ALT that begins at the same place is aligned with the gap: an aligner clips
  // an end, or prefers mismatches, where the bases on one side are too few for the gap. Otherwise reads with ALT would
  // be missing among those that count, and heterozygotes would seem to have REF alone.
  std::optional<Observation> Show(const PileupSite& site);

  // Returns the quality of the base at the last site that was asked for, also where it is too low to count;
  // kUnknownQuality where the read has no qualities, and nothing where the site is not of single bases.
  std::optional<uint8_t> base_quality() const { return base_quality_; }

  // Returns whether the read has base qualities. Those of a read without any are 255, of which some programs write only
  // the first.
  bool HasQualities() const { return bam_get_qual(&read_)[0] != UINT8_MAX; }

  // Returns the base at a SNV, or nothing if the read does not tell. Sites are asked for in ascending order.
  std::optional<ReadBase> BaseAt(const PileupSite& site);

 private:
  struct Gap {
    int operation = BAM_CBACK;  // BAM_CINS or BAM_CDEL, or neither
    size_t length = 0;
    size_t after = 0;  // aligned bases between the first base of the site and the gap
  };

  // The bases beyond an indel, in the direction of an end of the read, as many of them as reads of both alleles have
  // that begin at the same place.
  struct Side {
    size_t first = 0, length = 0;  // the base next to the indel, and the number of bases
    size_t uncompared = 0;         // further bases of the read, of which it does not tell what the other allele has
    bool is_left = false;
  };

  // How these differ from those of the other allele.
  struct Difference {
    size_t mismatches = 0;
    size_t reach = 0;  // bases from the first mismatch to the end of the read
    int quality = 0;
  };

  bool MoveTo(int64_t position);
  std::optional<Observation> ShowBase(const PileupSite& site);
  std::optional<Observation> ShowBases(const PileupSite& site, size_t first) const;
  std::optional<Observation> ShowIndel(const PileupSite& site, size_t anchor) const;
  Gap NextGap(size_t anchor) const;
  Side RightSide(const PileupSite& site, size_t anchor) const;
  Side LeftSide(const PileupSite& site, size_t anchor, bool is_alt) const;
  static bool IsOtherLonger(const PileupSite& site, bool is_alt);
  static bool IsHidden(const PileupSite& site, const Difference& side);
  Difference Compare(const PileupSite& site, const Side& side, bool is_alt) const;
  bool IsGapOf(const PileupSite& site, const Gap& gap, size_t first) const;
  uint8_t Base(size_t index) const { return static_cast<uint8_t>(bam_seqi(bam_get_seq(&read_), index)); }
  bool IsReference(size_t index, char ref) const;
  uint8_t Quality(size_t index) const;
  bool IsAtEnd(size_t index) const;
  uint8_t LimitQuality(int quality) const;

  const bam1_t& read_;
  const ReadFilter& filter_;
  const ErrorModel* const errors_;
  size_t aligned_begin_ = 0, aligned_end_ = 0;  // bases that are aligned, without what is clipped
  // The operation of the CIGAR that was reached, and the position (0-based) and the base that it begins at.
  uint32_t operation_ = 0;
  int64_t reference_ = 0;
  size_t query_ = 0;
  std::optional<uint8_t> base_quality_;
};

}  // namespace haplospin
