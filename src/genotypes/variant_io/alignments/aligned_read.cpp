#include "genotypes/variant_io/alignments/aligned_read.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace haplospin {
namespace {

constexpr int kMaxIndelQuality = 40;
constexpr uint8_t kNoMapq = 255;
constexpr uint8_t kSameAsReference = 0;  // code of "=", which samtools calmd writes in place of bases
constexpr uint16_t kIgnoredFlags = BAM_FUNMAP | BAM_FSECONDARY | BAM_FSUPPLEMENTARY;

// What BWA-MEM charges for a mismatch in place of a match, to open a gap, for each of its bases, and to clip an end.
constexpr size_t kMismatchPenalty = 5, kGapOpenPenalty = 6, kGapExtensionPenalty = 1, kClipPenalty = 5;

// The bases that an indel inserts or deletes.
std::string_view ChangedBases(const PileupSite& site) {
  return std::string_view(site.kind == SiteKind::kInsertion ? site.alt : site.ref).substr(1);
}

bool IsAligned(int operation) { return bam_cigar_type(operation) == 3; }

// Returns whether the code is of several bases, such as N.
bool IsAmbiguous(uint8_t code) { return (code & (code - 1)) != 0; }

// Returns the soft-clipped bases at the end of a CIGAR that is gone through from there; beyond them there may be a hard
// clip.
template <typename Iterator>
size_t ClippedBases(Iterator begin, const Iterator& end) {
  while (begin != end && bam_cigar_op(*begin) == BAM_CHARD_CLIP) ++begin;
  return begin != end && bam_cigar_op(*begin) == BAM_CSOFT_CLIP ? bam_cigar_oplen(*begin) : 0;
}

}  // namespace

AlignedRead::AlignedRead(const bam1_t& read, const ReadFilter& filter, const ErrorModel* errors)
    : read_(read), filter_(filter), errors_(errors), reference_(read.core.pos) {
  const std::span<const uint32_t> cigar(bam_get_cigar(&read), read.core.n_cigar);
  const auto bases = static_cast<size_t>(std::max(read.core.l_qseq, 0));
  aligned_begin_ = std::min(bases, ClippedBases(cigar.begin(), cigar.end()));
  aligned_end_ = bases - std::min(bases, ClippedBases(cigar.rbegin(), cigar.rend()));
}

bool AlignedRead::Passes() const {
  if ((read_.core.flag & kIgnoredFlags) != 0 || Reason()) return false;
  // A read without bases tells nothing, and one with more or less than its alignment is damaged.
  return read_.core.l_qseq > 0 && read_.core.n_cigar > 0 &&
         bam_cigar2qlen(static_cast<int>(read_.core.n_cigar), bam_get_cigar(&read_)) == read_.core.l_qseq;
}

std::optional<LeftOut> AlignedRead::Reason() const {
  const uint16_t flag = read_.core.flag;
  if ((flag & kIgnoredFlags) != 0) return std::nullopt;
  if ((flag & BAM_FQCFAIL) != 0) return LeftOut::kFailed;
  if ((flag & BAM_FDUP) != 0 && !filter_.keeps_duplicates) return LeftOut::kDuplicate;
  return read_.core.qual < filter_.min_mapq ? std::optional(LeftOut::kMapq) : std::nullopt;
}

std::optional<Observation> AlignedRead::Show(const PileupSite& site) {
  base_quality_.reset();
  if (site.kind == SiteKind::kSnv) return ShowBase(site);
  if (!MoveTo(site.position)) return std::nullopt;
  const size_t base = query_ + static_cast<size_t>(site.position - reference_);
  if (IsAtEnd(base)) return std::nullopt;
  switch (site.kind) {
    case SiteKind::kSnv:
      break;
    case SiteKind::kSubstitution:
      return ShowBases(site, base);
    case SiteKind::kInsertion:
    case SiteKind::kDeletion:
      return ShowIndel(site, base);
  }
  return std::nullopt;
}

// Moves to the operation that has the position. Returns false if no base is aligned to it.
bool AlignedRead::MoveTo(int64_t position) {
  const uint32_t* cigar = bam_get_cigar(&read_);
  for (; operation_ < read_.core.n_cigar; ++operation_) {
    const uint32_t length = bam_cigar_oplen(cigar[operation_]);
    const int type = bam_cigar_type(bam_cigar_op(cigar[operation_]));
    const int64_t on_reference = (type & 2) != 0 ? length : 0;
    if (position < reference_ + on_reference) return position >= reference_ && type == 3;
    reference_ += on_reference;
    if ((type & 1) != 0) query_ += length;
  }
  return false;
}

std::optional<ReadBase> AlignedRead::BaseAt(const PileupSite& site) {
  if (!MoveTo(site.position)) return std::nullopt;
  const size_t base = query_ + static_cast<size_t>(site.position - reference_);
  if (IsAtEnd(base)) return std::nullopt;
  base_quality_ = Quality(base);
  if (*base_quality_ < filter_.min_baseq || IsAmbiguous(Base(base))) return std::nullopt;
  const size_t before = base, after = static_cast<size_t>(read_.core.l_qseq) - 1 - base;
  const bool is_reverse = bam_is_rev(&read_);
  return ReadBase{.code = IsReference(base, site.ref[0]) ? BaseCode(site.ref[0]) : Base(base),
                  .quality = Quality(base),
                  .is_reverse = is_reverse,
                  .from_start = is_reverse ? after : before,
                  .from_end = is_reverse ? before : after};
}

std::optional<Observation> AlignedRead::ShowBase(const PileupSite& site) {
  const auto base = BaseAt(site);
  if (!base) return std::nullopt;
  const uint8_t ref = BaseCode(site.ref[0]), alt = BaseCode(site.alt[0]);
  const bool is_ref = base->code == ref || (base->code & site.other_bases) != 0;
  if (!is_ref && base->code != alt) return Observation{ShownAllele::kNeither, LimitQuality(base->quality)};
  Observation shown{is_ref ? ShownAllele::kRef : ShownAllele::kAlt, base->quality};
  if (errors_ != nullptr) {
    const uint8_t other = is_ref ? alt : ref;
    shown.quality = errors_->Quality(*base, base->code, other);
    shown.max_quality = errors_->MoleculeQuality(*base, base->code, other);
  }
  shown.quality = LimitQuality(shown.quality);
  return shown;
}

std::optional<Observation> AlignedRead::ShowBases(const PileupSite& site, size_t first) const {
  const size_t length = site.ref.size();
  const auto end = static_cast<size_t>(bam_cigar_oplen(bam_get_cigar(&read_)[operation_])) + query_;
  if (first + length > end || IsAtEnd(first + length - 1)) return std::nullopt;
  int quality = kMaxQuality;
  bool is_ref = true, is_alt = true;
  for (size_t i = 0; i < length; ++i) {
    if (IsAmbiguous(Base(first + i))) return std::nullopt;
    quality = std::min<int>(quality, Quality(first + i));
    is_ref = is_ref && IsReference(first + i, site.ref[i]);
    is_alt = is_alt && Base(first + i) == BaseCode(site.alt[i]);
  }
  if (quality < filter_.min_baseq) return std::nullopt;
  const ShownAllele allele = is_ref ? ShownAllele::kRef : is_alt ? ShownAllele::kAlt : ShownAllele::kNeither;
  return Observation{allele, LimitQuality(quality)};
}

std::optional<Observation> AlignedRead::ShowIndel(const PileupSite& site, size_t anchor) const {
  const Gap gap = NextGap(anchor);
  const bool is_alt = IsGapOf(site, gap, anchor + 1);
  const bool is_other = !is_alt && gap.length > 0 && gap.after <= ChangedBases(site).size();
  if (is_other) return Observation{ShownAllele::kNeither, LimitQuality(kMaxIndelQuality)};
  const Difference right = Compare(site, RightSide(site, anchor), is_alt);
  if (right.quality < filter_.min_baseq || IsHidden(site, right)) return std::nullopt;
  if (IsHidden(site, Compare(site, LeftSide(site, anchor, is_alt), is_alt))) return std::nullopt;
  return Observation{is_alt ? ShownAllele::kAlt : ShownAllele::kRef, LimitQuality(right.quality)};
}

// Returns whether an aligner prefers mismatches to the gap of a read with ALT, or clips its bases on this side.
bool AlignedRead::IsHidden(const PileupSite& site, const Difference& side) {
  const size_t gap_penalty = kGapOpenPenalty + ChangedBases(site).size() * kGapExtensionPenalty;
  return side.mismatches * kMismatchPenalty <= gap_penalty || side.reach + kClipPenalty <= gap_penalty;
}

bool AlignedRead::IsOtherLonger(const PileupSite& site, bool is_alt) {
  return (site.kind == SiteKind::kInsertion) != is_alt;
}

// Compares the bases with those that they would be if the read had the other allele: the changed bases before its own,
// or its own without them.
AlignedRead::Difference AlignedRead::Compare(const PileupSite& site, const Side& side, bool is_alt) const {
  const std::string_view changed = ChangedBases(site);
  const bool is_longer = IsOtherLonger(site, is_alt);
  const auto base = [&](size_t i) { return Base(side.is_left ? side.first - i : side.first + i); };
  Difference difference;
  for (size_t i = 0; i < side.length; ++i) {
    const uint8_t other = !is_longer            ? base(i + changed.size())
                          : i >= changed.size() ? base(i - changed.size())
                          : side.is_left        ? BaseCode(changed[changed.size() - 1 - i])
                                                : BaseCode(changed[i]);
    if (base(i) == other) continue;
    if (difference.mismatches++ == 0) difference.reach = side.length - i + side.uncompared;
    const int quality = Quality(side.is_left ? side.first - i : side.first + i);
    difference.quality = std::min(difference.quality + quality, kMaxIndelQuality);
    if (difference.quality == kMaxIndelQuality && !IsHidden(site, difference)) break;
  }
  return difference;
}

AlignedRead::Gap AlignedRead::NextGap(size_t anchor) const {
  const uint32_t* cigar = bam_get_cigar(&read_);
  Gap gap{.after = query_ + bam_cigar_oplen(cigar[operation_]) - anchor - 1};
  for (uint32_t i = operation_ + 1; i < read_.core.n_cigar; ++i) {
    const int operation = bam_cigar_op(cigar[i]);
    if (operation == BAM_CINS || operation == BAM_CDEL) {
      gap.operation = operation;
      gap.length = bam_cigar_oplen(cigar[i]);
      return gap;
    }
    if (!IsAligned(operation) && operation != BAM_CPAD) break;
    if (IsAligned(operation)) gap.after += bam_cigar_oplen(cigar[i]);
  }
  return gap;
}

// Returns the bases after the site that no intron (N) interrupts: those of the next exon are somewhere else.
AlignedRead::Side AlignedRead::RightSide(const PileupSite& site, size_t anchor) const {
  const uint32_t* cigar = bam_get_cigar(&read_);
  size_t end = query_;
  for (uint32_t i = operation_; i < read_.core.n_cigar && bam_cigar_op(cigar[i]) != BAM_CREF_SKIP; ++i) {
    if ((bam_cigar_type(bam_cigar_op(cigar[i])) & 1) != 0) end += bam_cigar_oplen(cigar[i]);
  }
  const size_t first = anchor + 1, length = std::max(std::min(end, aligned_end_), first) - first;
  const size_t changed = std::min(length, ChangedBases(site).size());
  return {.first = first, .length = length - changed, .uncompared = site.kind == SiteKind::kDeletion ? changed : 0};
}

// Returns the bases that are on the left of the first one that both alleles have on the right.
AlignedRead::Side AlignedRead::LeftSide(const PileupSite& site, size_t anchor, bool is_alt) const {
  const uint32_t* cigar = bam_get_cigar(&read_);
  size_t begin = 0, query = 0;
  for (uint32_t i = 0; i < operation_; ++i) {
    if (bam_cigar_op(cigar[i]) == BAM_CREF_SKIP) begin = query;
    if ((bam_cigar_type(bam_cigar_op(cigar[i])) & 1) != 0) query += bam_cigar_oplen(cigar[i]);
  }
  const size_t first = anchor + (IsOtherLonger(site, is_alt) ? 0 : ChangedBases(site).size());
  begin = std::max(begin, aligned_begin_);
  const bool is_there = anchor >= begin && first < aligned_end_;
  return {.first = first, .length = is_there ? anchor + 1 - begin : 0, .is_left = true};
}

// Returns whether the gap makes the same bases as that of the site, after which `first` is the first base.
bool AlignedRead::IsGapOf(const PileupSite& site, const Gap& gap, size_t first) const {
  const bool is_insertion = site.kind == SiteKind::kInsertion;
  const std::string_view changed = ChangedBases(site);
  if (gap.operation != (is_insertion ? BAM_CINS : BAM_CDEL) || gap.length != changed.size()) return false;
  if (is_insertion) {
    for (size_t i = 0; i < changed.size(); ++i) {
      if (Base(first + i) != BaseCode(changed[i])) return false;
    }
    for (size_t i = 0; i < gap.after; ++i) {
      if (Base(first + i) != Base(first + i + changed.size())) return false;
    }
    return true;
  }
  for (size_t i = 0; i < gap.after; ++i) {
    const uint8_t base = i < changed.size() ? BaseCode(changed[i]) : Base(first + i - changed.size());
    if (Base(first + i) != base) return false;
  }
  return true;
}

// Returns whether a base is that of the reference, `ref`.
bool AlignedRead::IsReference(size_t index, char ref) const {
  return Base(index) == BaseCode(ref) || Base(index) == kSameAsReference;
}

uint8_t AlignedRead::Quality(size_t index) const {
  return HasQualities() ? std::min(bam_get_qual(&read_)[index], kMaxQuality) : kUnknownQuality;
}

bool AlignedRead::IsAtEnd(size_t index) const {
  const auto margin = static_cast<size_t>(filter_.ignored_ends);
  return index < aligned_begin_ + margin || index + margin >= aligned_end_;
}

uint8_t AlignedRead::LimitQuality(int quality) const {
  const int limit = read_.core.qual == kNoMapq ? kMaxQuality : std::min<int>(read_.core.qual, kMaxQuality);
  return static_cast<uint8_t>(std::clamp(quality, 1, std::max(limit, 1)));
}

}  // namespace haplospin
