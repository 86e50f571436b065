#include "genomics/sites/site_list.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "genomics/sites/contig_names.h"

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
