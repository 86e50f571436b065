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

namespace haplospin {

class ContigIndex {
 public:
  // Name and length in bp of each contig.
  explicit ContigIndex(std::vector<std::pair<std::string, int64_t>> contigs);
  ContigIndex(const ContigIndex&) = delete;  // its tables refer to its names

  const std::vector<std::pair<std::string, int64_t>>& contigs() const { return contigs_; }

  // Returns the index of the contig that FindContig() (contig_names.h) finds, in constant time.
  std::optional<size_t> Find(std::string_view name) const;

 private:
  const std::vector<std::pair<std::string, int64_t>> contigs_;
  std::unordered_map<std::string_view, size_t> own_, bare_, canonical_;  // names, the first of each; of `contigs_`
};

}  // namespace haplospin
