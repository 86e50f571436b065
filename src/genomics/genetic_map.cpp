#include "haplospin/genetic_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "genomics/contig_names.h"
#include "haplospin/errors.h"
#include "variant_io/row_reader.h"

namespace haplospin {
namespace {

// Where the fields of a row are. A map without a contig column is taken to be of the contig asked for.
struct Columns {
  size_t count = 0;
  size_t position = 0;
  size_t centimorgans = 0;
  std::optional<size_t> contig;
};

std::optional<Columns> ColumnsOfHeader(const std::vector<std::string_view>& names) {
  std::optional<size_t> position, centimorgans, contig;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name(names[i]);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
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

}  // namespace

GeneticMap GeneticMap::Uniform() {
  GeneticMap map;
  map.positions_ = {0};
  map.centimorgans_ = {0};
  return map;
}

GeneticMap GeneticMap::Load(const std::string& path, const std::string& contig) {
  RowReader reader(path);
  auto row = reader.NextRow();
  if (row.empty()) throw InputError(path + ": empty; give a genetic map, or none for 1 cM/Mb");
  const bool has_header = IsHeader(row);
  const auto columns = has_header ? ColumnsOfHeader(row) : ColumnsWithoutHeader(row.size());
  if (!columns) {
    reader.Fail(
        "not a genetic map; expected the columns \"chr id cM bp\" (PLINK) or \"pos chr cM\" with a header line");
  }
  if (has_header) row = reader.NextRow();

  GeneticMap map;
  std::vector<std::string> other_contigs;
  for (; !row.empty(); row = reader.NextRow()) {
    if (row.size() != columns->count) {
      reader.Fail(fmt::format("{} columns where the first line has {}", row.size(), columns->count));
    }
    const auto position = reader.ParseOrFail<int64_t>(row[columns->position], "a position in bp");
    const auto centimorgans = reader.ParseOrFail<double>(row[columns->centimorgans], "a position in cM");
    if (columns->contig && !SameContig(row[*columns->contig], contig)) {
      AddOnce(other_contigs, row[*columns->contig]);
      continue;
    }
    if (!map.positions_.empty()) {
      const int64_t last_position = map.positions_.back();
      const double last_centimorgans = map.centimorgans_.back();
      if (position == last_position && centimorgans == last_centimorgans) continue;
      if (position <= last_position || centimorgans < last_centimorgans) {
        reader.Fail(fmt::format("{} bp, {} cM comes after {} bp, {} cM; sort the map by position", position,
                                centimorgans, last_position, last_centimorgans));
      }
    }
    map.positions_.push_back(position);
    map.centimorgans_.push_back(centimorgans);
  }
  if (map.positions_.empty()) {
    throw InputError(
        fmt::format("{}: no row for contig {}; it has rows for {}", path, contig, JoinNames(other_contigs)));
  }
  return map;
}

GeneticMap GeneticMap::Scaled(double factor) const {
  GeneticMap scaled = *this;
  scaled.rate_beyond_ *= factor;
  for (double& centimorgans : scaled.centimorgans_) centimorgans *= factor;
  return scaled;
}

double GeneticMap::Centimorgans(int64_t position) const {
  const auto after = std::ranges::upper_bound(positions_, position);
  if (after == positions_.begin()) {
    return centimorgans_.front() - rate_beyond_ * static_cast<double>(positions_.front() - position);
  }
  const auto i = static_cast<size_t>(after - positions_.begin()) - 1;
  const auto distance = static_cast<double>(position - positions_[i]);
  if (after == positions_.end()) return centimorgans_[i] + rate_beyond_ * distance;
  const auto gap = static_cast<double>(positions_[i + 1] - positions_[i]);
  return centimorgans_[i] + (centimorgans_[i + 1] - centimorgans_[i]) * (distance / gap);
}

}  // namespace haplospin
