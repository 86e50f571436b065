#include "genotypes/variant_io/site_list_file.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/parse_number.h"
#include "genotypes/variant_io/row_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Collects the sites of lines that are "contig position".
class SiteRows {
 public:
  void Add(std::string_view contig, int64_t position) {
    if (contigs_.empty() || contigs_.back().name != contig) {
      const auto known = std::ranges::find(contigs_, contig, &SiteList::Contig::name);
      if (known == contigs_.end()) {
        contigs_.push_back({std::string(contig), {}});
      } else {
        std::iter_swap(known, contigs_.end() - 1);
      }
    }
    contigs_.back().positions.push_back(position);
  }

  bool empty() const { return contigs_.empty(); }
  SiteList List() && { return SiteList(std::move(contigs_)); }

 private:
  std::vector<SiteList::Contig> contigs_;  // the last one is that of the line before
};

// CONTIG:POSITION, which may also be an ID.
std::optional<std::pair<std::string_view, int64_t>> ParseSite(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto position = ParseNumber<int64_t>(text.substr(colon + 1));
  return position ? std::optional(std::pair(text.substr(0, colon), *position)) : std::nullopt;
}

}  // namespace

SiteList LoadSiteList(const std::string& path) {
  RowReader reader(path);
  SiteRows sites;
  for (auto row = reader.NextRow(); !row.empty(); row = reader.NextRow()) {
    if (row[0].starts_with('#')) continue;
    if (row.size() < 2) reader.Fail("expected a contig and a position, as in \"20 61098\"");
    sites.Add(row[0], reader.PositionOrFail(row[1]));
  }
  if (sites.empty()) throw InputError(path + ": empty; expected lines of a contig and a position");
  return std::move(sites).List();
}

MarkerList LoadMarkerList(const std::string& path) {
  RowReader reader(path);
  std::vector<MarkerList::Entry> entries;
  for (auto row = reader.NextRow(); !row.empty(); row = reader.NextRow()) {
    if (row[0].starts_with('#')) continue;
    const std::string first(row[0]);
    if (row.size() > 1) {
      entries.push_back({fmt::format("{}:{}", first, row[1]), "", first, reader.PositionOrFail(row[1])});
    } else if (const auto site = ParseSite(first)) {
      entries.push_back({first, first, std::string(site->first), site->second});
    } else {
      entries.push_back({first, first});
    }
  }
  if (entries.empty()) {
    throw InputError(path + ": empty; expected lines of a marker's ID, or of its contig and position");
  }
  return MarkerList(std::move(entries));
}

}  // namespace haplospin
