#include "genotypes/variant_io/genetic_map_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/letter_case.h"
#include "core/log.h"
#include "core/parse_number.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/row_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr double kMaxCentimorgans = 1e6;  // highest position in cM
constexpr double kMaxRate = 1000;         // cM per Mb; 1 in humans, 350 in yeast
constexpr double kLowRate = 0.03;
constexpr double kMinLength = 0.1;  // Mb over which a mean rate is meaningful

// The columns of the fields. A map without a contig column is assumed to be for the requested contig.
struct Columns {
  size_t count = 0;
  size_t position = 0;
  size_t centimorgans = 0;
  std::optional<size_t> contig;
};

std::optional<Columns> ColumnsOfHeader(const std::vector<std::string_view>& names) {
  std::optional<size_t> position, centimorgans, contig;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name = ToLower(names[i]);
    if (name.starts_with("#")) name.erase(0, 1);
    if (name.starts_with("pos") || name == "bp") position = i;
    if (name == "cm" || name.find("map(cm)") != std::string::npos) centimorgans = i;
    if (name.starts_with("chr")) contig = i;
  }
  if (!position || !centimorgans) return std::nullopt;
  return Columns{names.size(), *position, *centimorgans, contig};
}

std::optional<Columns> ColumnsWithoutHeader(size_t count) {
  if (count == 4) return Columns{4, 3, 2, 0};  // PLINK: chr id cM bp
  if (count == 3) return Columns{3, 0, 2, 1};  // SHAPEIT: pos chr cM
  return std::nullopt;
}

bool IsHeader(const std::vector<std::string_view>& columns) {
  return std::ranges::none_of(columns, [](std::string_view text) { return ParseNumber<double>(text).has_value(); });
}

void AddOnce(std::vector<std::string>& names, std::string_view name) {
  if (names.empty() || (names.back() != name && std::ranges::find(names, name) == names.end())) {
    names.emplace_back(name);
  }
}

// The points of the map of one contig.
class Points {
 public:
  explicit Points(const RowReader& reader) : reader_(reader) {}

  bool empty() const { return positions_.empty(); }

  void Add(int64_t position, double centimorgans) {
    if (!positions_.empty()) {
      const int64_t last_position = positions_.back();
      const double last_centimorgans = centimorgans_.back();
      if (position == last_position && centimorgans == last_centimorgans) return;
      if (position == last_position) {
        reader_.Fail(fmt::format("{} bp is there twice, with {} and with {} cM; keep one of the lines", position,
                                 last_centimorgans, centimorgans));
      }
      if (position < last_position || centimorgans < last_centimorgans) {
        reader_.Fail(fmt::format(
            "{} bp, {} cM comes after {} bp, {} cM; {}", position, centimorgans, last_position, last_centimorgans,
            position < last_position
                ? "sort the map by position"
                : "cM must not decrease, as it does where a liftover has moved a line: remove it"));
      }
    }
    positions_.push_back(position);
    centimorgans_.push_back(centimorgans);
  }

  // Throws InputError where the rate is that of no genome: bp or another unit in the column of cM.
  void CheckScale(const std::string& path) const {
    const double rate = MeanRate();
    if (rate > kMaxRate) {
      throw InputError(fmt::format(
          "{}: {:.3g} cM per Mb on average; the column of positions in cM seems to have another unit", path, rate));
    }
    if (rate >= 0 && rate < kLowRate) {
      LogWarning("{}: {:.2g} cM per Mb on average, which is very little; are the positions in Morgans?", path, rate);
    }
  }

  GeneticMap Map() && { return GeneticMap(std::move(positions_), std::move(centimorgans_)); }

 private:
  // cM per Mb from the first to the last point; -1 where they are too near each other to tell.
  double MeanRate() const {
    const double length = static_cast<double>(positions_.back() - positions_.front()) / 1e6;
    return length < kMinLength ? -1 : (centimorgans_.back() - centimorgans_.front()) / length;
  }

  const RowReader& reader_;
  std::vector<int64_t> positions_;
  std::vector<double> centimorgans_;
};

// The rows of a file, one after the other.
class MapRows {
 public:
  // Throws InputError if the columns are not those of a map.
  explicit MapRows(const std::string& path) : reader_(path), row_(reader_.NextRow()) {
    if (row_.empty()) throw InputError(path + ": empty; give a genetic map, or omit --map for 1 cM/Mb");
    const bool has_header = IsHeader(row_);
    const auto columns = has_header ? ColumnsOfHeader(row_) : ColumnsWithoutHeader(row_.size());
    if (!columns) {
      reader_.Fail(
          "not a genetic map; expected the columns \"chr id cM bp\" (PLINK) or \"pos chr cM\" with a header line");
    }
    columns_ = *columns;
    if (has_header) row_ = reader_.NextRow();
  }

  const RowReader& reader() const { return reader_; }
  bool at_end() const { return row_.empty(); }
  void Pop() { row_ = reader_.NextRow(); }

  bool has_contigs() const { return columns_.contig.has_value(); }

  // Empty if the map has no column of contigs.
  std::string_view contig() const { return columns_.contig ? Column(*columns_.contig) : std::string_view(); }

  // HasContig() takes any name of the contig, HasName() only the given one.
  bool HasContig(const std::string& contig) const { return !columns_.contig || SameContig(this->contig(), contig); }
  bool HasName(const std::string& contig) const {
    return !columns_.contig || BareContig(this->contig()) == BareContig(contig);
  }

  int64_t position() const { return reader_.PositionOrFail(Column(columns_.position)); }

  double centimorgans() const {
    const auto value = reader_.ParseOrFail<double>(Column(columns_.centimorgans), "a position in cM");
    if (std::abs(value) <= kMaxCentimorgans) return value;
    reader_.Fail(fmt::format("{} cM is longer than any chromosome; the column seems to have another unit", value));
  }

 private:
  std::string_view Column(size_t index) const {
    if (row_.size() != columns_.count) {
      reader_.Fail(fmt::format("{} columns where the first line has {}", row_.size(), columns_.count));
    }
    return row_[index];
  }

  RowReader reader_;
  std::vector<std::string_view> row_;
  Columns columns_;
};

[[noreturn]] void FailNoContig(const std::string& path, const std::string& contig,
                               const std::vector<std::string>& others) {
  throw InputError(fmt::format("{}: no row for contig {}; it has rows for {}", path, contig, JoinNames(others)));
}

}  // namespace

GeneticMap LoadGeneticMap(const std::string& path, const std::string& contig) {
  MapRows rows(path);
  Points points(rows.reader()), points_of_other_name(rows.reader());
  std::vector<std::string> other_contigs;
  for (; !rows.at_end(); rows.Pop()) {
    const int64_t position = rows.position();
    const double centimorgans = rows.centimorgans();
    if (rows.HasName(contig)) {
      points.Add(position, centimorgans);
    } else if (rows.HasContig(contig)) {
      points_of_other_name.Add(position, centimorgans);
    } else {
      AddOnce(other_contigs, rows.contig());
    }
  }
  Points& found = points.empty() ? points_of_other_name : points;
  if (found.empty()) FailNoContig(path, contig, other_contigs);
  found.CheckScale(path);
  return std::move(found).Map();
}

void CheckMapContigs(const std::string& path, std::span<const std::string> contigs) {
  std::vector<std::string> missing(contigs.begin(), contigs.end()), found;
  MapRows rows(path);
  const auto other =
      std::ranges::find_if(contigs, [&](const std::string& contig) { return !SameContig(contig, contigs[0]); });
  if (!rows.has_contigs() && other != contigs.end()) {
    throw InputError(fmt::format(
        "{}: has no column of contigs, so that nothing tells whether it is of {} or {}; add it, or give a map for each "
        "contig (map.chr{{contig}}.txt)",
        path, contigs[0], *other));
  }
  for (; !rows.at_end() && !missing.empty(); rows.Pop()) {
    std::erase_if(missing, [&](const std::string& contig) { return rows.HasContig(contig); });
    AddOnce(found, rows.contig());
  }
  if (!missing.empty()) FailNoContig(path, missing.front(), found);
}

std::vector<std::string> ListMapContigs(const std::string& path) {
  std::vector<std::string> contigs;
  MapRows rows(path);
  if (!rows.has_contigs()) {
    throw InputError(path +
                     ": has no column of contigs, so that nothing tells which one it is of; add it, or name the "
                     "maps by contig (map.chr{contig}.txt)");
  }
  for (; !rows.at_end(); rows.Pop()) AddOnce(contigs, rows.contig());
  return contigs;
}

}  // namespace haplospin
