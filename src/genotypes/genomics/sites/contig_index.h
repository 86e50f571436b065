// Contigs found by any of their names, among tens of thousands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_table.h"

namespace haplospin {

class ContigIndex {
 public:
  explicit ContigIndex(ContigTable contigs);
  ContigIndex(const ContigIndex&) = delete;  // its tables refer to its names

  const ContigTable& contigs() const { return contigs_; }

  // Returns the index of the contig that FindContig() (contig_names.h) finds, in constant time.
  std::optional<size_t> Find(std::string_view name) const;

 private:
  const ContigTable contigs_;
  std::unordered_map<std::string_view, size_t> own_, bare_, canonical_;  // names, the first of each; of `contigs_`
};

}  // namespace haplospin
