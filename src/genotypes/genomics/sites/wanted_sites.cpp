#include "genotypes/genomics/sites/wanted_sites.h"

#include <fmt/format.h>

#include <algorithm>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/marker_names.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/genomics/sites/variant.h"

namespace haplospin {

bool WantedSite::IsOfAnyLength() const {
  return TrimVariant({span.first, id, other, allele, info}).length == 0 && allele.starts_with('<');
}

WantedSites::WantedSites(std::string path, std::vector<WantedSite> sites)
    : path_(std::move(path)), sites_(std::move(sites)), found_(sites_.size()) {
  for (size_t s = 0; s < sites_.size(); ++s) {
    const WantedSite& site = sites_[s];
    if (site.contig.empty()) {
      by_id_.emplace(site.id, s);
      continue;
    }
    Contig& contig = contigs_[std::string(CanonicalContig(site.contig))];
    contig.by_first.push_back(s);
    contig.longest = std::max(contig.longest, site.span.last - site.span.first);
  }
  const auto first = [&](size_t s) { return sites_[s].span.first; };
  for (auto& [name, contig] : contigs_) std::ranges::stable_sort(contig.by_first, {}, first);
}

WantedSites::Fit WantedSites::Compare(const WantedSite& site, const Marker& marker) {
  if (site.allele.empty()) return Fit::kSame;
  if (site.other.empty()) {
    const bool has_allele = SameBases(site.allele, marker.ref) || SameBases(site.allele, marker.alt);
    return has_allele ? Fit::kSame : Fit::kNone;
  }
  const Marker in_order{marker.position, marker.id, site.other, site.allele, site.info};
  const Marker exchanged{marker.position, marker.id, site.allele, site.other};
  if (MayBeSameVariant(in_order, marker) || SameVariant(exchanged, marker)) return Fit::kSame;
  if (marker.IsSymbolic() && site.allele == marker.alt) return Fit::kOtherLength;
  const SiteRelation relation = RelateAlleles(in_order, marker);
  const bool is_flipped = relation == SiteRelation::kFlipped || relation == SiteRelation::kFlippedAndSwapped;
  return is_flipped ? Fit::kOtherStrand : Fit::kNone;
}

std::vector<size_t> WantedSites::See(const std::string& contig_name, const Marker& marker) {
  const std::lock_guard lock(mutex_);
  std::vector<size_t> matches;
  const auto compare = [&](size_t s) {
    const Fit fit = Compare(sites_[s], marker);
    Near& near = near_[s];
    if (near.alleles.empty()) near.alleles = marker.ref + ">" + marker.alt;
    near.best = std::max(near.best, fit);
    if (fit == Fit::kSame) matches.push_back(s);
  };
  ForEachNamed(by_id_, contig_name, marker, compare);
  Contig& contig = contigs_[std::string(CanonicalContig(contig_name))];
  if (!contig.seen) contig.seen = Span{marker.position, marker.position};
  contig.seen->last = marker.position;
  const auto first = [&](size_t s) { return sites_[s].span.first; };
  const auto begin = std::ranges::lower_bound(contig.by_first, marker.position - contig.longest, {}, first);
  for (auto s = begin; s != contig.by_first.end() && sites_[*s].span.first <= marker.position; ++s) {
    if (sites_[*s].span.last >= marker.position) compare(*s);
  }
  return matches;
}

void WantedSites::NoteFound(size_t site, FoundSite found) {
  const std::lock_guard lock(mutex_);
  found_[site].push_back(std::move(found));
}

bool WantedSites::IsWithin(size_t s) const {
  const WantedSite& site = sites_[s];
  if (site.contig.empty()) return false;
  const std::optional<Span>& seen = contigs_.at(std::string(CanonicalContig(site.contig))).seen;
  return seen && site.span.first >= seen->first && site.span.last <= seen->last;
}

std::string WantedSites::Reason(size_t s) const {
  const WantedSite& site = sites_[s];
  if (const auto near = near_.find(s); near != near_.end()) {
    const auto& [alleles, best] = near->second;
    if (best == Fit::kSame) return "left out by another option";
    if (best == Fit::kOtherLength) return fmt::format("another END or SVLEN: {}", alleles);
    return fmt::format("{}: {}", best == Fit::kOtherStrand ? "alleles of the other strand" : "other alleles", alleles);
  }
  if (site.contig.empty()) return "no marker has this ID";
  const auto contig = contigs_.find(std::string(CanonicalContig(site.contig)));
  if (!contig->second.seen) return "its contig is not imputed";
  const Span& seen = *contig->second.seen;
  if (site.span.last < seen.first || site.span.first > seen.last) return "outside of what is imputed";
  return "not in the panel";
}

}  // namespace haplospin
