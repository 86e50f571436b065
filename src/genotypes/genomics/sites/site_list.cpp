#include "genotypes/genomics/sites/site_list.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/marker_names.h"

namespace haplospin {

namespace {

// Sorts the spans, and joins those that overlap.
void JoinSpans(std::vector<Span>& spans) {
  std::ranges::sort(spans, {}, &Span::first);
  std::vector<Span> joined;
  for (const Span& span : spans) {
    if (joined.empty() || joined.back().last < span.first) {
      joined.push_back(span);
    } else {
      joined.back().last = std::max(joined.back().last, span.last);
    }
  }
  spans = std::move(joined);
}

bool IsInSpan(const std::vector<Span>& spans, int64_t position) {
  const auto span = std::ranges::lower_bound(spans, position, {}, &Span::last);
  return span != spans.end() && span->first <= position;
}

}  // namespace

SiteList::SiteList(std::vector<Contig> contigs) : contigs_(std::move(contigs)) {
  for (Contig& contig : contigs_) {
    std::ranges::sort(contig.positions);
    contig.positions.erase(std::unique(contig.positions.begin(), contig.positions.end()), contig.positions.end());
    JoinSpans(contig.spans);
    std::erase_if(contig.positions, [&](int64_t position) { return IsInSpan(contig.spans, position); });
  }
}

template <typename Function>
void SiteList::ForEachMeant(const std::string& contig, Function function) const {
  const ContigMatch is_meant(contig, contigs_ | std::views::transform(&Contig::name));
  for (const Contig& c : contigs_) {
    if (is_meant(c.name)) function(c);
  }
}

bool SiteList::Contains(const std::string& contig, int64_t position) const {
  bool is_found = false;
  ForEachMeant(contig, [&](const Contig& c) {
    is_found = is_found || std::ranges::binary_search(c.positions, position) || IsInSpan(c.spans, position);
  });
  return is_found;
}

size_t SiteList::CountBetween(const std::string& contig, int64_t first, int64_t last) const {
  size_t count = 0;
  ForEachMeant(contig, [&](const Contig& c) {
    const auto begin = std::ranges::lower_bound(c.positions, first);
    count += static_cast<size_t>(std::upper_bound(begin, c.positions.end(), last) - begin);
    for (const Span& span : c.spans) {
      const int64_t length = std::min(span.last, last) - std::max(span.first, first) + 1;
      count += static_cast<size_t>(std::max<int64_t>(length, 0));
    }
  });
  return count;
}

namespace {

std::vector<SiteList::Contig> EntrySites(const std::vector<MarkerList::Entry>& entries) {
  std::vector<SiteList::Contig> contigs;
  for (const MarkerList::Entry& entry : entries) {
    if (entry.contig.empty()) continue;
    auto contig = std::ranges::find(contigs, entry.contig, &SiteList::Contig::name);
    if (contig == contigs.end()) contig = contigs.insert(contig, {entry.contig, {}});
    contig->spans.push_back(entry.span);
  }
  return contigs;
}

}  // namespace

MarkerList::MarkerList(std::vector<Entry> entries)
    : entries_(std::move(entries)), sites_(EntrySites(entries_)), is_found_(entries_.size()) {
  for (size_t e = 0; e < entries_.size(); ++e) {
    if (!entries_[e].id.empty()) by_id_.emplace(entries_[e].id, e);
    if (!entries_[e].contig.empty()) by_last_.emplace(entries_[e].span.last, e);
  }
}

bool MarkerList::Find(const std::string& contig, const Marker& marker) {
  bool is_in_list = false;
  const auto note = [&](size_t entry) { is_in_list = is_found_[entry] = true; };
  ForEachNamed(by_id_, contig, marker, note);
  if (!sites_.Contains(contig, marker.position)) return is_in_list;
  const auto has_marker = [&](const Entry& entry) {
    return entry.span.first <= marker.position && SameContig(entry.contig, contig);
  };
  bool is_noted = false;
  for (auto e = by_last_.lower_bound(marker.position); e != by_last_.end(); ++e) {
    if (is_noted && e->first > marker.position) break;  // one of several spans is enough
    if (!has_marker(entries_[e->second])) continue;
    note(e->second);
    is_noted = true;
  }
  return true;
}

std::vector<std::string> MarkerList::NotFound() const {
  std::vector<std::string> names;
  for (size_t e = 0; e < entries_.size(); ++e) {
    if (!is_found_[e]) names.push_back(entries_[e].text);
  }
  return names;
}

size_t SiteList::size() const {
  size_t size = 0;
  for (const Contig& contig : contigs_) {
    size += contig.positions.size();
    for (const Span& span : contig.spans) size += static_cast<size_t>(span.last - span.first + 1);
  }
  return size;
}

std::vector<std::string> SiteList::contigs() const {
  std::vector<std::string> names;
  names.reserve(contigs_.size());
  for (const Contig& contig : contigs_) names.push_back(contig.name);
  return names;
}

}  // namespace haplospin
