#include "genotypes/genomics/sites/site_list.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "genotypes/genomics/sites/contig_names.h"

namespace haplospin {

SiteList::SiteList(std::vector<Contig> contigs) : contigs_(std::move(contigs)) {
  for (Contig& contig : contigs_) {
    std::ranges::sort(contig.positions);
    contig.positions.erase(std::unique(contig.positions.begin(), contig.positions.end()), contig.positions.end());
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
  ForEachMeant(contig,
               [&](const Contig& c) { is_found = is_found || std::ranges::binary_search(c.positions, position); });
  return is_found;
}

size_t SiteList::CountBetween(const std::string& contig, int64_t first, int64_t last) const {
  size_t count = 0;
  ForEachMeant(contig, [&](const Contig& c) {
    const auto begin = std::ranges::lower_bound(c.positions, first);
    count += static_cast<size_t>(std::upper_bound(begin, c.positions.end(), last) - begin);
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
    contig->positions.push_back(entry.position);
  }
  return contigs;
}

}  // namespace

MarkerList::MarkerList(std::vector<Entry> entries)
    : entries_(std::move(entries)), sites_(EntrySites(entries_)), is_found_(entries_.size()) {
  for (size_t e = 0; e < entries_.size(); ++e) {
    if (!entries_[e].id.empty()) by_id_.emplace(entries_[e].id, e);
    if (!entries_[e].contig.empty()) by_position_.emplace(entries_[e].position, e);
  }
}

bool MarkerList::Find(const std::string& contig, const Marker& marker) {
  bool is_in_list = false;
  const auto note = [&](size_t entry) { is_in_list = is_found_[entry] = true; };
  const auto [first_id, last_id] = by_id_.equal_range(marker.id);
  for (auto entry = first_id; entry != last_id; ++entry) note(entry->second);
  if (!sites_.Contains(contig, marker.position)) return is_in_list;
  const auto [first, last] = by_position_.equal_range(marker.position);
  for (auto entry = first; entry != last; ++entry) {
    if (SameContig(entries_[entry->second].contig, contig)) note(entry->second);
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
  for (const Contig& contig : contigs_) size += contig.positions.size();
  return size;
}

std::vector<std::string> SiteList::contigs() const {
  std::vector<std::string> names;
  names.reserve(contigs_.size());
  for (const Contig& contig : contigs_) names.push_back(contig.name);
  return names;
}

}  // namespace haplospin
