// Splits lines of VCF text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "genotypes/genomics/sites/contig_names.h"
#include "haplospin/errors.h"

namespace haplospin {

inline constexpr size_t kFirstSampleColumn = 9;  // counted from 0; a file with samples has a FORMAT column before it

// The columns of a VCF line, one after the other.
class ColumnSplitter {
 public:
  explicit ColumnSplitter(std::string_view line) : rest_(line) {}

  std::string_view Next() {
    const size_t tab = rest_.find('\t');
    if (tab == std::string_view::npos) {
      throw InputError("fewer than the ten columns of a record with genotypes; the line is truncated or damaged");
    }
    const std::string_view column = rest_.substr(0, tab);
    rest_.remove_prefix(tab + 1);
    return column;
  }

  // The next column, which may be the last one.
  std::string_view NextOrLast() {
    const std::string_view column = rest_.substr(0, rest_.find('\t'));
    rest_.remove_prefix(std::min(column.size() + 1, rest_.size()));
    return column;
  }

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// Removes and returns the first item of a list joined by `separator`; after the last the list is empty.
inline std::string_view PopItem(std::string_view& list, char separator) {
  const size_t end = std::min(list.find(separator), list.size());
  const std::string_view item = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return item;
}

// The index of `item` in a list joined by `separator`.
inline std::optional<size_t> IndexIn(std::string_view list, std::string_view item, char separator) {
  for (size_t index = 0; !list.empty(); ++index) {
    if (PopItem(list, separator) == item) return index;
  }
  return std::nullopt;
}

// The item with this index in a list joined by `separator`; it is empty where the last items are left out.
inline std::string_view ItemAt(std::string_view list, size_t index, char separator) {
  for (size_t unused = 0; unused < index; ++unused) PopItem(list, separator);
  return PopItem(list, separator);
}

// The CHROM column. Throws InputError if it cannot be written to a header again.
inline std::string_view CheckContigName(std::string_view name) {
  if (IsContigName(name)) return name;
  throw InputError(fmt::format("the contig name \"{}\" is invalid; rename it (bcftools annotate --rename-chrs)",
                               name.substr(0, 40)));
}

// The ALT column; "." is none.
inline void SplitAlts(std::string_view column, std::vector<std::string>& alts) {
  alts.clear();
  if (column == ".") return;
  while (!column.empty()) alts.emplace_back(PopItem(column, ','));
}

}  // namespace haplospin
