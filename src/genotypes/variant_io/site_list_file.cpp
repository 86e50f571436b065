#include "genotypes/variant_io/site_list_file.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/parse_number.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/row_reader.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Tells whether the lines of a list are BED, and which positions they mean then.
class BedColumns {
 public:
  explicit BedColumns(const std::string& path) : is_declared_(IsBedName(path)) {}

  // Returns whether the line has no site.
  bool IsDeclaration(const std::vector<std::string_view>& row) {
    const bool is_declaration = row[0] == "track" || row[0] == "browser";
    is_declared_ = is_declared_ || is_declaration;
    return is_declaration || row[0].starts_with('#');
  }

  // Returns the second and the third column, which is kNoEnd where it is no position.
  Span Read(const RowReader& reader, const std::vector<std::string_view>& row) {
    const int64_t begin = reader.PositionOrFail(row[1]);
    const int64_t end = row.size() > 2 ? ParseNumber<int64_t>(row[2]).value_or(kNoEnd) : kNoEnd;
    if (is_declared_ && (end < begin || end > kMaxPosition)) {
      reader.Fail(
          "expected the columns of BED, a contig, a first position from 0 and an end, as in \"20 61097 61098\"");
    }
    are_single_bases_ = are_single_bases_ && end == begin + 1;
    return {begin, end};
  }

  // Call it after all lines.
  Span Meant(const Span& columns) const {
    const auto& [begin, end] = columns;
    if (!is_declared_ && !are_single_bases_) return {begin, begin};
    return begin == end ? Span{begin, begin} : Span{begin + 1, end};  // an insertion is after its position
  }

 private:
  static constexpr int64_t kNoEnd = -1;

  bool is_declared_;
  bool are_single_bases_ = true;
};

// Collects the sites of lines that are "contig position" or BED.
class SiteRows {
 public:
  void Add(std::string_view contig, const Span& columns) {
    if (contigs_.empty() || contigs_.back().name != contig) {
      const auto known = std::ranges::find(contigs_, contig, &SiteList::Contig::name);
      if (known == contigs_.end()) {
        contigs_.push_back({std::string(contig), {}});
      } else {
        std::iter_swap(known, contigs_.end() - 1);
      }
    }
    contigs_.back().spans.push_back(columns);
  }

  bool empty() const { return contigs_.empty(); }

  SiteList List(const BedColumns& bed) && {
    for (SiteList::Contig& contig : contigs_) {
      const std::vector<Span> columns = std::exchange(contig.spans, {});
      for (const Span& span : columns) {
        const auto [first, last] = bed.Meant(span);
        first == last ? contig.positions.push_back(first) : contig.spans.push_back({first, last});
      }
    }
    return SiteList(std::move(contigs_));
  }

 private:
  std::vector<SiteList::Contig> contigs_;  // the last one is that of the line before; `spans` has the columns
};

bool IsBcf(const std::string& path) {
  constexpr std::string_view kMagic = "BCF\2";
  if (!CanBeReadTwice(path)) return false;
  SilenceHtslib();
  const BgzfHandle file(bgzf_open(path.c_str(), "r"));
  std::string head(kMagic.size(), '\0');
  return file && bgzf_read(file.get(), head.data(), head.size()) == static_cast<ssize_t>(kMagic.size()) &&
         head == kMagic;
}

// Calls visit(contig, position) with the records of a BCF file.
template <typename Visit>
void ForEachBcfSite(const std::string& path, const Visit& visit) {
  VariantFile file(path, SitesOnly::kAccept);
  for (RawRecords records; file.Read(records);) {
    for (size_t i = 0; i < records.size(); ++i) {
      const bcf1_t& record = *records.record(i);
      try {
        visit(bcf_seqname_safe(file.bcf_header(), &record), RecordPosition(record));
      } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}: {}", path, RecordPlace(file.bcf_header(), record), error.what()));
      }
    }
  }
}

// CONTIG:POSITION, which may also be an ID.
std::optional<std::pair<std::string_view, int64_t>> ParseSite(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto position = ParseNumber<int64_t>(text.substr(colon + 1));
  return position ? std::optional(std::pair(text.substr(0, colon), *position)) : std::nullopt;
}

}  // namespace

bool IsBedName(const std::string& path) {
  std::string_view name = path;
  for (const std::string_view compressed : {".gz", ".bgz"}) {
    if (name.ends_with(compressed)) name.remove_suffix(compressed.size());
  }
  return name.ends_with(".bed") || name.ends_with(".BED");
}

namespace {

void ReadSiteRows(const std::string& path, BedColumns& bed, SiteRows& sites) {
  RowReader reader(path);
  for (auto row = reader.NextRow(); !row.empty(); row = reader.NextRow()) {
    if (bed.IsDeclaration(row)) continue;
    if (row.size() < 2) reader.Fail("expected a contig and a position, as in \"20 61098\"");
    sites.Add(row[0], bed.Read(reader, row));
  }
}

MarkerList LoadBcfMarkers(const std::string& path) {
  std::vector<MarkerList::Entry> entries;
  ForEachBcfSite(path, [&](const std::string& contig, int64_t position) {
    entries.push_back({.text = fmt::format("{}:{}", contig, position), .contig = contig, .span = {position, position}});
  });
  if (entries.empty()) throw InputError(path + ": has no records; give the markers, or leave out the option");
  return MarkerList(std::move(entries));
}

}  // namespace

SiteList LoadSiteList(const std::string& path) {
  BedColumns bed(path);
  SiteRows sites;
  if (IsBcf(path)) {
    ForEachBcfSite(path, [&](std::string_view contig, int64_t position) { sites.Add(contig, {position, position}); });
  } else {
    ReadSiteRows(path, bed, sites);
  }
  if (sites.empty()) throw InputError(path + ": empty; expected lines of a contig and a position");
  return std::move(sites).List(bed);
}

MarkerList LoadMarkerList(const std::string& path) {
  if (IsBcf(path)) return LoadBcfMarkers(path);
  RowReader reader(path);
  BedColumns bed(path);
  std::vector<MarkerList::Entry> entries;
  std::vector<std::pair<size_t, Span>> columns;  // of the entries that have two or more
  for (auto row = reader.NextRow(); !row.empty(); row = reader.NextRow()) {
    if (bed.IsDeclaration(row)) continue;
    const std::string first(row[0]);
    if (row.size() > 1) {
      columns.emplace_back(entries.size(), bed.Read(reader, row));
      entries.push_back({.text = fmt::format("{}:{}", first, row[1]), .contig = first});
    } else if (const auto site = ParseSite(first)) {
      entries.push_back({first, first, std::string(site->first), {site->second, site->second}});
    } else {
      entries.push_back({first, first});
    }
  }
  if (entries.empty()) {
    throw InputError(path + ": empty; expected lines of a marker's ID, or of its contig and position");
  }
  for (const auto& [entry, span] : columns) entries[entry].span = bed.Meant(span);
  return MarkerList(std::move(entries));
}

}  // namespace haplospin
