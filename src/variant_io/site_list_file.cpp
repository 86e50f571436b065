#include "variant_io/site_list_file.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "haplospin/errors.h"
#include "variant_io/row_reader.h"

namespace haplospin {

SiteList LoadSiteList(const std::string& path) {
  RowReader reader(path);
  std::vector<SiteList::Contig> contigs;  // the last one is that of the line before
  for (auto row = reader.NextRow(); !row.empty(); row = reader.NextRow()) {
    if (row[0].starts_with('#')) continue;
    if (row.size() < 2) reader.Fail("expected a contig and a position, as in \"20 61098\"");
    const auto position = reader.ParseOrFail<int64_t>(row[1], "a position in bp");
    if (contigs.empty() || contigs.back().name != row[0]) {
      const auto known = std::ranges::find(contigs, row[0], &SiteList::Contig::name);
      if (known == contigs.end()) {
        contigs.push_back({std::string(row[0]), {}});
      } else {
        std::iter_swap(known, contigs.end() - 1);
      }
    }
    contigs.back().positions.push_back(position);
  }
  if (contigs.empty()) throw InputError(path + ": empty; expected lines of a contig and a position");
  return SiteList(std::move(contigs));
}

}  // namespace haplospin
