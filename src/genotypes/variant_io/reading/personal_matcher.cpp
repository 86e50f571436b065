#include "genotypes/variant_io/reading/personal_matcher.h"

#include <optional>
#include <unordered_map>
#include <utility>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/genomics/sites/variant.h"

namespace haplospin {
namespace {

constexpr size_t kMinCalls = 20;  // that tell strand and build

constexpr double kFewOfOtherStrand = 0.01;  // share of the genotypes that tell
constexpr double kMinInPanel = 0.05;        // share of the positions; more than twice what chance gives
constexpr double kMaxOtherAlleles = 0.1;    // share of the genotypes at them
constexpr double kOnOneStrand = 0.9;        // which chance does not give

// Returns which allele of the site a letter is.
int16_t AlleleOf(const PanelSite& site, const std::string& letter) {
  if (SameBases(letter, site.marker.ref)) return 0;
  for (size_t a = 0; a < site.alts.size(); ++a) {
    if (SameBases(letter, site.alts[a])) return static_cast<int16_t>(a + 1);
  }
  return kMissingCall;
}

// Returns the alleles of SNVs that a genotype has on a strand, or kNoGenotype if they are others.
Genotype LettersOn(Strand strand, const PanelSite& site, const PersonalCall& call) {
  Genotype genotype{kMissingCall, kAbsentCall};
  for (const size_t copy : {0, 1}) {
    const char letter = copy == 0 ? call.first : call.second;
    if (letter == 0) continue;
    const std::string base(1, letter);
    genotype[copy] = AlleleOf(site, strand == Strand::kSame ? base : ReverseComplement(base));
    if (genotype[copy] == kMissingCall) return kNoGenotype;
  }
  return genotype;
}

// Returns the genotype at SNVs, and counts it.
Genotype SnvGenotype(const PanelSite& site, const PersonalCall& call, Strand strand, CallCounts& counts) {
  const Genotype same = LettersOn(Strand::kSame, site, call), other = LettersOn(Strand::kOther, site, call);
  if (same == kNoGenotype && other == kNoGenotype) {
    ++counts.other_alleles;
    return same;
  }
  if (same != kNoGenotype && other != kNoGenotype) {
    ++counts.ambiguous;
    counts.no_strand += strand == Strand::kUndecided ? 1 : 0;
    return strand == Strand::kUndecided ? kNoGenotype : strand == Strand::kSame ? same : other;
  }
  ++(other == kNoGenotype ? counts.same : counts.other_strand);
  return other == kNoGenotype ? same : other;
}

// Returns where codes may be of an indel. Databases have a deletion at its first base, which is after that of its
// record.
Span CodesOf(const Variant& indel) {
  return {indel.position, indel.position + (indel.ref.size() > indel.alt.size() ? 1 : 0)};
}

// Returns the genotype of codes at the indel, or null.
const PersonalCall* FindCoded(const PanelSite& site, CallCursor& calls) {
  const PersonalCall* const first = calls.Find(site.codes.first, /*is_coded=*/true);
  return first != nullptr || site.codes.first == site.codes.last ? first
                                                                 : calls.Find(site.codes.last, /*is_coded=*/true);
}

Genotype IndelGenotype(const PanelSite& site, const PersonalCall& call) {
  const Variant variant = TrimVariant(site.marker);
  const char ref_code = variant.ref.size() > variant.alt.size() ? 'I' : 'D';
  const auto allele = [&](char code) { return static_cast<int16_t>(code == ref_code ? 0 : 1); };
  return {allele(call.first), call.second == 0 ? kAbsentCall : allele(call.second)};
}

// Everybody has one allele of Y and of the mitochondrion, which some files have twice.
Genotype Haploid(const Genotype& genotype) {
  if (genotype[1] >= 0 && genotype[1] != genotype[0]) return kNoGenotype;
  return {genotype[0], genotype[0] == kMissingCall ? kMissingCall : kAbsentCall};
}

// Genotypes without phase have the lower allele first.
Genotype InOrder(const Genotype& genotype) {
  return genotype[1] >= 0 && genotype[1] < genotype[0] ? Genotype{genotype[1], genotype[0]} : genotype;
}

}  // namespace

std::vector<PanelSite> SitesOf(std::span<const Marker> markers) {
  std::vector<PanelSite> sites;
  std::optional<size_t> snvs;                  // the site of SNVs at the position
  std::unordered_map<int64_t, size_t> indels;  // how many of them may have codes at a position
  for (const Marker& marker : markers) {
    if (snvs && sites[*snvs].marker.position != marker.position) snvs.reset();
    if (IsSnv(marker)) {
      if (!snvs) {
        snvs = sites.size();
        sites.push_back({.marker = marker, .alts = {}});
      }
      PanelSite& site = sites[*snvs];
      const bool is_new = SameBases(site.marker.ref, marker.ref) &&
                          std::ranges::none_of(site.alts, [&](const auto& alt) { return SameBases(alt, marker.alt); });
      if (is_new) site.alts.push_back(marker.alt);
    } else if (const Variant variant = TrimVariant(marker); variant.IsIndel()) {
      const Span codes = CodesOf(variant);
      sites.push_back({.marker = marker, .alts = {marker.alt}, .is_indel = true, .codes = codes});
      for (int64_t position = codes.first; position <= codes.last; ++position) ++indels[position];
    }
  }
  for (PanelSite& site : sites) {
    if (site.is_indel) site.is_shared = {indels[site.codes.first] > 1, indels[site.codes.last] > 1};
  }
  return sites;
}

const PersonalCall* CallCursor::Find(int64_t position, bool is_coded) {
  while (next_ < calls_.size() && calls_[next_].position < position) ++next_;
  while (next_ > 0 && calls_[next_ - 1].position >= position) --next_;
  for (size_t i = next_; i < calls_.size() && calls_[i].position == position; ++i) {
    if (calls_[i].IsCoded() == is_coded) return &calls_[i];
  }
  return nullptr;
}

size_t CallCursor::CountBetween(int64_t first, int64_t last) const {
  const auto begin = std::ranges::lower_bound(calls_, first, {}, &PersonalCall::position);
  return static_cast<size_t>(std::ranges::upper_bound(calls_, last, {}, &PersonalCall::position) - begin);
}

CallCounts& CallCounts::operator+=(const CallCounts& other) {
  within += other.within;
  same += other.same;
  other_strand += other.other_strand;
  ambiguous += other.ambiguous;
  other_alleles += other.other_alleles;
  no_strand += other.no_strand;
  indels += other.indels;
  undecided_indels += other.undecided_indels;
  return *this;
}

Strand CallCounts::FindStrand() const {
  const auto limit = 1 + kFewOfOtherStrand * static_cast<double>(same + other_strand);
  if (same + other_strand < kMinCalls || static_cast<double>(other_strand) <= limit) return Strand::kSame;
  return static_cast<double>(same) <= limit ? Strand::kOther : Strand::kUndecided;
}

bool CallCounts::AreOfAnotherBuild(double density) const {
  const auto all = static_cast<double>(within), at = static_cast<double>(AtSnvs());
  const size_t telling = same + other_strand + other_alleles;
  const double one_strand = static_cast<double>(std::max(same, other_strand));
  if (telling >= kMinCalls && one_strand >= kOnOneStrand * static_cast<double>(telling)) return false;
  const bool has_few = within >= kMinCalls && at < (kMinInPanel + 2 * density) * all && at < 0.5 * all;
  const bool has_others =
      telling >= kMinCalls && static_cast<double>(other_alleles) > kMaxOtherAlleles * static_cast<double>(telling);
  return has_few || has_others;
}

void PersonalMatcher::StartContig(const std::string& contig) {
  const std::string name(CanonicalContig(contig));
  const auto calls = person_->calls.find(name);
  calls_ = calls == person_->calls.end() ? CallCursor() : CallCursor(calls->second);
  is_haploid_ = name == "Y" || name == "MT";
}

Genotype PersonalMatcher::Match(const PanelSite& site) {
  const PersonalCall* const call =
      site.is_indel ? FindCoded(site, calls_) : calls_.Find(site.marker.position, /*is_coded=*/false);
  if (call == nullptr) return kNoGenotype;
  if (site.is_indel && site.is_shared[call->position == site.codes.first ? 0 : 1]) {
    counts_.undecided_indels += call != last_undecided_ ? 1 : 0;
    last_undecided_ = call;
    return kNoGenotype;
  }
  counts_.indels += site.is_indel ? 1 : 0;
  const Genotype genotype = site.is_indel ? IndelGenotype(site, *call) : SnvGenotype(site, *call, strand_, counts_);
  return is_haploid_ ? Haploid(genotype) : InOrder(genotype);
}

}  // namespace haplospin
