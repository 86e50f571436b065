#include "genotypes/variant_io/alignments/sample_pileup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string_view>

#include "core/counted.h"
#include "core/random.h"
#include "genotypes/genomics/linked_read.h"

namespace haplospin {
namespace {

// How likely an allele is shown with this quality, by the number of ALTs of the genotype, if it is ALT: log10.
using GenotypeTerms = std::array<double, 3>;

// The probability that an allele of this quality is wrong; half of the time where nothing is known.
double ErrorProbability(size_t quality) { return std::min(std::pow(10.0, -0.1 * static_cast<double>(quality)), 0.5); }

// [quality]
std::array<double, kMaxQuality + 1> MakeErrors() {
  std::array<double, kMaxQuality + 1> errors{};
  for (size_t quality = 0; quality < errors.size(); ++quality) errors[quality] = ErrorProbability(quality);
  return errors;
}

std::array<GenotypeTerms, kMaxQuality + 1> MakeTerms() {
  std::array<GenotypeTerms, kMaxQuality + 1> terms{};
  for (size_t quality = 0; quality < terms.size(); ++quality) {
    const double error = ErrorProbability(quality);
    terms[quality] = {std::log10(error), std::log10(0.5), std::log10(1 - error)};
  }
  return terms;
}

GenotypeLikelihoods ToPhred(const GenotypeTerms& logarithms) {
  GenotypeLikelihoods likelihoods;
  const double best = *std::ranges::max_element(logarithms);
  for (size_t g = 0; g < 3; ++g) {
    likelihoods.phred[g] = static_cast<uint8_t>(std::min(std::round(10 * (best - logarithms[g])), 255.0));
  }
  return likelihoods;
}

bool HasMate(const bam1_t& read) { return (read.core.flag & BAM_FPAIRED) != 0 && (read.core.flag & BAM_FMUNMAP) == 0; }

// Returns whether the file does not tell where the mate is, as before samtools fixmate: only its name does.
bool HasMateSomewhere(const bam1_t& read) { return HasMate(read) && (read.core.mtid < 0 || read.core.mpos < 0); }

// Returns whether a later read of the same fragment may overlap this one.
bool MayMeetMate(const bam1_t& read) {
  const bam1_core_t& core = read.core;
  return HasMateSomewhere(read) ||
         (HasMate(read) && core.mtid == core.tid && core.mpos >= core.pos && core.mpos < bam_endpos(&read));
}

bool MayHaveMetMate(const bam1_t& read) {
  const bam1_core_t& core = read.core;
  return HasMateSomewhere(read) || ((core.flag & BAM_FPAIRED) != 0 && core.mtid == core.tid && core.mpos <= core.pos);
}

// Returns the barcode of linked reads; "" where there is none, or it could not be read, which has N in place of a base,
// or 0 for the number of a segment (haplotagging, stLFR).
std::string_view Barcode(const bam1_t& read) {
  const uint8_t* tag = bam_aux_get(&read, "BX");
  const char* text = tag == nullptr ? nullptr : bam_aux2Z(tag);
  if (text == nullptr) return "";
  constexpr const char* kDigits = "0123456789";
  const std::string_view barcode = text;
  if (barcode.find('N') != std::string_view::npos) return "";
  for (size_t end = 0, begin = 0; (begin = barcode.find_first_of(kDigits, end)) != std::string_view::npos;) {
    end = std::min(barcode.find_first_not_of(kDigits, begin), barcode.size());
    if (barcode.find_first_not_of('0', begin) >= end) return "";
  }
  return barcode;
}

// Returns the number of a read, which its mate has too, and all reads of a barcode on the contig. Names alone may not
// be unique, but there is nothing else where the place of the mate is not known.
uint64_t ReadNumber(const bam1_t& read, std::string_view barcode) {
  constexpr uint64_t kMask = kLinkedRead - 1;
  if (!barcode.empty()) return (HashName(barcode) & kMask) | kLinkedRead;
  const bam1_core_t& core = read.core;
  std::string name = bam_get_qname(&read);
  if (HasMateSomewhere(read)) return HashName(name) & kMask;
  const hts_pos_t mate = HasMate(read) && core.mtid == core.tid ? core.mpos : core.pos;
  for (const hts_pos_t position : {std::min(core.pos, mate), std::max(core.pos, mate)}) {
    name += ' ';
    name += fmt::format_int(position).c_str();
  }
  return HashName(name) & kMask;
}

}  // namespace

void ReadCounts::Add(const ReadCounts& other) {
  sites_with_reads += other.sites_with_reads;
  reads += other.reads;
  snv_reads += other.snv_reads;
  neither += other.neither;
  expected_neither += other.expected_neither;
  passing += other.passing;
  linked += other.linked;
  for (size_t reason = 0; reason < kReasonsLeftOut; ++reason) left_out[reason] += other.left_out[reason];
  bases += other.bases;
  poor_bases += other.poor_bases;
  unrated_bases += other.unrated_bases;
  least_quality = std::min(least_quality, other.least_quality);
  greatest_quality = std::max(greatest_quality, other.greatest_quality);
}

double ReadCounts::LeftOutShare() const {
  const size_t out = std::accumulate(left_out.begin(), left_out.end(), size_t{0});
  return ShareOf(out, out + passing);
}

bool ReadCounts::HasExcessOfOtherBases() const {
  constexpr size_t kMinOtherBases = 20;
  constexpr double kTimes = 3, kMore = 0.005;
  return neither >= kMinOtherBases &&
         static_cast<double>(neither) > kTimes * expected_neither + kMore * static_cast<double>(snv_reads);
}

bool ReadCounts::IsOfAnotherBuild() const {
  constexpr size_t kMinReads = 1000;
  constexpr double kMaxNeither = 0.25;  // at other places it is a half
  return snv_reads >= kMinReads && static_cast<double>(neither) >= kMaxNeither * static_cast<double>(snv_reads);
}

SamplePileup::SamplePileup(std::span<const PileupSite> sites, const ReadFilter& filter, const ErrorModel* errors)
    : sites_(sites), filter_(filter), errors_(errors), depth_(sites.size()) {}

void SamplePileup::Add(const bam1_t& read) {
  AlignedRead aligned(read, filter_, errors_);
  const int64_t begin = read.core.pos, end = bam_endpos(&read);
  if (const auto reason = aligned.Reason(); reason && ReachesSite(begin, end)) {
    ++all_.left_out[static_cast<size_t>(*reason)];
  }
  if (!aligned.Passes() || !ReachesSite(begin, end)) return;
  const std::string_view barcode = Barcode(read);
  ++all_.passing;
  all_.linked += barcode.empty() ? 0 : 1;
  if (errors_ == nullptr) CountSubstitutions(read);
  std::optional<Range> mate;
  if (MayHaveMetMate(read)) {
    const auto found = mates_.find(bam_get_qname(&read));
    if (found != mates_.end()) {
      mate = found->second;
      mates_.erase(found);
    }
  }
  const size_t first = seen_.size();
  const uint64_t number = ReadNumber(read, barcode);
  for (size_t i = next_site_; i < sites_.size() && sites_[i].position < end; ++i) {
    const auto shown = aligned.Show(sites_[i]);
    NoteQuality(aligned);
    if (!shown) continue;
    const uint8_t max_quality = std::min(read.core.qual, shown->max_quality);
    const SeenAllele seen{static_cast<uint32_t>(i), *shown, max_quality, number};
    if ((mate && AddToMate(seen, *mate)) || depth_[i] >= filter_.max_depth) continue;
    ++depth_[i];
    seen_.push_back(seen);
  }
  if (!mate && seen_.size() > first && MayMeetMate(read)) {
    mates_.insert_or_assign(bam_get_qname(&read), Range{first, seen_.size()});
  }
}

// Reads come in the order of their begins.
bool SamplePileup::ReachesSite(int64_t begin, int64_t end) {
  while (next_site_ < sites_.size() && sites_[next_site_].position < begin) ++next_site_;
  return next_site_ < sites_.size() && sites_[next_site_].position < end;
}

void SamplePileup::NoteQuality(const AlignedRead& read) {
  const std::optional<uint8_t> quality = read.base_quality();
  if (!quality) return;
  ++all_.bases;
  all_.poor_bases += *quality < filter_.min_baseq ? 1 : 0;
  if (!read.HasQualities()) {
    ++all_.unrated_bases;
    return;
  }
  all_.least_quality = std::min(all_.least_quality, *quality);
  all_.greatest_quality = std::max(all_.greatest_quality, *quality);
}

// Two reads of a fragment that agree are as likely to be wrong together as each of them; one that contradicts the other
// takes as much from it. Returns false if the mate does not show the site.
bool SamplePileup::AddToMate(const SeenAllele& seen, const Range& mate) {
  for (size_t i = mate.begin; i < mate.end; ++i) {
    if (seen_[i].site != seen.site) continue;
    Observation& both = seen_[i].shown;
    const int quality = both.quality, other = seen.shown.quality;
    if (both.allele == seen.shown.allele) {
      const int limit = std::max(seen_[i].max_quality, seen.max_quality);
      both.quality = static_cast<uint8_t>(std::min(quality + other, limit));
    } else {
      if (other > quality) both.allele = seen.shown.allele;
      both.quality = static_cast<uint8_t>(std::abs(quality - other));
    }
    return true;
  }
  return false;
}

void SamplePileup::CountSubstitutions(const bam1_t& read) {
  AlignedRead aligned(read, filter_);
  const int64_t end = bam_endpos(&read);
  for (size_t i = next_site_; i < sites_.size() && sites_[i].position < end; ++i) {
    const PileupSite& site = sites_[i];
    if (site.kind != SiteKind::kSnv || site.other_bases != 0) continue;
    if (const auto base = aligned.BaseAt(site)) {
      substitutions_.Add(*base, BaseCode(site.ref[0]), BaseCode(site.alt[0]));
    }
  }
}

void SamplePileup::EndFile() {
  next_site_ = 0;
  mates_.clear();
}

void SamplePileup::Fill(std::span<GenotypeLikelihoods> row) const {
  static const auto terms_by_quality = MakeTerms();
  std::vector<GenotypeTerms> sums(sites_.size());
  for (const SeenAllele& seen : seen_) {
    if (seen.shown.allele == ShownAllele::kNeither) continue;
    const GenotypeTerms& terms = terms_by_quality[seen.shown.quality];
    const bool is_alt = seen.shown.allele == ShownAllele::kAlt;
    for (size_t g = 0; g < 3; ++g) sums[seen.site][g] += terms[is_alt ? g : 2 - g];
  }
  for (size_t i = 0; i < sites_.size(); ++i) row[sites_[i].marker] = ToPhred(sums[i]);
}

SamplePileup::MarkerReads SamplePileup::Reads(size_t num_markers) const {
  MarkerReads reads;
  reads.first.assign(num_markers + 1, 0);
  const auto tells = [](const SeenAllele& seen) {
    return seen.shown.allele != ShownAllele::kNeither && seen.shown.quality > 0;
  };
  for (const SeenAllele& seen : seen_) {
    if (tells(seen)) ++reads.first[sites_[seen.site].marker + 1];
  }
  std::partial_sum(reads.first.begin(), reads.first.end(), reads.first.begin());
  reads.alleles.resize(reads.first.back());
  std::vector<uint32_t> next = reads.first;
  for (const SeenAllele& seen : seen_) {
    if (!tells(seen)) continue;
    ReadAllele& allele = reads.alleles[next[sites_[seen.site].marker]++];
    allele.read = seen.read;
    allele.is_alt = seen.shown.allele == ShownAllele::kAlt ? 1 : 0;
    allele.quality = std::min(seen.shown.quality, kMaxQuality) & 0x3f;
  }
  return reads;
}

ReadCounts SamplePileup::Count(size_t begin, size_t end) const {
  constexpr double kOtherBases = 2.0 / 3;  // of the wrong ones, those that are not the other allele
  static const auto errors = MakeErrors();
  ReadCounts counts = all_;
  for (size_t i = begin; i < end; ++i) counts.sites_with_reads += depth_[i] > 0 ? 1 : 0;
  for (const SeenAllele& seen : seen_) {
    if (seen.site < begin || seen.site >= end) continue;
    ++counts.reads;
    if (sites_[seen.site].kind != SiteKind::kSnv) continue;
    ++counts.snv_reads;
    counts.expected_neither += kOtherBases * errors[seen.shown.quality];
    counts.neither += seen.shown.allele == ShownAllele::kNeither ? 1 : 0;
  }
  return counts;
}

}  // namespace haplospin
