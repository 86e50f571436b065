#include "genomics/site_list.h"

#include <algorithm>

#include "genomics/contig_names.h"
#include "haplospin/errors.h"
#include "variant_io/row_reader.h"

namespace haplospin {

SiteList::SiteList(const std::string& path) {
  RowReader reader(path);
  for (auto row = reader.NextRow(); !row.empty(); row = reader.NextRow()) {
    if (row[0].starts_with('#')) continue;
    if (row.size() < 2) reader.Fail("expected a contig and a position, as in \"20 61098\"");
    const auto position = reader.ParseOrFail<int64_t>(row[1], "a position in bp");
    if (contigs_.empty() || contigs_.back().name != row[0]) {
      const auto known = std::ranges::find(contigs_, row[0], &Contig::name);
      if (known == contigs_.end()) {
        contigs_.push_back({std::string(row[0]), {}});
      } else {
        std::iter_swap(known, contigs_.end() - 1);
      }
    }
    contigs_.back().positions.push_back(position);
  }
  if (contigs_.empty()) throw InputError(path + ": empty; expected lines of a contig and a position");
  for (Contig& contig : contigs_) {
    std::ranges::sort(contig.positions);
    contig.positions.erase(std::unique(contig.positions.begin(), contig.positions.end()), contig.positions.end());
  }
}

bool SiteList::Contains(const std::string& contig, int64_t position) const {
  return std::ranges::any_of(contigs_, [&](const Contig& c) {
    return SameContig(c.name, contig) && std::ranges::binary_search(c.positions, position);
  });
}

size_t SiteList::CountBetween(const std::string& contig, int64_t first, int64_t last) const {
  size_t count = 0;
  for (const Contig& c : contigs_) {
    if (!SameContig(c.name, contig)) continue;
    const auto begin = std::ranges::lower_bound(c.positions, first);
    count += static_cast<size_t>(std::upper_bound(begin, c.positions.end(), last) - begin);
  }
  return count;
}

size_t SiteList::size() const {
  size_t size = 0;
  for (const Contig& contig : contigs_) size += contig.positions.size();
  return size;
}

std::vector<std::string> SiteList::contigs() const {
  std::vector<std::string> names;
  for (const Contig& contig : contigs_) names.push_back(contig.name);
  return names;
}

}  // namespace haplospin
