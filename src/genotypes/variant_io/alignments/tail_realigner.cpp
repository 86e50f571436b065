#include "genotypes/variant_io/alignments/tail_realigner.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <span>
#include <utility>

#include "genotypes/variant_io/alignments/pileup_site.h"

namespace haplospin {
namespace {

constexpr int64_t kPieceBases = 65536;  // of the reference at a time
constexpr int kMaxBases = 500;          // of a read: long ones have gaps of their own, and take too long
constexpr hts_pos_t kMaxDeleted = 100;  // in a read: HTSlib's time and memory grow with it
constexpr int64_t kMargin = 600;        // of the reference on either side of a read: what is clipped, and gaps

// How many of the last aligned bases are looked at, and how many mismatches are odd.
constexpr int64_t kEndBases = 12, kOddMismatches = 2;

// Deamination makes as many at the ends of ancient reads.
bool IsMismatch(uint8_t ref, uint8_t base) {
  if (ref == base || base == 0 || (ref & (ref - 1)) != 0 || (base & (base - 1)) != 0) return false;
  const bool is_damage =
      (ref == BaseCode('C') && base == BaseCode('T')) || (ref == BaseCode('G') && base == BaseCode('A'));
  return !is_damage;
}

// HTSlib believes that a read has as many bases as its alignment.
bool IsRealignable(const bam1_t& read) {
  const auto elements = static_cast<int>(read.core.n_cigar);
  const uint32_t* cigar = bam_get_cigar(&read);
  return elements > 0 && read.core.l_qseq <= kMaxBases && bam_cigar2qlen(elements, cigar) == read.core.l_qseq &&
         bam_cigar2rlen(elements, cigar) <= read.core.l_qseq + kMaxDeleted;
}

}  // namespace

TailRealigner::TailRealigner(const ReferenceFile* reference, std::string contig)
    : reference_(reference), contig_(std::move(contig)), copy_(bam_init1()) {}

const bam1_t* TailRealigner::Realign(const bam1_t* read) {
  if (reference_ == nullptr || !IsRealignable(*read)) return read;
  FindBases(std::max<int64_t>(read->core.pos - kMargin, 0), bam_endpos(read) + kMargin);
  if (!HasOddEnd(*read)) return read;
  if (bam_copy1(copy_.get(), read) == nullptr) throw std::bad_alloc();
  copy_->core.pos -= first_;
  const int status =
      sam_prob_realn(copy_.get(), bases_.c_str(), static_cast<hts_pos_t>(bases_.size()), BAQ_APPLY | BAQ_EXTEND);
  copy_->core.pos += first_;
  return status == 0 ? copy_.get() : read;
}

void TailRealigner::FindBases(int64_t begin, int64_t end) {
  if (begin >= first_ && end <= last_) return;
  first_ = begin;
  last_ = std::max(end, begin + kPieceBases);
  bases_ = reference_->Bases(contig_, first_, last_);
}

bool TailRealigner::HasOddEnd(const bam1_t& read) const {
  const auto is_odd = [&](int64_t query, int64_t position) {
    int64_t mismatches = 0;
    for (int64_t i = 0; i < kEndBases; ++i) {
      const int64_t at = position - first_ + i;
      if (query + i >= read.core.l_qseq || at >= std::ssize(bases_)) break;
      const auto base = static_cast<uint8_t>(bam_seqi(bam_get_seq(&read), query + i));
      mismatches += IsMismatch(BaseCode(bases_[static_cast<size_t>(at)]), base) ? 1 : 0;
    }
    return mismatches >= kOddMismatches;
  };
  int64_t query = 0, position = read.core.pos, last_query = 0, last_position = 0;
  bool is_aligned = false;
  for (const uint32_t element : std::span(bam_get_cigar(&read), read.core.n_cigar)) {
    const int64_t length = bam_cigar_oplen(element);
    const int type = bam_cigar_type(bam_cigar_op(element));
    if (type == 3 && length >= kEndBases) {
      if (!is_aligned && is_odd(query, position)) return true;
      is_aligned = true;
      last_query = query + length - kEndBases;
      last_position = position + length - kEndBases;
    }
    query += (type & 1) != 0 ? length : 0;
    position += (type & 2) != 0 ? length : 0;
  }
  return is_aligned && is_odd(last_query, last_position);
}

}  // namespace haplospin
